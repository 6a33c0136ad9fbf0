/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of a host's interfaces, with the networks that they are in, and lists of
 * interfaces such as "eth0,10.1.0.0/16", as Open MPI's btl_tcp_if_include has them.
 */
#ifndef MTREE_TOPO_HOST_INTERFACE_H
#define MTREE_TOPO_HOST_INTERFACE_H

#include "base/address.h"

/* Addresses of a host that are looked at. */
#define MTREE_HOST_INTERFACES 16

/* Bytes of an interface's name, its NUL included. */
#define MTREE_INTERFACE_NAME 16

typedef struct {
    mtree_address_t address;
    int prefix; /* bits of it that name the network */
    int device; /* the interface; several addresses may be one's */
    char name[MTREE_INTERFACE_NAME];
} mtree_interface_t;

/*
 * Into @a list: the addresses of interfaces that are up, IPv4 first, without those that
 * hold on one link only; how many.  Those in the list @a include or, when that is NULL or
 * empty, those that are no loopback and not in the list @a exclude (may be NULL).
 */
int mtree_interfaces_list(mtree_interface_t list[MTREE_HOST_INTERFACES],
                          const char *include, const char *exclude);

/* Does @a list have the interface @a name or its @a address (which may be none)?  Entries
 * are names and address/length separated by commas; any other is ignored. */
bool mtree_interface_is_listed(const char *name, const mtree_address_t *address,
                               const char *list);

/* Is @a address in the network of @a interface? */
bool mtree_interface_reaches(const mtree_interface_t *interface,
                             const mtree_address_t *address);

#endif
