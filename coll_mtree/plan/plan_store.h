/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan stores: the plans of one planning context (coll_mtree/plan/planning_context.h), by
 * call class.
 *
 * The plans of all stores take coll_mtree_memory bytes at most: beyond that, the least
 * recently used ones are freed.  Stores change only under the contexts' lock.
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

typedef struct {
    coll_mtree_class_table_t classes; /* of coll_mtree_stored_plan_t */
} coll_mtree_plan_store_t;

void coll_mtree_plan_store_init(coll_mtree_plan_store_t *store);

/* Free all plans; the store is empty then. */
void coll_mtree_plan_store_cleanup(coll_mtree_plan_store_t *store);

/* What is stored for @a call_class, whose root is a host; the store's.  NULL: nothing. */
coll_mtree_stored_plan_t *
coll_mtree_plan_store_find(const coll_mtree_plan_store_t *store,
                           const coll_mtree_call_class_t *call_class);

/* The same, made without a plan when there is nothing. */
coll_mtree_stored_plan_t *
coll_mtree_plan_store_get(coll_mtree_plan_store_t *store,
                          const coll_mtree_call_class_t *call_class);

/* Has @a stored been planned for @a version of the network? */
bool coll_mtree_plan_store_is_current(const coll_mtree_stored_plan_t *stored,
                                      unsigned version);

/* @a stored is used; if it has other plans than before, others are forgotten where all
 * together take too much. */
void coll_mtree_plan_store_use(coll_mtree_stored_plan_t *stored);

/* Put @a plan (NULL: none could be made), whose reference becomes the store's, with its
 * @a forecast for @a version of the network into @a stored, and use that.  With @a
 * trees_stay it has the trees of the oldest one, else @a is_other_roots says whether it
 * was made from the plan for another root. */
void coll_mtree_plan_store_put(coll_mtree_stored_plan_t *stored, unsigned version,
                               mtree_plan_t *plan, mtree_forecast_t forecast,
                               bool trees_stay, bool is_other_roots);

/* The trees that @a stored may take from the plan for calls of another root or size; the
 * store's.  The donor is the nearest plan that is current in @a version and was not
 * itself made from another root's, so that no plan is far from one that was sought. None:
 * there is no such plan, or the user chose an algorithm or a plan. */
coll_mtree_donor_trees_t
coll_mtree_plan_store_donor(const coll_mtree_plan_store_t *store,
                            const coll_mtree_stored_plan_t *stored, unsigned version);

#endif
