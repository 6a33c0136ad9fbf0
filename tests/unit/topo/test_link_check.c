/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link checks: when calls are slow enough for one, which links it measures, and what
 * becomes of their capacities.
 */
#include "tests/unit/given.h"
#include "topo/drift/link_check.h"

static mtree_drift_t *drift;
static mtree_link_stream_t *streams;
static int num_streams;

/* Three hosts in a line, and a fourth behind a switch, with a cable to the first. */
static const char *text = "graph net {\n"
                          "    s [kind=switch];\n"
                          "    a -- b [capacity=\"30Mbps\" latency=\"1ms\"];\n"
                          "    b -- c [capacity=\"20Mbps\" latency=\"2ms\"];\n"
                          "    c -- s [capacity=\"10Mbps\" latency=\"1ms\"];\n"
                          "    s -- d [capacity=\"10Mbps\" latency=\"1ms\"];\n"
                          "    a -- d [capacity=\"10Mbps\" latency=\"2ms\""
                          " from_address=\"10.1.0.1\" to_address=\"10.1.0.2\"];\n"
                          "}\n";

static void setup(void)
{
    given(map_text(text));
    unit_ok(mtree_drift_create(topology, hosts, num_hosts, &drift));
    num_streams = mtree_link_check_streams(drift, &streams);
}

static void teardown(void)
{
    free(streams);
    mtree_drift_destroy(drift);
    forget();
}

/* The stream from host number @a from to @a to. */
static mtree_link_stream_t *stream_of(int from, int to)
{
    for (int i = 0; i < num_streams; i++) {
        if (streams[i].stream.from == from && streams[i].stream.to == to) {
            return &streams[i];
        }
    }
    ck_abort_msg("no stream from %d to %d", from, to);
    return NULL;
}

static double capacity_of(const mtree_link_stream_t *stream)
{
    return mtree_arc_capacity(mtree_drift_topology(drift), stream->arc);
}

/* Every stream measures what the topology says. */
static void measure_as_drawn(void)
{
    for (int i = 0; i < num_streams; i++) {
        streams[i].capacity = mtree_arc_capacity(topology, streams[i].arc);
    }
}

/* The streams have run while calls carried nothing. */
static mtree_drift_change_t check_update(void)
{
    return mtree_link_check_update(drift, streams, num_streams, NULL, 0);
}

/* Where acknowledgements would wait behind packets nothing runs at the same time. */
UNIT_TEST(opposite_streams_take_turns_and_share_the_bytes)
{
    mtree_probe_experiment_t runs[8];
    int count = 0;

    ck_assert_int_le(num_streams, 8);
    for (int turn = 0; turn < MTREE_LINK_CHECK_TURNS; turn++) {
        const mtree_probe_round_t round =
            mtree_link_check_round(streams, num_streams, turn, 8000, runs);

        for (int i = 0; i < round.num_experiments; i++) {
            ck_assert_uint_eq(runs[i].bytes, 8000 / (unsigned)num_streams);
            for (int k = 0; k < i; k++) {
                ck_assert(runs[i].from != runs[k].to || runs[i].to != runs[k].from);
            }
        }
        count += round.num_experiments;
    }
    ck_assert_int_eq(count, num_streams);
}

UNIT_TEST(a_stream_that_failed_shows_nothing)
{
    mtree_probe_result_t results[] = {{.num_samples = 40}, {.failed = true}};

    for (int i = 0; i < 40; i++) {
        results[0].samples[i] =
            (mtree_probe_rate_sample_t){.seconds = 0.01 * i, .bytes = 10000.0 * i};
    }
    for (int i = 0; i < num_streams; i++) {
        streams[i].turn = i > 1;
    }
    mtree_link_check_take(streams, num_streams, 0, results);
    ck_assert_double_eq_tol(streams[0].capacity, 8e6, 1e5);
    ck_assert_double_eq(streams[1].capacity, 0);
    ck_assert_double_eq(streams[2].capacity, 0);
}

/* The observations of slow calls until a check is due, the last one counted. */
static int wait_for_check(void)
{
    int observations = 1;

    while (!mtree_link_check_is_due(drift, 1.5, 0)) {
        observations++;
        ck_assert_int_lt(observations, 10000);
    }
    return observations;
}

UNIT_TEST(streams_go_both_ways_between_neighbours_without_cables)
{
    ck_assert_int_eq(num_streams, 4);
    unit_near(stream_of(0, 1)->stream.rtt, 0.002);
    unit_near(stream_of(2, 1)->stream.rtt, 0.004);
    ck_assert_int_eq(stream_of(1, 0)->arc, stream_of(0, 1)->arc ^ 1);
    ck_assert_double_eq(capacity_of(stream_of(1, 2)), 20e6);
}

static const struct {
    double slowness[4], seconds[4]; /* of observations, */
    int due;                        /* after so many of which a check is due */
} observations[] = {
    /* Two slow ones in a row. */
    {{1.5, 1.2, 1.5, 1.5}, {0}, 4},
    /* Of nonblocking calls beside blocking ones slowness is not known. */
    {{1.5, 0, 1.5}, {0}, 3},
    /* Links are checked once when that costs little: of links of 2 ms one way a check
     * takes two turns of 0.254 s. */
    {{1, 1, 1}, {6, 4, 0.2}, 3},
    /* A measured map is not checked without slow calls. */
    {{0}, {0}, 0},
};

UNIT_EACH(a_check_is_due, observations)
{
    const int due = observations[_i].due;

    for (int i = 0; i < due; i++) {
        ck_assert_msg(mtree_link_check_is_due(drift, observations[_i].slowness[i],
                                              observations[_i].seconds[i]) ==
                          (i + 1 == due),
                      "of %d, observation %d", due, i + 1);
    }
    for (int i = 0; i < 100; i++) {
        ck_assert(!mtree_link_check_is_due(drift, 1.0,
                                           observations[_i].seconds[0] > 0 ? 100.0 : 0));
    }
}

/* One stream that loses packets carries less than the calls do. */
UNIT_TEST(a_link_carries_what_calls_carry)
{
    const mtree_path_sample_t samples[] = {{.from = 0, .to = 1, .rate = 28.5e6f},
                                           {.from = 1, .to = 2, .rate = 11.4e6f},
                                           {.from = 2, .to = 1, .rate = 11.4e6f}};

    measure_as_drawn();
    stream_of(0, 1)->capacity = 2e6;
    stream_of(1, 2)->capacity = 2e6;
    stream_of(2, 1)->capacity = 14e6;
    ck_assert_int_eq(mtree_link_check_update(drift, streams, num_streams, samples, 3),
                     MTREE_DRIFT_LARGE);
    ck_assert_double_eq(capacity_of(stream_of(0, 1)), 30e6);
    ck_assert_double_eq_tol(capacity_of(stream_of(1, 2)), 12e6, 10.0);
    ck_assert_double_eq(capacity_of(stream_of(2, 1)), 14e6);
}

UNIT_TEST(checks_that_find_nothing_become_rare)
{
    int first = wait_for_check(), second, third;

    measure_as_drawn();
    ck_assert_int_eq(check_update(), MTREE_DRIFT_NOTHING);
    ck_assert_str_eq(mtree_drift_change_summary(drift), "");
    second = wait_for_check();
    ck_assert_int_gt(second, 2 * first);
    check_update();
    third = wait_for_check();
    ck_assert_int_gt(third, second);
    /* One that finds something makes the next one come early again. */
    streams[0].capacity *= 2;
    check_update();
    (void)wait_for_check();
    ck_assert_int_lt(wait_for_check(), third);
}

UNIT_TEST(capacities_are_raised_and_lowered_at_once)
{
    measure_as_drawn();
    stream_of(0, 1)->capacity = 45e6;
    stream_of(2, 1)->capacity = 12e6;
    ck_assert_int_eq(check_update(), MTREE_DRIFT_LARGE);
    ck_assert_double_eq(capacity_of(stream_of(0, 1)), 45e6);
    ck_assert_double_eq(capacity_of(stream_of(1, 0)), 30e6);
    ck_assert_double_eq(capacity_of(stream_of(2, 1)), 12e6);
    unit_has(mtree_drift_change_summary(drift), "a->b gives 45 Mb/s, not 30 Mb/s");
    unit_has(mtree_drift_change_summary(drift), "c->b gives 12 Mb/s, not 20 Mb/s");
}

UNIT_TEST(what_was_not_measured_or_is_about_the_same_stays)
{
    stream_of(0, 1)->capacity = 30.6e6;
    stream_of(1, 2)->capacity = 0;
    ck_assert_int_eq(check_update(), MTREE_DRIFT_NOTHING);
    ck_assert_double_eq(capacity_of(stream_of(0, 1)), 30e6);
    ck_assert_double_eq(capacity_of(stream_of(1, 2)), 20e6);
}

UNIT_TEST(of_many_changes_the_greatest_is_described)
{
    measure_as_drawn();
    for (int i = 0; i < num_streams; i++) {
        streams[i].capacity *= 1.5;
    }
    stream_of(1, 2)->capacity = 5e6;
    check_update();
    ck_assert_str_eq(mtree_drift_change_summary(drift),
                     "4 of 4 links give other rates; b->c gives 5 Mb/s, not 20 Mb/s");
}

UNIT_FIXTURE(setup, teardown)
