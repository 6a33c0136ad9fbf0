/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directory of a broadcast by arrival: who has come, who holds how much, and who gets
 * it from whom.  Pure decisions, no messages.
 *
 * After Zhuang et al., "Hoplite", Section 4.3: each receiver is told one source, complete
 * copies before partial ones, and a source serves one receiver at a time.  Beyond the
 * paper, the receiver and the source with the best route between them go first, and where
 * several ranks share a host, a source may serve one rank of its own host besides, while
 * only one rank of a host serves others at a time: the host's network is what is scarce.
 * So there is always a free source, and nobody waits for one.  A source that holds
 * everything need not stay for a receiver that began long after it: the root gives that
 * one the rest, as the paper's receivers go on with another sender when theirs fails.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_DIRECTORY_H
#define MTREE_SCHEDULE_ARRIVAL_DIRECTORY_H

#include "planner/plan/plan.h"
#include "schedule/placement.h"

typedef struct mtree_directory mtree_directory_t;

/*
 * Of a broadcast from rank @a root among the ranks of @a placement.  @a plan may tell the
 * routes between hosts, and the size.  Both stay the caller's.  No source is relieved of
 * a receiver that began less than @a worth seconds after it; infinite: of none.
 * MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_directory_create(const mtree_plan_t *plan,
                                      const mtree_placement_t *placement, int root,
                                      double worth, mtree_directory_t **directory_p);

/* Free; NULL is allowed. */
void mtree_directory_destroy(mtree_directory_t *directory);

/* A receiver is there. */
void mtree_directory_arrive(mtree_directory_t *directory, int rank);

/* The next receiver that is given a source, at @a now (seconds); false: nobody is
 * waiting. */
bool mtree_directory_assign(mtree_directory_t *directory, double now, int *source_p,
                            int *rank_p);

/* @a rank holds everything, so that its source may serve another. */
void mtree_directory_hold(mtree_directory_t *directory, int rank);

/*
 * The next receiver that is not needed any more: it holds everything and serves nobody,
 * or all receivers have their sources and it is not to be relieved of its own; false:
 * none.  @a relieved_p: the receiver that it is to give no more, which the root gives the
 * rest; -1: none.  While the root is @a free a source is relieved that holds everything,
 * but not of a receiver that began soon after it, by @a now (seconds), or that would take
 * more than twice as long from the root.
 */
bool mtree_directory_dismiss(mtree_directory_t *directory, double now, bool free,
                             int *rank_p, int *relieved_p);

/* The next receiver, each once, that will have to give to nobody else, but is not
 * dismissed yet; false: none. */
bool mtree_directory_settle(mtree_directory_t *directory, int *rank_p);

/* Receivers that have come, and that have been given their sources. */
int mtree_directory_num_arrived(const mtree_directory_t *directory);
int mtree_directory_num_assigned(const mtree_directory_t *directory);

/* Have all receivers been given their sources? */
bool mtree_directory_is_settled(const mtree_directory_t *directory);

/* Have all been dismissed? */
bool mtree_directory_is_done(const mtree_directory_t *directory);

#endif
