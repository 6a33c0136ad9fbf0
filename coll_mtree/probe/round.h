/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One round of experiments (topo/probe/probe.h) as shares of the hosts, and the hosts'
 * replies as its results.
 */
#ifndef COLL_MTREE_PROBE_ROUND_H
#define COLL_MTREE_PROBE_ROUND_H

#include "coll_mtree/probe/coordinator.h"

/*
 * Run @a round on the hosts of @a coordinator.  *next_tag, which goes round, keeps the
 * tags of following rounds apart; results[round->num_experiments] is the caller's.
 * Open MPI's code.
 */
int coll_mtree_probe_round_run(coll_mtree_probe_coordinator_t *coordinator,
                               const mtree_probe_round_t *round, int *next_tag,
                               mtree_probe_result_t *results, double *seconds_p);

#endif
