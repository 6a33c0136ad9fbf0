/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of a host's interfaces, with the networks that they are in.
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

/* Into @a list: the addresses of interfaces that are up, IPv4 first, without loopback and
 * those that hold on one link only; how many. */
int mtree_interfaces_list(mtree_interface_t list[MTREE_HOST_INTERFACES]);

/* Is @a address in the network of @a interface? */
bool mtree_interface_reaches(const mtree_interface_t *interface,
                             const mtree_address_t *address);

#endif
