/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stored plans: those of a planning context (coll_mtree/plan/planning_context.h), in a
 * table of call classes.
 *
 * Those of all contexts take coll_mtree_memory bytes at most: beyond that, the least
 * recently used ones are freed.  They change only under the contexts' lock.
 */
#ifndef COLL_MTREE_PLAN_PLAN_STORE_H
#define COLL_MTREE_PLAN_PLAN_STORE_H

#include "coll_mtree/base/class_table.h"
#include "coll_mtree/plan/planning.h"

/* The plans for one call class, whose root is a host. */
typedef struct {
    coll_mtree_class_node_t node;
    mtree_list_t used;         /* in the list of those that keep plans */
    size_t bytes;              /* of the plans that it keeps */
    bool is_planned;           /* for `version` */
    unsigned version;          /* of the network */
    mtree_plan_t *plan;        /* NULL: none could be made */
    bool is_other_roots;       /* it was made from the plan for another root */
    mtree_forecast_t forecast; /* of it */
    unsigned oldest_version;
    mtree_plan_t *oldest; /* the first with its trees, which later plans rebalance: they
                             may have lost trees that are of use again; NULL: none */
} coll_mtree_stored_plan_t;

/* Has @a stored been planned for @a version of the network? */
static inline bool
coll_mtree_stored_plan_is_current(const coll_mtree_stored_plan_t *stored,
                                  unsigned version)
{
    return stored->is_planned && stored->version == version;
}

/* Free what @a stored, an element of a table, has. */
void coll_mtree_stored_plan_clear(void *stored);

/* @a stored is used; if it has other plans than before, others are forgotten where all
 * together take too much. */
void coll_mtree_stored_plan_use(coll_mtree_stored_plan_t *stored);

/* Put @a plan (NULL: none could be made), whose reference becomes its own, with its
 * @a forecast for @a version of the network into @a stored, and use that.  With @a
 * trees_stay it has the trees of the oldest one, else @a is_other_roots says whether it
 * was made from the plan for another root. */
void coll_mtree_stored_plan_put(coll_mtree_stored_plan_t *stored, unsigned version,
                                mtree_plan_t *plan, mtree_forecast_t forecast,
                                bool trees_stay, bool is_other_roots);

/* The trees that @a stored may take from the plan for calls of another root or size in @a
 * plans, which keeps them.  The donor is the nearest plan that is current in @a version
 * and was not itself made from another root's, so that no plan is far from one that was
 * sought.  None: there is no such plan, or the user chose an algorithm or a plan. */
coll_mtree_donor_trees_t
coll_mtree_stored_plan_donor(const coll_mtree_class_table_t *plans,
                             const coll_mtree_stored_plan_t *stored, unsigned version);

#endif
