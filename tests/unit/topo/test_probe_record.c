/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/runner.h"
#include "topo/probe/probe.h"

static const mtree_probe_host_t hosts[] = {{"a", "192.0.2.1", 1e9},
                                           {"b", "192.0.2.2", 0}};

/* Two routers on the way from the first host, of which one is silent; no way back. */
static mtree_probe_result_t hop(const mtree_probe_experiment_t *experiment)
{
    mtree_probe_result_t result = {.address = "192.0.2.9"};

    result.answer = experiment->from == 1    ? MTREE_HOP_REFUSED
                    : experiment->limit == 1 ? MTREE_HOP_ROUTER
                    : experiment->limit == 2 ? MTREE_HOP_SILENT
                                             : MTREE_HOP_TARGET;
    return result;
}

/* A small probe, in whose first round the ping succeeds, and some of whose streams fail.
 * Returns the number of rounds. */
static int run_probe(FILE *log)
{
    const mtree_probe_options_t options = {.seconds = 5, .traces = true, .log = log};
    const mtree_probe_result_t rtt = {.least = 0.001, .median = 0.0015};
    const mtree_probe_result_t moved = {.num_samples = 2,
                                        .samples = {{0.25, 1e6}, {1, 4000001}}};
    const mtree_probe_result_t failed = {
        .failed = true, .least = 1, .num_samples = 1, .samples = {{1, 1}}};
    mtree_probe_round_t round;
    mtree_probe_t *probe;
    int rounds = 0;

    unit_ok(mtree_probe_create(hosts, 2, &options, &probe));
    mtree_probe_add_address(probe, 1, "198.51.100.2");
    for (;; ++rounds) {
        mtree_probe_result_t *results;

        unit_ok(mtree_probe_next(probe, &round));
        if (round.num_experiments == 0) {
            break;
        }
        results = calloc((size_t)round.num_experiments, sizeof(*results));
        for (int i = 0; i < round.num_experiments; ++i) {
            const mtree_probe_experiment_t *experiment = &round.experiments[i];

            results[i] = experiment->kind == MTREE_PROBE_TRACE  ? hop(experiment)
                         : experiment->kind == MTREE_PROBE_PING ? rtt
                         : (rounds + i) % 2 == 0                ? failed
                                                                : moved;
        }
        mtree_probe_record(probe, results,
                           round.experiments[0].kind == MTREE_PROBE_TRACE ? 0.1 : 0.5);
        free(results);
    }
    mtree_probe_destroy(probe);
    return rounds;
}

/* As the file says; what failed has no figures. */
UNIT_TEST(test_lines)
{
    char *text = NULL;
    size_t length = 0;
    FILE *log = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(log);
    ck_assert_int_gt(run_probe(log), 2);
    ck_assert_int_eq(fclose(log), 0);
    ck_assert_ptr_eq(strstr(text, "host a 192.0.2.1 1e+09\n"
                                  "host b 192.0.2.2 0\n"
                                  "address 1 198.51.100.2\n"
                                  "round 0 0.100000 routes, 2 questions\n"
                                  "round 1 0.100000 routes, 1 questions\n"
                                  "round 2 0.100000 routes, 1 questions\n"
                                  "route 0 1 192.0.2.9 -\n"
                                  "round 3 0.500000 latency of 1 pairs of hosts\n"
                                  "ping 0 1 0.001000 0.001500\n"
                                  "round 4 0.500000 "),
                     text);
    unit_has(text, " streams\nstream 0 1");
    unit_has(text, "\nstream 0 1 0.2500 1000000 1.0000 4000001\n");
    unit_has(text, "\nstream 0 1\n");
    free(text);
}

/* Who wants no record gives none to write to. */
UNIT_TEST(test_no_log)
{
    ck_assert_int_gt(run_probe(NULL), 2);
}
