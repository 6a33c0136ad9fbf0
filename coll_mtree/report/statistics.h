/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics: what the calls of this process did.  Counters (coll_mtree/base/counters.h)
 * are always kept, and for a report (coll_mtree/report/report.h) what follows, per
 * process group (communicators of the same processes share it), call class, function and
 * backend. Counting sends no message.
 */
#ifndef COLL_MTREE_REPORT_STATISTICS_H
#define COLL_MTREE_REPORT_STATISTICS_H

#include "coll_mtree/base/call_clock.h"
#include "coll_mtree/base/class_table.h"
#include "coll_mtree/base/counters.h"
#include "coll_mtree/plan/planning_context.h"

#include "schedule/goodput.h"

#include <stdint.h>

/* Durations kept of the latest calls, for their median. */
#define COLL_MTREE_RECENT 128

/*
 * Calls that one backend served.  Seconds are this rank's, from the moment that the
 * call's plan was known and chosen to its end, without those in which connections were
 * opened (coll_mtree/base/call_clock.h).  Nonblocking calls of the fallback are counted,
 * not timed.
 */
typedef struct {
    uint64_t calls, timed;
    double bytes; /* of all calls: of the message, or of the whole result */
    double seconds, least, most;
    double shares; /* seconds, each shared by the calls that ran then */
    double recent[COLL_MTREE_RECENT]; /* [timed] the latest, in a ring */
} coll_mtree_durations_t;

/* A tree of a plan. */
typedef struct {
    double bytes;   /* of the message, over all calls */
    double seconds; /* from each call's beginning to its last message over the tree */
    double end;     /* clock of the latter, in the call at hand */
} coll_mtree_tree_sample_t;

typedef struct coll_mtree_record {
    struct coll_mtree_group *group;
    char key[96];         /* of the same calls on all ranks */
    const char *function; /* "allreduce", "allgatherv", ... */
    coll_mtree_call_class_t call_class;
    coll_mtree_durations_t by[COLL_MTREE_BACKENDS];
    uint64_t reason[COLL_MTREE_REASONS]; /* calls of the fallback */
    coll_mtree_tree_sample_t *trees; /* [num_trees] of the latest plan, calls over it but
                                 for the first, which opens connections */
    int num_trees;
    uint64_t over_plan;       /* calls over it */
    uint64_t relay_calls;     /* that passed through relays */
    double relay_bytes;       /* of them */
    mtree_plan_t *plan;       /* the latest, a reference; or NULL */
    mtree_plan_t *relay_plan; /* likewise the one with relays; NULL: there is none */
    /* Seconds that a call of the plan's bytes was expected to take when it was planned,
     * and by Open MPI; 0: not known. */
    double expected, openmpi;
    struct coll_mtree_record *next; /* in the order of their first calls */
} coll_mtree_record_t;

/* Groups with statistics of their own; the calls of later ones are counted together, in
 * one more group, which has no paths and no plans. */
#define COLL_MTREE_COUNTED_GROUPS 40
#define COLL_MTREE_LATER_GROUPS   "later communicators"

typedef struct coll_mtree_group {
    char key[24];                   /* the same on all ranks, too */
    uint64_t identity;              /* the same on all ranks; 0: later groups */
    int num_ranks, rank;            /* rank: this process's */
    int leader;                     /* rank 0's rank in MPI_COMM_WORLD */
    char name[MPI_MAX_OBJECT_NAME]; /* of the first of its communicators */
    int communicators;              /* that made calls */
    /* On its rank 0, while there are such communicators; NULL: not known. */
    const coll_mtree_planning_context_t *context;
    coll_mtree_record_t *records;
    mtree_path_total_t *paths; /* [num_ranks] from this process; NULL: nothing was sent */
    struct coll_mtree_group *next; /* in the order of their first calls */
} coll_mtree_group_t;

/* One call that is counted. */
typedef struct {
    coll_mtree_record_t *record; /* NULL: no report is wanted */
    coll_mtree_backend_t backend;
    double bytes;
    double served; /* on the clock */
    coll_mtree_call_state_t state;
    coll_mtree_call_reading_t reading; /* when it was served */
} coll_mtree_count_t;

/* From now on there are statistics for a report, and @a ended is called after the end of
 * each timed call, with the time. */
void coll_mtree_statistics_begin(void (*ended)(double now));

/* A call begins; it waits for its plan, or for what serves it. */
void coll_mtree_statistics_enter(coll_mtree_count_t *count);

/* What it is: a call of @a function, a string that stays, of @a comm_class and @a bytes.
 */
void coll_mtree_statistics_open(coll_mtree_count_t *count,
                                mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm, const char *function,
                                coll_mtree_comm_class_t *comm_class, double bytes);

/* What serves it, from now on; the fallback for @a reason. */
void coll_mtree_statistics_served(coll_mtree_count_t *count,
                                  coll_mtree_backend_t backend);
void coll_mtree_statistics_fell_back(coll_mtree_count_t *count,
                                     coll_mtree_fallback_reason_t reason);

/* It has passed through relays. */
void coll_mtree_statistics_by_relays(const coll_mtree_count_t *count);

/* It has ended: time it, if it has entered. */
void coll_mtree_statistics_close(coll_mtree_count_t *count);

/* Calls of @a call_class have @a plan now, and beside it @a relay_plan, the one with
 * relays; NULL: there is none.  @a forecast is that of the one which they go over. */
void coll_mtree_statistics_planned(mca_coll_mtree_module_t *module,
                                   ompi_communicator_t *comm,
                                   const coll_mtree_call_class_t *call_class,
                                   const mtree_plan_t *plan,
                                   const mtree_plan_t *relay_plan,
                                   const mtree_forecast_t *forecast);

/* A call over a plan that has ended. */
typedef struct {
    coll_mtree_record_t *record; /* NULL: no report is wanted */
    double began;                /* on the clock */
    int num_trees;               /* of the plan of its class */
} coll_mtree_transfer_record_t;

/* Add what it moved; @a unit_bytes: of data in a unit of @a layout, @a scale: in a byte
 * that @a goodput (NULL: not measured) counts. */
void coll_mtree_statistics_passed(const coll_mtree_transfer_record_t *transfer,
                                  const mtree_goodput_t *goodput,
                                  const mtree_layout_t *layout, double unit_bytes,
                                  double scale);

/* The median of the durations that @a durations keeps; 0: none. */
double coll_mtree_durations_median(const coll_mtree_durations_t *durations);

/* The first group; NULL: no calls yet.  Nothing is counted, and no context is destroyed,
 * until the unlock. */
const coll_mtree_group_t *coll_mtree_statistics_lock(void);
void coll_mtree_statistics_unlock(void);

/* Free all; nothing is counted any more. */
void coll_mtree_statistics_finish(void);

/* Register MPI_T's performance variables: this process's counters, each with a name of
 * its own that begins with coll_mtree_.  What fails is not there, as MPI_T tools expect.
 */
void coll_mtree_pvars_register(const mca_base_component_t *component);

#endif
