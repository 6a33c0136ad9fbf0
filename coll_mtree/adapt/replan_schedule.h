/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When ranks begin a replan query, when its reply is due, and what follows from a reply
 * (coll_mtree/adapt/replan.h).
 *
 * Everything here but the rank samples is the same on all ranks, so that all ranks begin
 * and apply queries at the same point of the order of calls.  No Open MPI header is used.
 */
#ifndef COLL_MTREE_ADAPT_REPLAN_SCHEDULE_H
#define COLL_MTREE_ADAPT_REPLAN_SCHEDULE_H

#include "coll_mtree/adapt/traffic.h"
#include "coll_mtree/base/call_class.h"

/* From the number of the call at which a query begins to the first call that its reply
 * applies to. */
#define COLL_MTREE_REPLAN_PATIENCE 2

/* Bytes of calls per rank between two queries: a query takes less than a hundredth of
 * it. */
#define COLL_MTREE_BYTES_PER_RANK 45056

/* What rank 0 replies. */
typedef enum {
    COLL_MTREE_REPLY_STAY,
    COLL_MTREE_REPLY_RENEW, /* all plans of the communicator are given up */
    COLL_MTREE_REPLY_PLAN,  /* the payload is the new plan of the class */
    COLL_MTREE_REPLY_CHECK, /* the links are checked at the call that this applies to */
    COLL_MTREE_REPLY_MORE   /* too little was measured: measure on */
} coll_mtree_replan_reply_t;

/* What one rank contributes to a query; sent as it is. */
typedef struct {
    mtree_path_sample_t paths[COLL_MTREE_MOST_PATHS]; /* unused ones have rate 0 */
    float seconds;                                    /* for which calls ran */
    float unattended; /* nonblocking calls: the part of it without progress */
} coll_mtree_rank_sample_t;

/* Calls on one communicator that are numbered from 1 in an order that all ranks share. */
typedef struct {
    double query_bytes, query_seconds; /* a query is due after so much of both */
    double bytes, seconds; /* of measured calls since the last query began; seconds are
                              those that the plan predicts */
    long calls;            /* number of the last call */
} coll_mtree_replan_schedule_t;

/* Are calls of @a call_class measured?  @a enabled and @a deterministic are the
 * parameters: other plans would add sums in another order. */
bool coll_mtree_replan_is_monitored(const coll_mtree_call_class_t *call_class,
                                    bool enabled, bool deterministic);

/* The seconds that @a part predicts for calls, or that follow from its throughput for
 * @a bytes. */
double coll_mtree_replan_promised_seconds(const mtree_plan_part_t *part, double bytes);

/* Do calls of @a bytes over @a part take long enough to show the rates of links? */
bool coll_mtree_replan_shows_rates(const mtree_plan_part_t *part, double bytes);

/* No call yet, on a communicator of @a num_ranks; @a query_seconds may be 0. */
void coll_mtree_replan_schedule_init(coll_mtree_replan_schedule_t *schedule,
                                     int num_ranks, double query_seconds);

/* A measured call moved @a bytes, for which its plan predicts @a seconds. */
void coll_mtree_replan_schedule_add(coll_mtree_replan_schedule_t *schedule, double bytes,
                                    double seconds);

/* Is a query due?  If so, its number is that of the last call, and the sums begin at 0
 * again. */
bool coll_mtree_replan_schedule_take_query(coll_mtree_replan_schedule_t *schedule);

/* Does the reply to the query that began at call @a query apply to call @a call? */
bool coll_mtree_replan_reply_is_due(long query, long call);

/*
 * The gain from which on rank 0 changes plans of calls on one communicator, or of one
 * class.  Where results must keep their bits (@a keeps_order), which another plan
 * changes, this happens once (@a has_changed: it has).
 */
double coll_mtree_replan_least_gain(bool keeps_order, bool has_changed);

/* What samples of nonblocking calls are good for. */
typedef enum {
    COLL_MTREE_SAMPLES_NOTHING,    /* the plan is not one that changes */
    COLL_MTREE_SAMPLES_TOO_SHORT,  /* rates are too uncertain: measure on */
    COLL_MTREE_SAMPLES_UNATTENDED, /* what looks like a slow link may be a rank that
                                      computes: the context is not updated */
    COLL_MTREE_SAMPLES_USABLE
} coll_mtree_samples_use_t;

/* On rank 0, of @a samples [num_ranks] over @a plan (NULL: there is none). */
coll_mtree_samples_use_t
coll_mtree_replan_samples_use(const mtree_plan_t *plan,
                              const coll_mtree_rank_sample_t *samples, int num_ranks);

#endif
