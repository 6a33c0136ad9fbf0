/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a simulation consists of, put together and taken apart: clock, network, ranks.
 * Private to simulate/simulate*.c.
 */
#ifndef MTREE_SIMULATE_CONTEXT_H
#define MTREE_SIMULATE_CONTEXT_H

#include "simulate/pt2pt.h"
#include "simulate/simulate.h"

typedef struct {
    const mtree_simulate_options_t *options;
    int num_arcs;
    int num_ranks;
    int root;     /* rank */
    size_t count; /* elements of the vector */
    mtree_event_queue_t *clock;
    mtree_network_t *network;
    mtree_pt2pt_t *pt2pt;
} mtree_simulation_t;

/*
 * Check @a options and build the three; @a received and @a arg are the world's.
 * mtree_simulation_close() frees them.
 */
mtree_status_t mtree_simulation_open(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts,
                                     const mtree_simulate_options_t *options,
                                     mtree_pt2pt_received_t received, void *arg,
                                     mtree_simulation_t *job_p);
void mtree_simulation_close(mtree_simulation_t *job);

/* Set all but the trees of *result_p for a job that took @a seconds. */
mtree_status_t mtree_simulation_result(const mtree_simulation_t *job, double seconds,
                                       mtree_simulate_result_t *result_p);

/* Seconds to fold one element. */
double mtree_simulation_fold_seconds(const mtree_simulation_t *job);

#endif
