/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bound.h"

#include "base/units.h"

#include <stdio.h>

mtree_status_t bound_find(const planned_network_t *planned, double bytes, double cut,
                          const char *limit, const mtree_simulate_options_t *simulated,
                          mtree_least_time_t *time_p)
{
    const mtree_plan_request_t *request = &planned->request;
    mtree_least_time_call_t call = {.collective = request->collective,
                                    .root = request->root,
                                    .bytes = bytes,
                                    .cut = cut,
                                    .limit = limit,
                                    .num_relays = request->num_relays};

    if (planned->plan != NULL && planned->plan->num_relays > call.num_relays) {
        call.num_relays = planned->plan->num_relays;
    }
    if (simulated != NULL) {
        call.costs = mtree_simulate_costs(planned->topology, simulated);
        call.bytes = mtree_simulate_planned_bytes(request->collective, simulated,
                                                  planned->num_hosts);
    }
    return mtree_least_time(planned->topology, planned->hosts, planned->num_hosts, &call,
                            time_p);
}

void bound_print(const mtree_least_time_t *time)
{
    printf("%s, by %s: %s", MTREE_UNITS_TIME(time->seconds), mtree_bound_name(time->by),
           time->limit);
}

void bound_set_json(const mtree_least_time_t *time, json_t *object)
{
    if (time->seconds > 0.0) {
        json_object_set_new(object, "bound_seconds", json_real(time->seconds));
        json_object_set_new(object, "bound_by", json_string(mtree_bound_name(time->by)));
        json_object_set_new(object, "bound_limit", json_string(time->limit));
    }
}

double bound_share(const mtree_least_time_t *time, double seconds)
{
    return seconds > 0.0 ? time->seconds / seconds : 0.0;
}
