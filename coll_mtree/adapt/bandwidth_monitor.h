/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bandwidth monitor of a communicator: what its calls over trees send to each host,
 * whatever form they have and however many run at once (schedule/bandwidth_monitor.h).
 *
 * It is made at the first nonblocking or persistent call that is monitored; from then on
 * each call of Open MPI's progress is noted.  While calls of two communicators are
 * monitored at once both count as unattended, because they share the links.
 */
#ifndef COLL_MTREE_ADAPT_BANDWIDTH_MONITOR_H
#define COLL_MTREE_ADAPT_BANDWIDTH_MONITOR_H

#include "coll_mtree/adapt/replan_schedule.h"
#include "coll_mtree/coll_mtree.h"

/* The monitor of @a module, whose placement is known; the module's. */
mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_get(mca_coll_mtree_module_t *module);

/* The traffic since it was taken last; the caller frees it.  NULL: there is no monitor
 * yet. */
coll_mtree_traffic_t *coll_mtree_bandwidth_monitor_take(mca_coll_mtree_module_t *module);

/* Add @a traffic, which was taken, to what is taken next. */
void coll_mtree_bandwidth_monitor_put_back(mca_coll_mtree_module_t *module,
                                           const coll_mtree_traffic_t *traffic);

/* Free what a module holds for this. */
void coll_mtree_bandwidth_monitor_destroy(mca_coll_mtree_module_t *module);

/* With the component: progress is noted no more. */
void coll_mtree_bandwidth_monitor_close(void);

#endif
