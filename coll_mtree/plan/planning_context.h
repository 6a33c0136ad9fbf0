/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning contexts: what rank 0 knows of the hosts of a process group
 * (coll_mtree/plan/proc_group.h), and the plans that it made for them.
 *
 * A context lives as long as its group, so that communicators of the same processes have
 * them planned once.  Plans are objects with a reference count; they become text in
 * files alone.  Those that contexts keep take coll_mtree_memory bytes at most: beyond
 * that the least recently used ones are freed, and made again when they are needed.
 *
 * Contexts change in the planning thread (coll_mtree/plan/plan_thread.h) alone: functions
 * that name it are called there.  The program's threads only read.
 */
#ifndef COLL_MTREE_PLAN_PLANNING_CONTEXT_H
#define COLL_MTREE_PLAN_PLANNING_CONTEXT_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/plan/plan_choice.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/topology/cache.h"

#include "topo/drift/link_check.h"

/* What threads of the program read of it changes only under the lock, below. */
typedef struct coll_mtree_planning_context {
    int num_procs;
    coll_mtree_host_numbers_t numbers; /* the group's */
    coll_mtree_plan_hosts_t hosts; /* topology NULL: mtree cannot serve these processes */
    const mtree_topology_t *map;   /* hosts.topology before anything was measured */
    int *vertices;                 /* [hosts.num_hosts] */
    coll_mtree_class_table_t plans; /* by host as root (planning_context_plans.c) */
    mtree_drift_t *drift;  /* owns the topology from the first samples on; or NULL */
    unsigned version;      /* of the network, from 0 */
    unsigned tree_version; /* the version since which trees stay as they are */
    unsigned gone_version; /* plans for earlier ones may use links that are gone */
    /* Of the topology, if it was learned; no hosts: the cache is not to be corrected. */
    mtree_cache_t learned;
    bool is_corrected;            /* capacities turned out to be others */
    mtree_path_sample_t *samples; /* [num_samples], the last ones; or NULL */
    int num_samples;
} coll_mtree_planning_context_t;

/*
 * In the planning thread: the context of @a group, the processes of @a comm, whose hosts
 * are known, made at the first call.  NULL, having logged why, when mtree cannot serve
 * them.
 */
coll_mtree_planning_context_t *
coll_mtree_planning_context_get(coll_mtree_proc_group_t *group,
                                ompi_communicator_t *comm);

/* The same from any thread; NULL as well when it has not been made yet. */
coll_mtree_planning_context_t *
coll_mtree_planning_context_of(const coll_mtree_proc_group_t *group);

/* @a call_class with a host as its root, and the bytes that a plan is for. */
coll_mtree_call_class_t
coll_mtree_planning_context_by_host(const coll_mtree_planning_context_t *context,
                                    const coll_mtree_call_class_t *call_class);

/* A plan for a call class; all zeros but for the forecast while there is none. */
typedef struct {
    coll_mtree_planning_context_t *context; /* NULL: mtree cannot serve the processes */
    mtree_plan_t *plan;       /* a reference; NULL: none could be made, which is logged */
    mtree_plan_t *relay_plan; /* likewise one by relays that is clearly faster; or NULL */
    unsigned version;         /* of the network that they are for */
    mtree_forecast_t forecast;       /* how fast the first is expected to be, */
    mtree_forecast_t relay_forecast; /* and the other */
} coll_mtree_planned_t;

/* In the planning thread: the plans for calls of @a call_class, made when there are none
 * for the network as it is, and for the relays that answer. */
coll_mtree_planned_t
coll_mtree_planning_context_plan(coll_mtree_planning_context_t *context,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_call_class_t *call_class);

/* What was measured of the paths between hosts. */
typedef struct {
    const mtree_path_sample_t *samples; /* [count] */
    int count;
    double slowness; /* time of the calls per predicted time; 0: not known */
    double seconds;  /* time of the calls */
} coll_mtree_path_samples_t;

/* The streams of a link check (topo/drift/link_check.h). */
typedef struct {
    mtree_link_stream_t *streams; /* [count], malloc'ed; or NULL */
    int count;
} coll_mtree_link_check_t;

/*
 * In the planning thread: take @a paths, measured in calls of @a call_class over @a plan,
 * and what the @a check that was run since the last update has measured (count 0: none
 * was).  Afterwards @a check is the one that is to be run (count 0: none).
 * Where the network has changed such that another plan is clearly faster, and at least @a
 * least_gain times as fast, a new version begins; so does one where a link is gone,
 * unless @a least_gain is infinite.  @a plan is for @a version.
 */
void coll_mtree_planning_context_update(coll_mtree_planning_context_t *context,
                                        ompi_communicator_t *comm,
                                        const coll_mtree_call_class_t *call_class,
                                        const mtree_plan_t *plan,
                                        const coll_mtree_path_samples_t *paths,
                                        coll_mtree_link_check_t *check, double least_gain,
                                        unsigned version);

/* Keep contexts and their topologies unchanged while the caller reads them. */
void coll_mtree_planning_context_lock(void);
void coll_mtree_planning_context_unlock(void);

/* planning_context_plans.c: free them. */
void coll_mtree_planning_context_free_plans(coll_mtree_planning_context_t *context);

/* With the group, for which no thread plans; NULL is allowed. */
void coll_mtree_planning_context_destroy(coll_mtree_planning_context_t *context);

#endif
