/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a simulation: event queue, network and ranks.  Private to
 * simulate/simulate*.c.
 */
#ifndef MTREE_SIMULATE_CONTEXT_H
#define MTREE_SIMULATE_CONTEXT_H

#include "simulate/pt2pt.h"
#include "simulate/simulate.h"

typedef struct {
    const mtree_simulate_options_t *options;
    int num_arcs;
    int num_ranks; /* without relays */
    int root;      /* rank */
    size_t count;  /* elements of the vector */
    mtree_event_queue_t *queue;
    mtree_network_t *network;
    mtree_pt2pt_t *pt2pt;
} mtree_simulation_t;

/*
 * Check @a options and make the parts; the last @a num_relays of the hosts are relays.
 * @a streams: messages go over mtree's own connections, which know no eager limit, are
 * paced, and use BBR, so that losses do not make them slow; else over those of Open MPI,
 * with the kernel's usual congestion control.  mtree_simulation_close() frees the parts.
 */
mtree_status_t mtree_simulation_open(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts, int num_relays, bool streams,
                                     const mtree_simulate_options_t *options,
                                     mtree_simulation_t *simulation_p);
void mtree_simulation_close(mtree_simulation_t *simulation);

/* Set all but the trees of *result_p for a simulation that took @a seconds. */
mtree_status_t mtree_simulation_result(const mtree_simulation_t *simulation,
                                       double seconds, mtree_simulate_result_t *result_p);

/* Seconds to fold one element. */
double mtree_simulation_fold_seconds(const mtree_simulation_t *simulation);

#endif
