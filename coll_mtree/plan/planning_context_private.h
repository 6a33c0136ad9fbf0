/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of planning contexts share. */
#ifndef COLL_MTREE_PLAN_PLANNING_CONTEXT_PRIVATE_H
#define COLL_MTREE_PLAN_PLANNING_CONTEXT_PRIVATE_H

#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/plan/plan_store.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/topology/cache.h"

struct coll_mtree_planning_context {
    int num_procs;
    coll_mtree_host_numbers_t numbers; /* by the hosts' names in the topology */
    coll_mtree_plan_hosts_t hosts; /* topology NULL: mtree cannot serve these processes */
    const mtree_topology_t *map;   /* hosts.topology before anything was measured */
    int *vertices;                 /* [hosts.num_hosts] */
    const char *origin;            /* the topology's name in messages */
    coll_mtree_plan_store_t plans;
    mtree_drift_t *drift;  /* owns the topology from the first samples on; or NULL */
    unsigned version;      /* of the network, from 0 */
    unsigned tree_version; /* the version since which trees stay as they are */
    /* Of the topology, if it was learned; no hosts: the cache is not to be corrected. */
    coll_mtree_cached_hosts_t learned;
    bool is_corrected;            /* capacities turned out to be others */
    mtree_path_sample_t *samples; /* [num_samples], the last ones; or NULL */
    int num_samples;
};

/* planning_context.c: @a call_class with a host as its root, and the bytes that a plan is
 * for. */
coll_mtree_call_class_t
coll_mtree_planning_context_by_host(const coll_mtree_planning_context_t *context,
                                    const coll_mtree_call_class_t *call_class);

#endif
