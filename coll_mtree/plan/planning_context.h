/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning contexts: what rank 0 knows of the hosts of a process group
 * (coll_mtree/plan/proc_group.h), and the plans that it made for them.
 *
 * A context lives until the component closes, so that communicators of the same processes
 * have them planned once.  Plans are objects with a reference count; they become text on
 * the wire and in files alone.  Any thread may call; one at a time learns and plans.
 */
#ifndef COLL_MTREE_PLAN_PLANNING_CONTEXT_H
#define COLL_MTREE_PLAN_PLANNING_CONTEXT_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/plan/plan_choice.h"

#include "topo/drift/drift.h"

typedef struct coll_mtree_planning_context coll_mtree_planning_context_t;

/*
 * The context of the processes of @a comm, made from their hosts @a contributions [ranks]
 * at the first call.  NULL, having logged why, when mtree cannot serve them.
 */
coll_mtree_planning_context_t *
coll_mtree_planning_context_get(ompi_communicator_t *comm,
                                const coll_mtree_host_t *contributions);

/* The hosts that are planned for, with the topology as it is believed to be now; the
 * context's. */
const coll_mtree_plan_hosts_t *
coll_mtree_planning_context_hosts(const coll_mtree_planning_context_t *context);

/* The host of each rank; the context's. */
const int *
coll_mtree_planning_context_host_of(const coll_mtree_planning_context_t *context);

/* Where the topology came from, for messages; the context's. */
const char *
coll_mtree_planning_context_origin(const coll_mtree_planning_context_t *context);

/*
 * A reference, which is the caller's, to the plan for calls of @a call_class, made when
 * there is none for the network as it is, with at most @a max_trees trees per root.
 * NULL, having logged why, when there is none.  *forecast_p: how fast it is expected to
 * be.
 */
mtree_plan_t *coll_mtree_planning_context_plan(coll_mtree_planning_context_t *context,
                                               ompi_communicator_t *comm,
                                               const coll_mtree_call_class_t *call_class,
                                               int max_trees,
                                               mtree_forecast_t *forecast_p);

/* Log the line of a communicator: its hosts, and its first @a plan (NULL: there is none)
 * with its @a forecast. */
void coll_mtree_planning_context_log(const coll_mtree_planning_context_t *context,
                                     ompi_communicator_t *comm, const mtree_plan_t *plan,
                                     mtree_forecast_t forecast);

/* How often the network changed so that plans are made anew. */
unsigned
coll_mtree_planning_context_version(const coll_mtree_planning_context_t *context);

/* What has become of the plans of @a version since then. */
coll_mtree_change_t
coll_mtree_planning_context_change(const coll_mtree_planning_context_t *context,
                                   unsigned version);

/*
 * Take @a samples [num_samples] of the paths between hosts, measured in calls of @a
 * call_class over @a plan.  Where the network has changed such that another plan is
 * clearly faster, a new version begins.  Returns the version.
 */
unsigned coll_mtree_planning_context_update(coll_mtree_planning_context_t *context,
                                            ompi_communicator_t *comm,
                                            const coll_mtree_call_class_t *call_class,
                                            int max_trees, const mtree_plan_t *plan,
                                            const mtree_path_sample_t *samples,
                                            int num_samples);

/* A copy of the last samples, *num_p of them, malloc'ed; NULL with 0: none yet, or no
 * memory. */
mtree_path_sample_t *
coll_mtree_planning_context_path_samples(const coll_mtree_planning_context_t *context,
                                         int *num_p);

/* With the component: free all contexts. */
void coll_mtree_planning_context_close(void);

#endif
