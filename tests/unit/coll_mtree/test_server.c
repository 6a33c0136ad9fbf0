/* SPDX-License-Identifier: BSD-3-Clause */
/* Who serves the calls of a class, and why it is the fallback. */
#include "coll_mtree/call/server.h"
#include "tests/unit/runner.h"

/* Open MPI takes twice as long, hardly longer, hardly less, and half as long. */
static const mtree_forecast_t faster = {.pays = true, .seconds = 1, .fallback = 2};
static const mtree_forecast_t close = {.pays = true, .seconds = 1, .fallback = 1.1};
static const mtree_forecast_t behind = {.seconds = 1.1, .fallback = 1};
static const mtree_forecast_t slower = {.seconds = 2, .fallback = 1};

/* Nothing is compared: the user chose the plan. */
static const mtree_forecast_t chosen = {.pays = true};

/* It is not known what Open MPI takes. */
static const mtree_forecast_t alone = {.pays = true, .seconds = 1};

/* A class of which calls that keep their order were served by @a backend. */
static coll_mtree_server_t ordered_by(coll_mtree_backend_t backend)
{
    coll_mtree_server_t server = {.is_decided = false};

    ck_assert(!coll_mtree_server_note(&server, backend));
    return server;
}

static coll_mtree_backend_t decided(coll_mtree_server_t server, mtree_forecast_t forecast,
                                    bool deterministic)
{
    coll_mtree_server_decide(&server, true, forecast, deterministic);
    ck_assert(server.is_decided);
    return server.backend;
}

enum { TREES = COLL_MTREE_TREES, FALLBACK = COLL_MTREE_FALLBACK };

/* Who serves where nothing is bound to an order, and where calls that keep their order
 * were served by the fallback, or by trees; then where all must be deterministic.  An
 * order stays unless another gains enough. */
static const struct {
    const mtree_forecast_t *forecast;
    int unbound, fallback, trees, deterministic_fallback, deterministic_trees;
} decisions[] = {
    {&faster, TREES, TREES, TREES, FALLBACK, TREES},
    {&close, TREES, FALLBACK, TREES, FALLBACK, TREES},
    {&alone, TREES, FALLBACK, TREES, FALLBACK, TREES},
    {&chosen, TREES, TREES, TREES, FALLBACK, TREES},
    {&behind, FALLBACK, FALLBACK, TREES, FALLBACK, TREES},
    {&slower, FALLBACK, FALLBACK, FALLBACK, FALLBACK, TREES},
};

UNIT_EACH(the_forecast_and_the_order_decide, decisions)
{
    const coll_mtree_server_t unbound = {.is_decided = false};
    const coll_mtree_server_t fallback = ordered_by(COLL_MTREE_FALLBACK);
    const coll_mtree_server_t trees = ordered_by(COLL_MTREE_TREES);
    const mtree_forecast_t forecast = *decisions[_i].forecast;

    ck_assert_int_eq(decided(unbound, forecast, false), decisions[_i].unbound);
    ck_assert_int_eq(decided(unbound, forecast, true), decisions[_i].unbound);
    ck_assert_int_eq(decided(fallback, forecast, false), decisions[_i].fallback);
    ck_assert_int_eq(decided(trees, forecast, false), decisions[_i].trees);
    ck_assert_int_eq(decided(fallback, forecast, true),
                     decisions[_i].deterministic_fallback);
    ck_assert_int_eq(decided(trees, forecast, true), decisions[_i].deterministic_trees);
}

UNIT_TEST(every_fallback_has_a_reason)
{
    coll_mtree_server_t server = {.is_decided = false};

    coll_mtree_server_decide(&server, true, slower, false);
    ck_assert_int_eq(server.reason, COLL_MTREE_REASON_FORECAST);
    server = (coll_mtree_server_t){.is_decided = false};
    coll_mtree_server_decide(&server, false, mtree_forecast_of(false), false);
    ck_assert_int_eq(server.backend, COLL_MTREE_FALLBACK);
    ck_assert_int_eq(server.reason, COLL_MTREE_REASON_PLAN);
    server = ordered_by(COLL_MTREE_FALLBACK);
    coll_mtree_server_decide(&server, true, close, false);
    ck_assert_int_eq(server.backend, COLL_MTREE_FALLBACK);
    ck_assert_int_eq(server.reason, COLL_MTREE_REASON_ORDER);
}

UNIT_TEST(an_order_changes_once)
{
    coll_mtree_server_t server = ordered_by(COLL_MTREE_FALLBACK);

    coll_mtree_server_decide(&server, true, faster, false);
    ck_assert(coll_mtree_server_note(&server, server.backend));
    ck_assert(!coll_mtree_server_note(&server, server.backend));
    coll_mtree_server_renew(&server);
    ck_assert(!server.is_decided);
    ck_assert_int_eq(decided(server, slower, false), COLL_MTREE_TREES);
    server = ordered_by(COLL_MTREE_TREES);
    ck_assert(coll_mtree_server_note(&server, COLL_MTREE_FALLBACK));
    ck_assert_int_eq(decided(server, faster, false), COLL_MTREE_FALLBACK);
}

/* Other trees combine in another order than those before. */
UNIT_TEST(another_plan_is_the_one_change)
{
    coll_mtree_server_t trees = ordered_by(COLL_MTREE_TREES);
    coll_mtree_server_t fallback = ordered_by(COLL_MTREE_FALLBACK);
    coll_mtree_server_t unordered = {.is_decided = true};

    coll_mtree_server_renew(&trees);
    ck_assert_int_eq(decided(trees, slower, false), COLL_MTREE_TREES);
    coll_mtree_server_renew(&fallback);
    ck_assert_int_eq(decided(fallback, faster, false), COLL_MTREE_TREES);
    coll_mtree_server_renew(&unordered);
    ck_assert_int_eq(decided(unordered, slower, false), COLL_MTREE_FALLBACK);
    ck_assert_int_eq(decided(unordered, faster, false), COLL_MTREE_TREES);
}

UNIT_TEST(a_call_that_cannot_wait_goes_over_a_plan_unless_it_keeps_another_order)
{
    const coll_mtree_server_t undecided = {.is_decided = false};
    const coll_mtree_server_t fallback = ordered_by(COLL_MTREE_FALLBACK);

    ck_assert_int_eq(coll_mtree_server_before(&undecided, true), COLL_MTREE_TREES);
    ck_assert_int_eq(coll_mtree_server_before(&fallback, false), COLL_MTREE_TREES);
    ck_assert_int_eq(coll_mtree_server_before(&fallback, true), COLL_MTREE_FALLBACK);
}

/* Nonblocking calls go over the default plan before any rank knows that there is none. */
UNIT_TEST(an_order_over_the_default_plan_stays)
{
    coll_mtree_server_t server = ordered_by(COLL_MTREE_TREES);

    ck_assert(coll_mtree_server_is_bound(&server, true));
    ck_assert(!coll_mtree_server_is_bound(&server, false));
    coll_mtree_server_decide(&server, false, mtree_forecast_of(false), false);
    ck_assert_int_eq(server.backend, COLL_MTREE_TREES);
    server = ordered_by(COLL_MTREE_FALLBACK);
    ck_assert(!coll_mtree_server_is_bound(&server, true));
}

UNIT_TEST(every_reason_has_a_name_and_a_text)
{
    for (int r = 0; r < COLL_MTREE_REASONS; r++) {
        coll_mtree_fallback_reason_t reason = (coll_mtree_fallback_reason_t)r;

        ck_assert_ptr_nonnull(coll_mtree_reason_name(reason));
        ck_assert_ptr_nonnull(coll_mtree_reason_text(reason));
    }
    ck_assert_str_eq(coll_mtree_reason_name(COLL_MTREE_REASON_FORECAST), "forecast");
    ck_assert_str_eq(coll_mtree_reason_text(COLL_MTREE_REASON_FORECAST),
                     "Open MPI was expected to be faster");
}
