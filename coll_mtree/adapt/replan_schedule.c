/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/replan_schedule.h"

#include <math.h>

/* Other bits are worth it from this gain on. */
#define LEAST_ORDER_GAIN 1.2

/* Part of the time that a rank may leave its calls unattended. */
#define MOST_UNATTENDED 0.1

bool coll_mtree_replan_is_monitored(const coll_mtree_call_class_t *call_class,
                                    bool enabled, bool deterministic)
{
    return enabled && call_class->bytes >= COLL_MTREE_MEASURABLE_BYTES &&
           !(deterministic && mtree_collective_reduces(call_class->collective));
}

double coll_mtree_replan_promised_seconds(const mtree_plan_part_t *part, double bytes)
{
    return part->seconds > 0 ? part->seconds : 8 * bytes / part->throughput;
}

bool coll_mtree_replan_shows_rates(const mtree_plan_part_t *part, double bytes)
{
    double latency = 0;

    for (int t = 0; t < part->num_trees; t++) {
        latency = fmax(latency, part->trees[t].latency);
    }
    return coll_mtree_replan_promised_seconds(part, bytes) >=
           COLL_MTREE_MEASURABLE_ROUND_TRIPS * 2 * latency;
}

void coll_mtree_replan_schedule_init(coll_mtree_replan_schedule_t *schedule,
                                     int num_ranks, double query_seconds)
{
    *schedule = (coll_mtree_replan_schedule_t){
        .query_bytes = (double)COLL_MTREE_BYTES_PER_RANK * num_ranks,
        .query_seconds = query_seconds};
}

void coll_mtree_replan_schedule_add(coll_mtree_replan_schedule_t *schedule, double bytes,
                                    double seconds)
{
    schedule->bytes += bytes;
    schedule->seconds += seconds;
}

bool coll_mtree_replan_schedule_take_query(coll_mtree_replan_schedule_t *schedule)
{
    if (schedule->bytes < schedule->query_bytes ||
        schedule->seconds < schedule->query_seconds) {
        return false;
    }
    schedule->bytes = schedule->seconds = 0;
    return true;
}

bool coll_mtree_replan_reply_is_due(long query, long call)
{
    return call >= query + COLL_MTREE_REPLAN_PATIENCE;
}

double coll_mtree_replan_least_gain(bool keeps_order, bool has_changed)
{
    return !keeps_order ? 0 : has_changed ? INFINITY : LEAST_ORDER_GAIN;
}

coll_mtree_samples_use_t
coll_mtree_replan_samples_use(const mtree_plan_t *plan,
                              const coll_mtree_rank_sample_t *samples, int num_ranks)
{
    if (plan == NULL || mtree_plan_num_steps(plan) > 0) {
        return COLL_MTREE_SAMPLES_NOTHING;
    }
    if ((double)samples[0].seconds < COLL_MTREE_MEASURABLE_SECONDS) {
        return COLL_MTREE_SAMPLES_TOO_SHORT;
    }
    for (int rank = 0; rank < num_ranks; rank++) {
        if ((double)samples[rank].unattended >
            MOST_UNATTENDED * (double)samples[rank].seconds) {
            return COLL_MTREE_SAMPLES_UNATTENDED;
        }
    }
    return COLL_MTREE_SAMPLES_USABLE;
}
