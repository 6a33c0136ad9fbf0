/*
 * Estimates for short messages, where what each message costs decides: how long a plan
 * would take, and how long Open MPI's own algorithms.
 */
#ifndef MCA_COLL_MTREE_ESTIMATE_H
#define MCA_COLL_MTREE_ESTIMATE_H

#include "planner/plan.h"

/* Above this many bytes neither is asked for: the trees' rates decide. */
#define COLL_MTREE_ESTIMATED_BYTES (128 << 10)

/* Seconds that @a plan, which predicts them for its bytes, takes when the busiest host's
 * messages are counted, too. */
double coll_mtree_estimate_plan(const mtree_plan_t *plan);

/*
 * Seconds that recursive doubling takes for @a bytes between the hosts at @a vertices, or
 * halving and doubling where that is faster, which is what Open MPI does with short
 * messages; infinite when it cannot be told.
 */
double coll_mtree_estimate_fallback(const mtree_topology_t *topology, const int *vertices,
                                    int num_hosts, mtree_collective_t collective,
                                    double bytes);

#endif
