/*
 * Skew: how far apart the ranks of a communicator come to its calls, and whether calls of
 * a kind are by arrival (schedule/arrival.h) for that.
 *
 * What a rank knows of a call's beginning (schedule/entries.h) goes to rank 0 with the
 * talks of coll_mtree_follow.h.  Rank 0 has the simulator play the call as the ranks came
 * to it, over the plan's trees and by arrival, and where one of both is clearly better in
 * several hearings in a row, all ranks turn to it at the same point of the order of
 * calls.  docs/arrival.md has the rules.
 */
#ifndef MCA_COLL_MTREE_SKEW_H
#define MCA_COLL_MTREE_SKEW_H

#include "coll_mtree_network.h"
#include "coll_mtree_run.h"

#include "schedule/entries.h"

/* Calls of one kind on one communicator. */
typedef struct coll_mtree_skew coll_mtree_skew_t;

/* Those of @a kind on @a module's, which keeps them; NULL: no memory. */
coll_mtree_skew_t *coll_mtree_skew_get(mca_coll_mtree_module_t *module,
                                       const coll_mtree_kind_t *kind);

/* What this rank tells of the blocking call that @a run has been. */
void coll_mtree_skew_tell(const coll_mtree_run_t *run, mtree_entry_t *entry_p);

/*
 * On rank 0: the ranks of @a comm told @a entries [ranks] of a call over @a plan.  Are
 * such calls to be by arrival?
 */
bool coll_mtree_skew_hear(coll_mtree_skew_t *skew, mca_coll_mtree_module_t *module,
                          ompi_communicator_t *comm, const mtree_plan_t *plan,
                          const mtree_entry_t *entries);

/* On all ranks: such calls are by arrival from here on, or not. */
void coll_mtree_skew_turn(coll_mtree_skew_t *skew, bool by_arrival);

/* Are calls of @a kind by arrival, as far as all ranks have agreed? */
bool coll_mtree_skew_is_by_arrival(const mca_coll_mtree_module_t *module,
                                   const coll_mtree_kind_t *kind);

/* Free what a module holds for this. */
void coll_mtree_skew_destroy(mca_coll_mtree_module_t *module);

#endif
