/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/server.h"

#include "coll_mtree/call/replan_schedule.h"

#include <math.h>

/* How many times as fast as the other backend @a backend is expected to be; 0: not known.
 * Where the user chose the plan nothing is compared. */
static double gain_of(coll_mtree_backend_t backend, mtree_forecast_t forecast)
{
    if (backend == COLL_MTREE_FALLBACK) {
        return forecast.fallback > 0 ? forecast.seconds / forecast.fallback : 0;
    }
    return forecast.seconds > 0 ? forecast.fallback / forecast.seconds : INFINITY;
}

void coll_mtree_server_decide(coll_mtree_server_t *server, bool has_plan,
                              mtree_forecast_t forecast, bool deterministic)
{
    bool may_change = !server->has_changed && !deterministic;

    server->is_decided = true;
    server->backend = has_plan && forecast.pays ? COLL_MTREE_TREES : COLL_MTREE_FALLBACK;
    server->reason = has_plan ? COLL_MTREE_REASON_FORECAST : COLL_MTREE_REASON_PLAN;
    if (server->is_ordered && server->backend != server->ordered_by &&
        (!may_change || gain_of(server->backend, forecast) <
                            coll_mtree_replan_least_gain(true, false))) {
        server->backend = server->ordered_by;
        server->reason = COLL_MTREE_REASON_ORDER;
    }
}

void coll_mtree_server_renew(coll_mtree_server_t *server)
{
    server->is_decided = false;
    server->has_changed = server->has_changed ||
                          (server->is_ordered && server->ordered_by == COLL_MTREE_TREES);
}

bool coll_mtree_server_note(coll_mtree_server_t *server, coll_mtree_backend_t backend)
{
    bool changes = server->is_ordered && server->ordered_by != backend;

    server->is_ordered = true;
    server->ordered_by = backend;
    server->has_changed = server->has_changed || changes;
    return changes;
}

bool coll_mtree_server_is_bound(const coll_mtree_server_t *server, bool keeps_order)
{
    return keeps_order && server->is_ordered && server->ordered_by == COLL_MTREE_TREES;
}

coll_mtree_backend_t coll_mtree_server_before(const coll_mtree_server_t *server,
                                              bool keeps_order)
{
    return keeps_order && server->is_ordered ? server->ordered_by : COLL_MTREE_TREES;
}
