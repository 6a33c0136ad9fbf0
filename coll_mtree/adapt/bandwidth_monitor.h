/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gauge of a communicator: what its calls over trees sent to each host, whatever form
 * they have and however many are under way (schedule/bandwidth_monitor.h), for those that
 * tell of it.
 *
 * There is one from the first nonblocking or persistent call that is followed; from then
 * on it is told of every turn of Open MPI's progress.  While calls of two communicators
 * are gauged at once both count as unattended, since they share the links.
 */
#ifndef COLL_MTREE_ADAPT_BANDWIDTH_MONITOR_H
#define COLL_MTREE_ADAPT_BANDWIDTH_MONITOR_H

#include "coll_mtree/coll_mtree.h"

#include "schedule/bandwidth_monitor.h"

/* What passed in a stretch of time. */
typedef struct {
    mtree_bandwidth_monitor_sum_t sum;
    mtree_bandwidth_monitor_path_t paths[]; /* [hosts] */
} coll_mtree_taken_t;

/* The gauge of @a module, whose placement is known; the module's.  NULL: no memory. */
mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_get(mca_coll_mtree_module_t *module);

/* The same, NULL where nothing is gauged. */
mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_find(const mca_coll_mtree_module_t *module);

/* What passed since it was taken last; malloc'ed.  NULL: nothing is gauged yet, or no
 * memory. */
coll_mtree_taken_t *coll_mtree_bandwidth_monitor_take(mca_coll_mtree_module_t *module);

/* @a taken is to come again with what is taken next. */
void coll_mtree_bandwidth_monitor_put_back(mca_coll_mtree_module_t *module,
                                           const coll_mtree_taken_t *taken);

/* Free what a module holds for this. */
void coll_mtree_bandwidth_monitor_destroy(mca_coll_mtree_module_t *module);

/* With the component: progress is not looked at any more. */
void coll_mtree_bandwidth_monitor_close(void);

#endif
