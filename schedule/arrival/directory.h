/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directory of an arrival-ordered broadcast: which ranks have arrived, how much of
 * the result each has, and who receives it from whom.  Pure decisions, no messages.
 *
 * After Zhuang et al., "Hoplite", Section 4.3: each receiver is assigned one source,
 * complete copies before partial ones, and a source serves one receiver at a time. Beyond
 * the paper, the pair with the best route is assigned first.  Where several ranks share a
 * host, a source may also serve one rank of its own host, and only one rank of a host
 * serves other hosts at a time, since the host's network is the bottleneck.  So there is
 * always a free source, and nobody waits for one.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_DIRECTORY_H
#define MTREE_SCHEDULE_ARRIVAL_DIRECTORY_H

#include "base/arena.h"
#include "planner/plan/plan.h"
#include "schedule/placement.h"

typedef struct mtree_directory mtree_directory_t;

/*
 * The directory of a broadcast from rank @a root among the ranks of @a placement.  @a
 * plan gives the size and, where it has them, the routes.  Both stay the caller's;
 * the memory is of @a arena.
 */
mtree_directory_t *mtree_directory_create(mtree_arena_t *arena, const mtree_plan_t *plan,
                                          const mtree_placement_t *placement, int root);

/* A receiver has arrived. */
void mtree_directory_arrive(mtree_directory_t *directory, int rank);

/* Assign a source to the next receiver; false: none is waiting. */
bool mtree_directory_assign(mtree_directory_t *directory, int *source_p, int *rank_p);

/* @a rank has the whole result, so its source may serve another; or it was dismissed. */
void mtree_directory_hold(mtree_directory_t *directory, int rank);

/* The next receiver that may leave when it has the whole result and has given it to those
 * that it serves, each once; false: none.  No more receivers will be assigned to it: it
 * has the whole result and serves nobody, or all have their sources. */
bool mtree_directory_dismiss(mtree_directory_t *directory, int *rank_p);

/* Receivers that have arrived, and that have been assigned sources. */
int mtree_directory_num_arrived(const mtree_directory_t *directory);
int mtree_directory_num_assigned(const mtree_directory_t *directory);

/* Have all been dismissed? */
bool mtree_directory_is_done(const mtree_directory_t *directory);

#endif
