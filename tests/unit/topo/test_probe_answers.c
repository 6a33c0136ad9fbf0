/* SPDX-License-Identifier: BSD-3-Clause */
/* What a probe says to its caller and its caller to it: arguments, the order of calls,
 * and answers of all kinds, none at all among them. */
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"

#include "base/random.h"
#include "topo/probe/probe.h"
#include "topo/routes.h"

OWNED_TYPE(probe)

static mtree_probe_t *create_pair(double seconds)
{
    const mtree_probe_host_t hosts[] = {{"a", "10.0.0.1", 1e9}, {"b", "10.0.0.2", 1e9}};
    const mtree_probe_options_t options = {.seconds = seconds};
    mtree_probe_t *probe;

    unit_ok(mtree_probe_create(hosts, 2, &options, &probe));
    return probe;
}

UNIT_TEST(test_arguments)
{
    const mtree_probe_host_t unnamed = {"", "10.0.0.1", 0};
    const mtree_probe_options_t options = {.seconds = 1};
    mtree_probe_t *probe;

    unit_invalid(mtree_probe_create(&unnamed, 1, &options, &probe));
    heard_is("host number 0 is called \"\", which is no name for a map");
    ck_assert_int_eq(mtree_probe_create(&unnamed, 0, &options, &probe), MTREE_ERR_LIMIT);
    ck_assert_int_eq(heard_lines(), 2);
}

/* Answers that cannot be count as none: a median below the least, samples that fall. */
UNIT_TEST(test_answers_that_cannot_be)
{
    OWNED(probe) *probe = create_pair(1);
    mtree_probe_result_t ping = {.least = 2e-3, .median = 1e-3};
    mtree_probe_result_t stream = {.num_samples = 3,
                                   .samples = {{0, 0}, {0.1, 2e6}, {0.2, 1e6}}};
    mtree_probe_findings_t findings;
    mtree_probe_round_t round;

    ck_assert_int_eq(mtree_probe_finish(probe, &findings), MTREE_ERR_UNREACHABLE);
    unit_ok(mtree_probe_next(probe, &round));
    ck_assert_int_eq(round.num_experiments, 1);
    ck_assert_int_eq(round.experiments[0].kind, MTREE_PROBE_PING);
    mtree_probe_record(probe, &ping, 0.01);
    unit_ok(mtree_probe_next(probe, &round));
    ck_assert_int_eq(round.experiments[0].kind, MTREE_PROBE_PING);
    ping = (mtree_probe_result_t){.least = 1e-3, .median = 2e-3};
    mtree_probe_record(probe, &ping, 0.01);
    unit_ok(mtree_probe_next(probe, &round));
    ck_assert_int_eq(round.experiments[0].kind, MTREE_PROBE_STREAM);
    while (round.num_experiments > 0) {
        mtree_probe_record(probe, &stream, 0.01);
        unit_ok(mtree_probe_next(probe, &round));
    }
    unit_ok(mtree_probe_finish(probe, &findings));
    ck_assert_int_eq(findings.links[0].capacity[0].basis, MTREE_PROBE_ASSUMED);
    mtree_probe_findings_clear(&findings);
    ck_assert_int_eq(heard_lines(), 1);
}

UNIT_TEST(test_nothing_works)
{
    /* All experiments fail: the probe ends, and says that it found nothing. */
    OWNED(probe) *probe = create_pair(1);
    mtree_probe_result_t result = {.failed = true};
    mtree_status_t status;
    mtree_probe_round_t round;
    int rounds = 0;

    while ((status = mtree_probe_next(probe, &round)) == MTREE_OK &&
           round.num_experiments > 0) {
        ck_assert_int_eq(round.num_experiments, 1);
        mtree_probe_record(probe, &result, 0.01);
        ck_assert_int_lt(++rounds, 100);
    }
    ck_assert_int_eq(status, MTREE_ERR_UNREACHABLE);
    ck_assert_int_eq(heard_lines(), 1);
}

UNIT_TEST(test_streams_that_stop)
{
    /* All bytes came before the first mark: that shows no rate. */
    OWNED(probe) *probe = create_pair(1);
    mtree_probe_result_t stopped = {.least = 1e-3,
                                    .median = 1e-3,
                                    .num_samples = 3,
                                    .samples = {{0, 1e6}, {0.1, 1e6}, {0.2, 1e6}}};
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;
    mtree_probe_round_t round;

    do {
        unit_ok(mtree_probe_next(probe, &round));
        if (round.num_experiments > 0) {
            mtree_probe_record(probe, &stopped, 0.01);
        }
    } while (round.num_experiments > 0);
    unit_ok(mtree_probe_finish(probe, &findings));
}

/* Routes within two sites alone join not all hosts: round trips tell of the network. */
UNIT_TEST(test_routes_that_join_not_all)
{
    const mtree_probe_options_t options = {.seconds = 5, .traces = true};
    const mtree_probe_host_t hosts[] = {
        {"a", "a", 0}, {"b", "b", 0}, {"c", "c", 0}, {"d", "d", 0}};
    const mtree_probe_result_t any = {.least = 1e-3,
                                      .median = 1e-3,
                                      .num_samples = 3,
                                      .samples = {{0, 0}, {0.1, 1e6}, {0.2, 2e6}}};
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;
    OWNED(probe) *probe = NULL;
    mtree_probe_round_t round;
    int from, to;

    unit_ok(mtree_probe_create(hosts, 4, &options, &probe));
    while (mtree_probe_next(probe, &round) == MTREE_OK && round.num_experiments > 0) {
        UNIT_FREED mtree_probe_result_t *results =
            calloc((size_t)round.num_experiments, sizeof(*results));

        for (int i = 0; i < round.num_experiments; ++i) {
            const mtree_probe_experiment_t *experiment = &round.experiments[i];

            results[i] = any;
            results[i].answer = experiment->to == (experiment->from ^ 1)
                                    ? MTREE_HOP_TARGET
                                    : MTREE_HOP_REFUSED;
        }
        mtree_probe_record(probe, results, 0.01);
    }
    unit_ok(mtree_probe_finish(probe, &findings));
    ck_assert(!findings.routes_known);
    unit_ok(mtree_topology_find_unreachable(findings.topology, &from, &to));
    heard_text("no route between a and c was traced");
}

/* Any answer that is of its form, of few addresses and silent routers, a round trip, or a
 * stream; or none. */
static void answer(mtree_random_t *random, mtree_probe_result_t *result)
{
    static const char *const addresses[] = {"h0", "h1", "h2", "r", "s", "t", "u"};

    result->answer = (mtree_traceroute_answer_t)mtree_random_below(random, 4);
    strcpy(result->address, addresses[mtree_random_below(random, 7)]);

    result->failed = mtree_random_below(random, 5) == 0;
    result->least = exp(-20 * mtree_random_fraction(random));
    result->median = result->least * (1 + mtree_random_fraction(random));
    result->num_samples =
        2 + (int)mtree_random_below(random, MTREE_PROBE_MAX_SAMPLES - 1);
    for (int i = 1; i < result->num_samples; ++i) {
        result->samples[i].seconds =
            result->samples[i - 1].seconds + 1e-6 + mtree_random_fraction(random);
        result->samples[i].bytes =
            result->samples[i - 1].bytes +
            (double)(mtree_random_next(random) >> (20 + mtree_random_below(random, 40)));
    }
}

UNIT_LOOP(test_any_answers, 0, unit_loops(20, 100))
{
    const mtree_probe_options_t options = {
        .seconds = 5, .seed = (unsigned)_i, .traces = _i % 4 != 0};
    mtree_probe_host_t hosts[9];
    char names[9][16];
    mtree_random_t random;
    mtree_probe_findings_t findings;
    mtree_probe_round_t round;
    OWNED(probe) *probe = NULL;
    mtree_status_t status;
    int i, num_hosts = 2 + _i % unit_loops(6, 8), rounds = 0;

    mtree_random_init(&random, (unsigned)_i);
    for (i = 0; i < num_hosts; ++i) {
        snprintf(names[i], sizeof(names[i]), "h%d", i);
        hosts[i] = (mtree_probe_host_t){names[i], names[i], 0};
    }
    unit_ok(mtree_probe_create(hosts, num_hosts, &options, &probe));
    while ((status = mtree_probe_next(probe, &round)) == MTREE_OK &&
           round.num_experiments > 0) {
        UNIT_FREED mtree_probe_result_t *results =
            calloc((size_t)round.num_experiments, sizeof(*results));

        for (i = 0; i < round.num_experiments; ++i) {
            answer(&random, &results[i]);
        }
        mtree_probe_record(probe, results, 0.01);
        ck_assert_int_lt(++rounds, 1000);
    }
    if (status == MTREE_OK) {
        status = mtree_probe_finish(probe, &findings);
    }
    if (status == MTREE_OK) {
        ck_assert_int_eq(mtree_topology_num_hosts(findings.topology), num_hosts);
        unit_ok(mtree_topology_find_unreachable(findings.topology, &i, &rounds));
        mtree_probe_findings_clear(&findings);
    } else {
        ck_assert_int_eq(status, MTREE_ERR_UNREACHABLE);
        ck_assert_int_ge(heard_lines(), 1);
    }
}

/* Seconds that all pings say a message costs, and what comes of it. */
static const struct {
    double said, cost;
} costs[] = {{7e-6, 7e-6}, {1e-9, 0.5e-6}, {1, 50e-6}, {0, 0}};

UNIT_EACH(test_the_cost_of_a_message_is_kept_within_limits, costs)
{
    const mtree_probe_options_t options = {.seconds = 5, .byte_seconds = 1};
    const mtree_probe_host_t hosts[] = {{"a", "a", 0}, {"b", "b", 0}, {"c", "c", 0}};
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;
    mtree_routes_t *routes = NULL;
    mtree_probe_round_t round;
    OWNED(probe) *probe = NULL;

    unit_ok(mtree_probe_create(hosts, 3, &options, &probe));
    while (mtree_probe_next(probe, &round) == MTREE_OK && round.num_experiments > 0) {
        UNIT_FREED mtree_probe_result_t *results =
            calloc((size_t)round.num_experiments, sizeof(*results));

        for (int i = 0; i < round.num_experiments; ++i) {
            results[i] = (mtree_probe_result_t){
                .failed = round.experiments[i].kind != MTREE_PROBE_PING,
                .least = 1e-3,
                .median = 1e-3,
                /* One is later than the others. */
                .send = costs[_i].said * (i == 0 ? 100 : 1)};
        }
        mtree_probe_record(probe, results, 0.01);
    }
    unit_ok(mtree_probe_finish(probe, &findings));
    /* What processors take for the two messages of a round trip, each at both ends, is no
     * latency. */
    unit_ok(mtree_routes_create(findings.topology, (const int[]){0, 1, 2}, 3, &routes));
    ck_assert_double_eq_tol(2 * mtree_routes_latency(routes, 0, 1),
                            1e-3 - 4 * costs[_i].cost, 5e-6);
    mtree_routes_destroy(routes);
    ck_assert_double_eq_tol(findings.topology->cost.message, costs[_i].cost, 1e-15);
    ck_assert_double_eq_tol(findings.topology->cost.byte, costs[_i].cost > 0 ? 8e-9 : 0,
                            1e-18);
}

UNIT_TEST(test_one_host)
{
    const mtree_probe_host_t host = {"a", "10.0.0.1", 0};
    const mtree_probe_options_t options = {.seconds = 1};
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;
    mtree_probe_round_t round;
    OWNED(probe) *probe = NULL;

    unit_ok(mtree_probe_create(&host, 1, &options, &probe));
    unit_ok(mtree_probe_next(probe, &round));
    ck_assert_int_eq(round.num_experiments, 0);
    unit_ok(mtree_probe_finish(probe, &findings));
    ck_assert_int_eq(findings.topology->num_vertices, 1);
}
