/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MultiTree's lockstep schedule (planner/published/multitree.h builds its trees).
 */
#ifndef MTREE_PAPERS_BASELINES_MULTITREE_SCHEDULE_H
#define MTREE_PAPERS_BASELINES_MULTITREE_SCHEDULE_H

#include "papers/baselines/rounds.h"
#include "planner/published/multitree.h"

/*
 * The lockstep allreduce of Algorithm 1, lines 15 to 18: reduce-scatter in steps tot_t -
 * t + 1, all-gather in tot_t + t; piece r belongs to the tree of root r.
 */
mtree_status_t mtree_multitree_schedule(const mtree_multitree_t *multitree,
                                        mtree_rounds_t **schedule_p);

#endif
