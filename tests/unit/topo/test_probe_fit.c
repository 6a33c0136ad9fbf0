/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/runner.h"
#include "topo/probe/bottleneck.h"
#include "topo/probe/fit.h"
#include "topo/probe/infer.h"

#define MARKS 21

/* Marks a twentieth of a second apart; @a rates are those of the intervals, Mb/s. */
static mtree_probe_rate_t fit(const double rates[MARKS - 1])
{
    mtree_probe_rate_sample_t samples[MARKS] = {{0, 0}};

    for (int i = 1; i < MARKS; ++i) {
        samples[i].seconds = 0.05 * i;
        samples[i].bytes = samples[i - 1].bytes + rates[i - 1] * 1e6 / 8 * 0.05;
    }
    return mtree_probe_fit_rate(&(mtree_probe_curve_t){MARKS, samples}, 1);
}

/* Where the rate is 100 Mb/s once what is left out is over. */
static const struct {
    double rates[MARKS - 1], tolerance; /* of bits/s */
    double least_spread, most_spread;
} curves[] = {
    /* A bucket that empties, a window that opens. */
    {{[0 ... 5] = 1000, [6 ... 19] = 100}, 1e3, 0, 1e-6},
    {{2, 4, 8, 16, 32, 64, [6 ... 19] = 100}, 1e3, 0, 1e-6},
    /* A window that is open after two thirds of the time only. */
    {{[0 ... 12] = 20, [13 ... 19] = 100}, 1e6, 0, 0.0199},
    /* A pause of a tenth of the time, in which nothing is sent: it says nothing of the
     * link, and the rate is not called steady. */
    {{[0 ... 14] = 100, [17 ... 19] = 100}, 1e6, 0.02, INFINITY},
};

UNIT_EACH(test_curves, curves)
{
    const mtree_probe_rate_t rate = fit(curves[_i].rates);

    ck_assert_double_eq_tol(rate.rate, 1e8, curves[_i].tolerance);
    ck_assert_double_ge(rate.spread, curves[_i].least_spread);
    ck_assert_double_le(rate.spread, curves[_i].most_spread);
    ck_assert(!rate.rising);
}

UNIT_TEST(test_rising)
{
    double rates[MARKS - 1];

    for (int i = 0; i < MARKS - 1; ++i) {
        rates[i] = 10 + 10 * i;
    }
    ck_assert(fit(rates).rising);
    /* The last of it counts. */
    ck_assert_double_eq_tol(fit(rates).rate, 182e6, 1e6);
}

UNIT_TEST(test_few_marks)
{
    const mtree_probe_rate_sample_t samples[] = {{0, 0}, {1, 1e6}};
    const mtree_probe_curve_t curve = {2, samples};

    ck_assert_double_eq_tol(mtree_probe_fit_rate(&curve, 1).rate, 8e6, 1);
}

/* Hosts 0 to 2 around a switch; 3 behind host 2. */
static mtree_probe_graph_t make_graph(void)
{
    static const int ways[][4] = {{0, 4, 1, -1}, {0, 4, 2, -1}, {1, 4, 2, -1},
                                  {2, 4, 0, -1}, {2, 3, -1, 0}, {0, 4, 2, 3}};
    mtree_probe_graph_t graph;

    mtree_probe_graph_init(&graph, 4);
    ck_assert_int_eq(mtree_probe_graph_add_switch(&graph, NULL), 4);
    for (int i = 0; i < 6; ++i) {
        int length = 0;

        while (length < 4 && ways[i][length] >= 0) {
            ++length;
        }
        mtree_probe_graph_add_path(&graph, ways[i], length);
    }
    mtree_probe_graph_index(&graph);
    return graph;
}

static double latency_of(const mtree_probe_graph_t *graph, const double *latency, int u,
                         int v)
{
    return latency[mtree_probe_graph_find_arc(graph, u, v) >> 1];
}

UNIT_TEST(test_latencies)
{
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph = make_graph();
    /* Links of 1, 2, 3 ms at the switch, 10 ms beyond; the last round trip does not fit.
     */
    const mtree_probe_rtt_t rtts[] = {{0, 1, 6e-3},  {0, 2, 8e-3},  {1, 2, 10e-3},
                                      {2, 3, 20e-3}, {0, 3, 28e-3}, {0, 1, 6e-3},
                                      {1, 2, 10e-3}, {0, 2, 30e-3}};
    double latency[4], error;

    mtree_probe_fit_latencies(&graph, rtts, 7, latency, &error);
    ck_assert_double_eq_tol(latency_of(&graph, latency, 0, 4), 1e-3, 1e-5);
    ck_assert_double_eq_tol(latency_of(&graph, latency, 1, 4), 2e-3, 1e-5);
    ck_assert_double_eq_tol(latency_of(&graph, latency, 4, 2), 3e-3, 1e-5);
    ck_assert_double_eq_tol(latency_of(&graph, latency, 2, 3), 10e-3, 1e-5);
    ck_assert_double_le(error, 1e-3);
    mtree_probe_fit_latencies(&graph, rtts, 8, latency, &error);
    ck_assert_double_eq_tol(latency_of(&graph, latency, 2, 3), 10e-3, 1e-3);
    ck_assert_double_ge(error, 0.05);
}

UNIT_TEST(test_inseparable_latencies)
{
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph = make_graph();
    const mtree_probe_rtt_t rtt = {0, 1, 6e-3};
    double latency[4];

    /* One round trip over two links: half each; what nothing crosses is 0. */
    mtree_probe_fit_latencies(&graph, &rtt, 1, latency, NULL);
    ck_assert_double_eq_tol(latency_of(&graph, latency, 0, 4), 1.5e-3, 1e-6);
    ck_assert_double_eq_tol(latency_of(&graph, latency, 4, 1), 1.5e-3, 1e-6);
    ck_assert_double_eq(latency_of(&graph, latency, 2, 3), 0);
}

UNIT_TEST(test_explain)
{
    UNIT_OWNED(mtree_arena_cleanup) mtree_arena_t scratch = {0};
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph = make_graph();
    /* 0 sends to 1 and 2 at once, then each alone: its own link is 100, that to 2 is 60;
     * that to 1 takes 100, and perhaps more. */
    const mtree_probe_rate_sample_t rises[] = {{0, 0}, {0.5, 1e6}, {0.8, 3e6}, {1, 6e6}};
    const mtree_probe_rate_sample_t at_50[] = {{0, 0}, {1, 50e6 / 8}};
    const mtree_probe_rate_sample_t at_60[] = {{0, 0}, {1, 60e6 / 8}};
    const mtree_probe_rate_sample_t at_100[] = {{0, 0}, {1, 100e6 / 8}};
    const mtree_probe_stream_t streams[] = {{0, 0, 1, false, {2, at_50}, {0, 0, false}},
                                            {0, 0, 2, false, {2, at_50}, {0, 0, false}},
                                            {1, 0, 1, false, {2, at_100}, {0, 0, false}},
                                            {2, 0, 2, false, {2, at_60}, {0, 0, false}},
                                            {3, 2, 3, false, {4, rises}, {0, 0, false}}};
    mtree_probe_arc_t arcs[8] = {0};
    int out = mtree_probe_graph_find_arc(&graph, 0, 4);
    int to_1 = mtree_probe_graph_find_arc(&graph, 4, 1);
    int to_2 = mtree_probe_graph_find_arc(&graph, 4, 2);
    int rising = mtree_probe_graph_find_arc(&graph, 2, 3);

    mtree_probe_bottleneck_explain(&graph, streams, 5, arcs, &scratch);
    ck_assert(arcs[out].known);
    ck_assert_double_eq_tol(arcs[out].value, 100e6, 1);
    ck_assert(arcs[to_2].known);
    ck_assert_double_eq_tol(arcs[to_2].value, 60e6, 1);
    ck_assert(!arcs[to_1].known);
    ck_assert_double_eq_tol(arcs[to_1].most, 100e6, 1);
    ck_assert(!arcs[rising].known);
    ck_assert_double_gt(arcs[rising].most, 0);
    ck_assert(!arcs[rising ^ 1].known);
    ck_assert_double_eq(arcs[rising ^ 1].most, 0);
}

/* Round trips of a busy machine, whose noise is as large as they are: of a group of hosts
 * and its complement the two that are nearest stay linked. */
UNIT_LOOP(test_noisy_round_trips, 2, 7)
{
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;
    mtree_probe_rtt_t rtts[15];
    int count = 0;

    for (int a = 0; a < _i; ++a) {
        for (int b = a + 1; b < _i; ++b) {
            rtts[count] = (mtree_probe_rtt_t){a, b, 1e-4 * (1 + 7 * count % 5)};
            ++count;
        }
    }
    unit_ok(mtree_probe_infer(_i, rtts, count, 1, &graph));
    ck_assert_int_eq(graph.num_paths, 2 * count);
}

/* Links that are kept beside a shorter detour: by 0's table packets to 4 go to 3, by that
 * of 3 they go to 0. */
UNIT_TEST(test_detours_that_go_round)
{
    const double ms[5][5] = {
        {0, 1, 3, 0.1, 4}, {0, 0, 1, 1.1, 3}, {0, 0, 0, 3.1, 1}, {0, 0, 0, 0, 4.1}};
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;
    mtree_probe_rtt_t rtts[10];
    int count = 0;

    for (int a = 0; a < 5; ++a) {
        for (int b = a + 1; b < 5; ++b) {
            rtts[count++] = (mtree_probe_rtt_t){a, b, 2e-3 * ms[a][b]};
        }
    }
    unit_ok(mtree_probe_infer(5, rtts, count, 0, &graph));
    ck_assert_int_eq(graph.num_paths, 2 * count);
}
