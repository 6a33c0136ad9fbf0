/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which interfaces of hosts may be the ends of cables: two of different hosts in a
 * network of their own, in which no third host is.
 */
#ifndef MTREE_TOPO_PROBE_CABLE_PAIRS_H
#define MTREE_TOPO_PROBE_CABLE_PAIRS_H

#include "topo/host/interface.h"

/* What a host has. */
typedef struct {
    mtree_interface_t list[MTREE_HOST_INTERFACES]; /* [count] */
    int count;
} mtree_host_interfaces_t;

typedef struct {
    int hosts[2];
    mtree_address_t ends[2];
} mtree_cable_pair_t;

/*
 * The pairs between @a hosts [num_hosts] into *pairs_p, malloc'ed, by ascending hosts;
 * how many are in *num_p.  Two interfaces are a pair by their first addresses that fit,
 * IPv4 before IPv6.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_cable_pairs_find(const mtree_host_interfaces_t *hosts, int num_hosts,
                                      mtree_cable_pair_t **pairs_p, int *num_p);

#endif
