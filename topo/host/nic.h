/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Network interfaces of one host: their places in it, their speeds, and lists of them
 * such as "eth0,10.1.0.0/16".
 */
#ifndef MTREE_TOPO_HOST_NIC_H
#define MTREE_TOPO_HOST_NIC_H

#include "base/address.h"

#define MTREE_NIC_NAME_LENGTH 32

typedef enum {
    MTREE_NIC_NETWORK, /* an interface of the system: eth0, ib0 */
    MTREE_NIC_FABRIC   /* a device that is used without the system: mlx5_0 */
} mtree_nic_kind_t;

typedef struct {
    char name[MTREE_NIC_NAME_LENGTH];
    mtree_nic_kind_t kind;
    int package;  /* whose device it is; -1: not of a single one */
    int numa;     /* NUMA node, the same */
    double speed; /* bits/s; 0: not known */
} mtree_nic_t;

/*
 * Does @a list contain the interface @a name or its @a address (which may be none)?  The
 * list has names and address/length separated by commas, as Open MPI's
 * btl_tcp_if_include; any other entry is ignored.
 */
bool mtree_nic_is_listed(const char *name, const mtree_address_t *address,
                         const char *list);

/*
 * Keep those of *num_p interfaces in @a nics that TCP uses on this host: those that are
 * up and listed in @a include or, when that is NULL or empty, not listed in @a exclude
 * (may be NULL).  An interface is also kept when a bond or bridge on it is used.  The
 * order remains.
 */
void mtree_nics_keep_tcp(mtree_nic_t *nics, int *num_p, const char *include,
                         const char *exclude);

/* Keep the interfaces of @a kind. */
void mtree_nics_keep_kind(mtree_nic_t *nics, int *num_p, mtree_nic_kind_t kind);

/* Remove interfaces without a package or NUMA node of their own, and those slower than
 * half of the fastest. */
void mtree_nics_keep_best(mtree_nic_t *nics, int *num_p);

/* The speed of the interface @a name of this host according to the system, bits/s; 0: not
 * known. */
double mtree_nic_read_speed(const char *name, mtree_nic_kind_t kind);

#endif
