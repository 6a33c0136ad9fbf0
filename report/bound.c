/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/bound.h"

#include "planner/bound/least_time.h"
#include "report/page.h"

static void write_bound(double seconds, mtree_bound_t by, const char *limit,
                        json_t *calls)
{
    json_object_set_new(calls, "bound_seconds", json_real(seconds));
    json_object_set_new(calls, "bound_by", json_string(mtree_bound_name(by)));
    if (limit != NULL) {
        json_object_set_new(calls, "bound_limit", json_string(limit));
    }
}

mtree_status_t mtree_report_bound(const mtree_report_plan_t *placed, double bytes,
                                  json_t *calls)
{
    const mtree_plan_t *plan = placed->plan;
    const mtree_least_time_call_t call = {.collective = plan->collective,
                                          .bytes = bytes,
                                          .cut = plan->bound,
                                          .limit = plan->limit,
                                          .num_relays = plan->num_relays};
    mtree_least_time_t time = {0};
    mtree_status_t status = MTREE_OK;

    if (placed->map == NULL || bytes <= 0) {
        return MTREE_OK;
    }
    if (mtree_collective_has_root(plan->collective) ||
        mtree_collective_is_prefix(plan->collective)) {
        if (plan->bound > 0) {
            write_bound(8 * bytes / plan->bound, MTREE_BOUND_CUT, plan->limit, calls);
        }
        return MTREE_OK;
    }
    status = mtree_least_time(placed->map->topology, placed->hosts,
                              mtree_plan_num_active(plan), &call, &time);
    if (status == MTREE_OK && time.seconds > 0) {
        write_bound(time.seconds, time.by, time.limit, calls);
    }
    mtree_least_time_clear(&time);
    return status;
}

double mtree_report_share_of_bound(json_t *calls)
{
    double bound = mtree_page_number(calls, "bound_seconds");
    double seconds =
        mtree_page_number(mtree_page_served_by(calls, "trees"), "slowest_rank_s");

    if (bound <= 0 || seconds <= 0) {
        return 0;
    }
    json_object_set_new(calls, "share_of_bound", json_real(bound / seconds));
    return bound / seconds;
}
