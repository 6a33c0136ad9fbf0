/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Network interfaces of one host: where they hang, how fast they are, and which of them
 * a program that is told "eth0,10.1.0.0/16" uses.
 */
#ifndef MTREE_TOPO_HOST_NIC_H
#define MTREE_TOPO_HOST_NIC_H

#include "base/address.h"

#define MTREE_NIC_NAME_LENGTH 32

typedef enum {
    MTREE_NIC_NETWORK, /* what the system calls an interface: eth0, ib0 */
    MTREE_NIC_FABRIC   /* a device that is driven past the system: mlx5_0 */
} mtree_nic_kind_t;

typedef struct {
    char name[MTREE_NIC_NAME_LENGTH];
    mtree_nic_kind_t kind;
    int package;  /* that it hangs at; -1: at none alone */
    int numa;     /* NUMA node, the same */
    double speed; /* bits/s; 0: not known */
} mtree_nic_t;

/*
 * True when @a list, names and address/length separated by commas, as Open MPI's
 * btl_tcp_if_include is written, names the interface @a name or holds its @a address
 * (which may be none).  What is neither in it names nothing.
 */
bool mtree_nic_is_listed(const char *name, const mtree_address_t *address,
                         const char *list);

/*
 * Keep those of *num_p interfaces in @a nics that TCP uses on this host: up, and listed
 * in @a include or, when that is NULL or empty, not listed in @a exclude (may be NULL).
 * One that only carries such an interface, a bond or a bridge, counts, too.  Order is
 * kept.
 */
void mtree_nics_keep_tcp(mtree_nic_t *nics, int *num_p, const char *include,
                         const char *exclude);

/* Keep those of @a kind. */
void mtree_nics_keep_kind(mtree_nic_t *nics, int *num_p, mtree_nic_kind_t kind);

/* Keep those whose place matters: not those that hang at no
 * package and no NUMA node, nor those slower than half of the fastest. */
void mtree_nics_keep_best(mtree_nic_t *nics, int *num_p);

/* The speed of the interface @a name of this host in bits/s, as the system says; 0: not
 * known. */
double mtree_nic_read_speed(const char *name, mtree_nic_kind_t kind);

#endif
