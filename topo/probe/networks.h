/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The networks that interfaces of hosts are in, what is tried in them, and the links that
 * follow.
 *
 * A network of two hosts is a cable.  In one of more, a switch, each host in turn
 * exchanges bytes with a few others at once, which shows what its interface carries.
 * Networks of the same hosts are one switch, to which each host has several links.
 */
#ifndef MTREE_TOPO_PROBE_NETWORKS_H
#define MTREE_TOPO_PROBE_NETWORKS_H

#include "base/arena.h"
#include "topo/probe/probe.h"

/* Two interfaces between which bytes are exchanged, and what came of it. */
typedef struct {
    int network, round; /* those of one round are tried at the same time */
    bool is_alone;      /* while nothing is tried in other networks of the same hosts */
    int hosts[2];       /* the turn is the first one's */
    mtree_address_t ends[2];
    double rate[2]; /* bits/s from the first to the second, and back; 0: they are apart */
    double latency; /* seconds, one way; infinite: not known */
} mtree_network_trial_t;

typedef struct {
    int num_hosts, num_networks, num_trials, num_rounds, capacity;
    mtree_network_trial_t *trials; /* [num_trials] */
    int *first;          /* [num_networks + 1] of its trials, of which a cable has two */
    int *group;          /* [num_networks] the first network that has the same hosts */
    int shared;          /* that of `own` of all hosts, or -1: there is none */
    mtree_arena_t arena; /* of the arrays */
} mtree_networks_t;

/*
 * The networks of @a hosts [num_hosts] and what to try; to be cleaned up all the same.
 * Interfaces count by their first addresses that fit, IPv4 before IPv6.  What is in
 * `shared` alone is not tried, unless there are but two hosts.
 */
void mtree_networks_find(const mtree_host_interfaces_t *hosts, int num_hosts,
                         mtree_networks_t *networks);

/*
 * Add what the trials found to @a findings, whose first vertices are the hosts.  Cables
 * take the place of the link that joins their hosts.  A switch is added for those hosts
 * that are faster there; if all hosts are joined by one switch already, it has the other
 * networks of all of them, too.  MTREE_ERR_LIMIT.
 */
mtree_status_t mtree_networks_add(const mtree_networks_t *networks,
                                  mtree_probe_findings_t *findings);

void mtree_networks_cleanup(mtree_networks_t *networks);

#endif
