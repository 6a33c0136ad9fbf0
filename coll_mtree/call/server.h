/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who serves the calls of one class on a communicator: mtree over its plan, or the
 * fallback.
 *
 * Rank 0's forecast decides it when the class's plan comes, and all ranks learn it at the
 * same call.  It changes only with the plan.
 *
 * Calls that keep their order must give the same bits, so that they stay with who served
 * them before: the fallback, where it served while no topology was known, or mtree, where
 * nonblocking calls went over a plan that no rank had waited for.  That changes once,
 * where it gains enough.
 */
#ifndef COLL_MTREE_CALL_SERVER_H
#define COLL_MTREE_CALL_SERVER_H

#include "coll_mtree/base/counters.h"
#include "simulate/forecast/forecast.h"

#include <stddef.h>

/* Zeros at first.  The same on all ranks at the same call. */
typedef struct {
    bool is_decided;
    coll_mtree_backend_t backend;        /* once it is decided */
    coll_mtree_fallback_reason_t reason; /* why it is the fallback */
    bool is_ordered;                     /* calls that keep their order were served, */
    coll_mtree_backend_t ordered_by;     /* the last one by this backend */
    bool has_changed;                    /* the order of these */
} coll_mtree_server_t;

/* A plan has come, or @a has_plan is false, with rank 0's @a forecast.  With @a
 * deterministic no order changes. */
void coll_mtree_server_decide(coll_mtree_server_t *server, bool has_plan,
                              mtree_forecast_t forecast, bool deterministic);

/* The plan is given up; another one comes.  What went over it will be in another order.
 */
void coll_mtree_server_renew(coll_mtree_server_t *server);

/* A call that keeps its order is served by @a backend.  True when its order is another
 * than that of the calls before. */
bool coll_mtree_server_note(coll_mtree_server_t *server, coll_mtree_backend_t backend);

/* Must a call go over a plan, were it the default one, since those before it did? */
bool coll_mtree_server_is_bound(const coll_mtree_server_t *server, bool keeps_order);

/* What serves a call that cannot wait for the decision. */
coll_mtree_backend_t coll_mtree_server_before(const coll_mtree_server_t *server,
                                              bool keeps_order);

#endif
