/*
 * The gauge of a communicator: what its calls over trees sent to each host, whatever form
 * they have and however many are under way (schedule/gauge.h), for those that tell of it.
 *
 * There is one from the first nonblocking or persistent call that is followed; from then
 * on it is told of every turn of Open MPI's progress.  While calls of two communicators
 * are gauged at once both count as unattended, since they share the links.
 */
#ifndef MCA_COLL_MTREE_GAUGE_H
#define MCA_COLL_MTREE_GAUGE_H

#include "coll_mtree.h"

#include "schedule/gauge.h"

/* What passed in a stretch of time. */
typedef struct {
    mtree_gauge_sum_t sum;
    mtree_gauge_way_t ways[]; /* [hosts] */
} coll_mtree_taken_t;

/* The gauge of @a module, whose placement is known; the module's.  NULL: no memory. */
mtree_gauge_t *coll_mtree_gauge_get(mca_coll_mtree_module_t *module);

/* The same, NULL where nothing is gauged. */
mtree_gauge_t *coll_mtree_gauge_find(const mca_coll_mtree_module_t *module);

/* What passed since it was taken last; malloc'ed.  NULL: nothing is gauged yet, or no
 * memory. */
coll_mtree_taken_t *coll_mtree_gauge_take(mca_coll_mtree_module_t *module);

/* @a taken is to come again with what is taken next. */
void coll_mtree_gauge_put_back(mca_coll_mtree_module_t *module,
                               const coll_mtree_taken_t *taken);

/* Free what a module holds for this. */
void coll_mtree_gauge_destroy(mca_coll_mtree_module_t *module);

/* With the component: progress is not looked at any more. */
void coll_mtree_gauge_close(void);

#endif
