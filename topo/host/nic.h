/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Network interfaces of one host: their places in it and their speeds.
 */
#ifndef MTREE_TOPO_HOST_NIC_H
#define MTREE_TOPO_HOST_NIC_H

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
 * Keep those of *num_p interfaces in @a nics that TCP uses on this host by @a include and
 * @a exclude (topo/host/interface.h), or on which a bond or bridge lies that it uses. The
 * order remains.
 */
void mtree_nics_keep_tcp(mtree_nic_t *nics, int *num_p, const char *include,
                         const char *exclude);

/* Keep the interfaces of @a kind. */
void mtree_nics_keep_kind(mtree_nic_t *nics, int *num_p, mtree_nic_kind_t kind);

/* The speed of the interface @a name of this host according to the system, bits/s; 0: not
 * known. */
double mtree_nic_read_speed(const char *name, mtree_nic_kind_t kind);

#endif
