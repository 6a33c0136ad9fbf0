/*
 * What a simulation consists of, put together and taken apart: clock, network, ranks.
 * Private to simulate/simulate*.c.
 */
#ifndef MTREE_SIMULATE_JOB_H
#define MTREE_SIMULATE_JOB_H

#include "simulate/simulate.h"
#include "simulate/world.h"

typedef struct {
    const mtree_simulate_options_t *options;
    int num_arcs;
    int num_ranks;
    int root;     /* rank */
    size_t count; /* elements of the vector */
    mtree_clock_t *clock;
    mtree_network_t *network;
    mtree_world_t *world;
} mtree_job_t;

/*
 * Check @a options and build the three; @a received and @a arg are the world's.
 * mtree_job_close() frees them.
 */
mtree_status_t mtree_job_open(const mtree_topology_t *topology, const int *hosts,
                              int num_hosts, const mtree_simulate_options_t *options,
                              mtree_world_received_t received, void *arg,
                              mtree_job_t *job_p);
void mtree_job_close(mtree_job_t *job);

/* Set all but the trees of *result_p for a job that took @a seconds. */
mtree_status_t mtree_job_result(const mtree_job_t *job, double seconds,
                                mtree_simulate_result_t *result_p);

/* Seconds to fold one element. */
double mtree_job_fold_seconds(const mtree_job_t *job);

#endif
