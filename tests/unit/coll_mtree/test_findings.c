/* SPDX-License-Identifier: BSD-3-Clause */
/* What a probe has found is written as a topology, with a comment on each figure. */
#include "coll_mtree/probe/findings.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

static mtree_topology_t *topology;
static mtree_probe_link_t links[1];

static void setup(void)
{
    topology = map_text("graph { a -- b [capacity=\"1Gbps\", latency=\"1ms\"]; }");
    links[0] =
        (mtree_probe_link_t){.capacity = {{.basis = MTREE_PROBE_MEASURED, .spread = 0.01},
                                          {.basis = MTREE_PROBE_AT_LEAST, .spread = 0.5}},
                             .latency = {.basis = MTREE_PROBE_ASSUMED, .spread = 1}};
}

static void teardown(void)
{
    mtree_topology_destroy(topology);
}

static char *text_of(bool routes_known, const char *load)
{
    mtree_probe_findings_t findings = {.topology = topology,
                                       .links = links,
                                       .bytes = 1 << 20,
                                       .routes_known = routes_known};
    char *text = coll_mtree_probe_findings_text(&findings, 2.5, load);

    ck_assert_ptr_nonnull(text);
    return text;
}

UNIT_TEST(each_figure_has_a_comment)
{
    UNIT_FREED char *text = text_of(true, NULL);

    unit_has(text, "// probed in 2.5 s with 1 MB; routes from the network\n");
    unit_has(text, "capacity measured within 1 %, at least within 50 %; "
                   "latency assumed within 100 %\n");
    free(text);
    text = text_of(false, NULL);
    unit_has(text, "; routes inferred from rates\n");
    free(text);
    text = text_of(true, "by chance");
    unit_has(text, "; routes from the network; under load: by chance\n");
}

UNIT_TEST(the_text_is_the_topology)
{
    UNIT_FREED char *text = text_of(true, NULL);
    OWNED(topology) *again = map_text(text);

    ck_assert_int_eq(again->num_links, 1);
    ck_assert_int_eq(again->num_vertices, 2);
    ck_assert_double_eq_tol(again->links[0].capacity[0], topology->links[0].capacity[0],
                            1);
}

/* Take part in the rounds of @a probe until streams are asked for. */
static void run_to_streams(mtree_probe_t *probe, mtree_probe_round_t *round)
{
    mtree_probe_result_t results[8] = {{.failed = false}};

    for (int i = 0; i < 8; i++) {
        results[i].least = results[i].median = 1e-3;
    }
    unit_ok(mtree_probe_next(probe, round));
    while (round->num_experiments > 0 &&
           round->experiments[0].kind != MTREE_PROBE_STREAM) {
        ck_assert_int_le(round->num_experiments, 8);
        mtree_probe_record(probe, results, 0.01);
        unit_ok(mtree_probe_next(probe, round));
    }
}

UNIT_TEST(what_was_measured_is_not_measured_again)
{
    const mtree_probe_host_t hosts[] = {{"a", "10.0.0.1", 0}, {"b", "10.0.0.2", 0}};
    const mtree_probe_options_t options = {.seconds = 5};
    mtree_probe_round_t round;
    mtree_probe_t *probe;
    UNIT_FREED char *text = text_of(true, NULL);

    unit_ok(mtree_probe_create(hosts, 2, &options, &probe));
    run_to_streams(probe, &round);
    ck_assert_int_eq(round.num_experiments, 1);
    ck_assert_int_eq(round.experiments[0].from, 0);
    mtree_probe_destroy(probe);
    /* The other direction was at least so fast, which was not measured. */
    unit_ok(mtree_probe_create(hosts, 2, &options, &probe));
    unit_ok(coll_mtree_probe_findings_reuse(text, probe));
    run_to_streams(probe, &round);
    ck_assert_int_eq(round.num_experiments, 1);
    ck_assert_int_eq(round.experiments[0].from, 1);
    mtree_probe_destroy(probe);
    ck_assert_int_ne(coll_mtree_probe_findings_reuse("nothing", NULL), MTREE_OK);
}

UNIT_FIXTURE(setup, teardown)
