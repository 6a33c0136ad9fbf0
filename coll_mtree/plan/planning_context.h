/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks: what rank 0 knows of the hosts that a group of processes runs on, and the
 * plans it made for them.  They are kept until the end of the job, so that communicators
 * of the same processes have them planned once.
 */
#ifndef COLL_MTREE_PLAN_PLANNING_CONTEXT_H
#define COLL_MTREE_PLAN_PLANNING_CONTEXT_H

#include "coll_mtree/base/call_class.h"
#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"
#include "simulate/forecast/forecast.h"

#include "topo/drift/drift.h"

typedef struct coll_mtree_planning_context coll_mtree_planning_context_t;

/* What a change of the network makes of plans. */
typedef enum {
    COLL_MTREE_STAY,
    COLL_MTREE_REBALANCE, /* the same trees with other shares */
    COLL_MTREE_REPLAN
} coll_mtree_change_t;

/*
 * The network of the processes of @a comm, by what they @a contribution [ranks] of their
 * hosts.  NULL, having said why, when mtree cannot serve them.
 */
coll_mtree_planning_context_t *
coll_mtree_planning_context_learn(ompi_communicator_t *comm,
                                  const coll_mtree_host_t *contribution);

/* What it is planned on: the topology, the vertices of its hosts [hosts] and where the
 * topology came from; the network's. */
const mtree_topology_t *
coll_mtree_planning_context_topology(const coll_mtree_planning_context_t *context,
                                     const int **vertices_p, const char **origin_p);

/* Number of hosts, and the host of each rank; the network's. */
int coll_mtree_planning_context_num_hosts(const coll_mtree_planning_context_t *context);
const int *
coll_mtree_planning_context_hosts(const coll_mtree_planning_context_t *context);

/*
 * A plan for calls of @a call_class as JSON, with at most @a max_trees trees (of one
 * root); the network's.  NULL, having said why, when there is none.  *forecast_p: what is
 * expected of it.
 */
const char *coll_mtree_planning_context_plan(coll_mtree_planning_context_t *context,
                                             ompi_communicator_t *comm,
                                             const coll_mtree_call_class_t *call_class,
                                             int max_trees, mtree_forecast_t *forecast_p);

/* The line of a communicator: its network, and what its first @a plan (NULL: there is
 * none) makes of it, of which @a forecast is told. */
void coll_mtree_planning_context_log(const coll_mtree_planning_context_t *context,
                                     ompi_communicator_t *comm, const mtree_plan_t *plan,
                                     mtree_forecast_t forecast);

/* How often the network was found to have changed so that plans were made anew. */
unsigned
coll_mtree_planning_context_version(const coll_mtree_planning_context_t *context);

/* What has become since @a version of the plans that were made for it. */
coll_mtree_change_t
coll_mtree_planning_context_change(const coll_mtree_planning_context_t *context,
                                   unsigned version);

/*
 * What was heard of the network in calls of @a call_class over @a plan: @a samples of @a
 * num_paces ways between its hosts.  Where it has changed such that another plan would be
 * clearly faster, plans are made anew and the version is a new one; returns it.
 */
unsigned coll_mtree_planning_context_update(coll_mtree_planning_context_t *context,
                                            ompi_communicator_t *comm,
                                            const coll_mtree_call_class_t *call_class,
                                            int max_trees, const mtree_plan_t *plan,
                                            const mtree_path_sample_t *samples,
                                            int num_samples);

/* What was heard last, *num_p ways between its hosts, malloc'ed; NULL with 0: nothing
 * yet, or no memory. */
mtree_path_sample_t *
coll_mtree_planning_context_path_samples(const coll_mtree_planning_context_t *context,
                                         int *num_p);

/* Free all networks. */
void coll_mtree_planning_context_close(void);

#endif
