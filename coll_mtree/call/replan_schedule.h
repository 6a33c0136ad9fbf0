/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When ranks begin a replan query, what they contribute to it, when its reply is due, and
 * what follows from a reply (coll_mtree/call/plan_sequence.h).
 *
 * Traffic is what the calls of one process sent to other hosts in a stretch of time; it
 * shows the paths to them, for the drift of the network (topo/drift/drift.h).  Everything
 * else here is the same on all ranks, so that all ranks begin
 * and apply queries at the same point of the order of calls.  No Open MPI header is used.
 */
#ifndef COLL_MTREE_CALL_REPLAN_SCHEDULE_H
#define COLL_MTREE_CALL_REPLAN_SCHEDULE_H

#include "coll_mtree/base/class_table.h"
#include "coll_mtree/base/tuning.h"

#include "schedule/goodput.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"
#include "topo/drift/drift.h"

/* Paths that a rank reports: those whose links are gone or lost, then those that were
 * backlogged for longest. */
#define COLL_MTREE_MOST_PATHS 16

typedef struct {
    double seconds;             /* for which calls ran */
    mtree_path_total_t paths[]; /* [hosts] to each host */
} coll_mtree_traffic_t;

/* None yet, to @a num_hosts; the caller frees it. */
coll_mtree_traffic_t *coll_mtree_traffic_create(size_t num_hosts);

/* Add what a call sent from rank @a self, in @a goodput (NULL: it was not measured), of
 * which each byte is @a scale bytes of messages; @a host [ranks] is the host of each
 * rank.
 */
void coll_mtree_traffic_add_call(coll_mtree_traffic_t *traffic,
                                 const mtree_goodput_t *goodput, double scale,
                                 const int *host, int self);

/* Write @a traffic of rank @a rank as @a samples [COLL_MTREE_MOST_PATHS], with the state
 * of the @a links [hosts] to each host (NULL: all carry); unused ones have rate 0, as
 * have all where the traffic took no time. */
void coll_mtree_traffic_pack(const mtree_placement_t *placement, int rank,
                             const coll_mtree_traffic_t *traffic,
                             const mtree_link_state_t *links,
                             mtree_path_sample_t *samples);

/* Bytes of calls per rank between two queries, beside which a query costs nothing. */
#define COLL_MTREE_BYTES_PER_RANK                                                        \
    (COLL_MTREE_QUERY_GAP * COLL_MTREE_MOST_PATHS * sizeof(mtree_path_sample_t))

/* What rank 0 replies. */
typedef enum {
    COLL_MTREE_REPLY_STAY,  /* there is no other plan than before, or none at all */
    COLL_MTREE_REPLY_PLAN,  /* the payload is the plan of the class */
    COLL_MTREE_REPLY_CHECK, /* the links are checked at the call that this applies to */
    COLL_MTREE_REPLY_NEVER  /* mtree cannot serve the communicator */
} coll_mtree_replan_reply_t;

/* Are calls of @a call_class measured?  @a enabled and @a deterministic are the
 * parameters: other plans would add sums in another order. */
bool coll_mtree_replan_is_monitored(const coll_mtree_call_class_t *call_class,
                                    bool enabled, bool deterministic);

/* The seconds that @a part predicts for calls, or that follow from its throughput for
 * @a bytes. */
double coll_mtree_replan_promised_seconds(const mtree_plan_part_t *part, double bytes);

/* Do calls of @a bytes over @a part take long enough to show the rates of links? */
bool coll_mtree_replan_shows_rates(const mtree_plan_part_t *part, double bytes);

/* Is a query due on a communicator of @a num_ranks, whose measured calls since the last
 * one had @a bytes, for which plans predict @a seconds? */
bool coll_mtree_replan_query_is_due(double bytes, double seconds, int num_ranks);

/*
 * The gain from which on rank 0 changes plans of calls on one communicator.  Where
 * results must keep their bits (@a keeps_order), which another plan changes, this happens
 * once (@a has_changed: it has).
 */
double coll_mtree_replan_least_gain(bool keeps_order, bool has_changed);

#endif
