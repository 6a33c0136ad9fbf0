/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What follows from the counts of a report.
 */
#include "report/derive.h"
#include "report/page.h"
#include "report/report.h"
#include "tests/unit/runner.h"

#include "tests/unit/captured_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a - b - c, 100 bits/s and 40 bits/s; arcs 0 and 1 are a > b and back, 2 and 3 b > c and
 * back.  The plan is a chain from a. */
static const char report_text[] =
    "{'topologies': [{'name': 'line', 'origin': 'test', 'vertices': ["
    "{'name': 'a', 'host': 'a', 'kind': 'host'}, {'name': 'b', 'host': 'b', 'kind': "
    "'host'},"
    "{'name': 'c', 'host': 'c', 'kind': 'host'}], 'links': ["
    "{'from': 'a', 'to': 'b', 'capacity_bps': [100, 100], 'latency_s': 0.001},"
    "{'from': 'b', 'to': 'c', 'capacity_bps': [40, 40], 'latency_s': 0.001}]}],"
    "'plans': [{'topology': 0, 'collective': 'bcast', 'algorithm': 'hand', 'root': 'a',"
    "'throughput_bps': 40, 'bound_bps': 40, 'bytes': 4000, 'seconds': 800, 'hosts': "
    "['a', "
    "'b', 'c'], 'trees': [{'root': 'a', 'rate_bps': 40, 'share': 1, 'chunk_bytes': 0,"
    "'edges': [['a', 'b'], ['b', 'c']], 'latency_s': [0.001, 0.001]}]}],"
    "'communicators': [{'name': 'world', 'ranks': 3, 'topology': 0, 'hosts': 3,"
    "'vertices': [0, 1, 2], 'paths': [[0, 1, 30, 0, 0], [1, 2, 30, 0.9, 36]], 'calls': ["
    "{'function': 'bcast', 'root': 0, 'plan': 0, 'host_share': 1, 'planned_s': 800,"
    "'planned_openmpi_s': 1600, 'served': ["
    "{'by': 'trees', 'calls': 2, 'bytes': 12000, 'timed': 2, 'shared_s': 12000, "
    "'median_s': "
    "1400, 'slowest_rank_s': 2400}, {'by': 'openmpi', 'calls': 1, 'bytes': 6000, "
    "'timed': "
    "1, 'shared_s': 500}], 'fallbacks': []}]}], 'timeline': []}";

/* The report above, with @a with in the place of @a what, which is somewhere in it. */
static json_t *report_with(const char *what, const char *with)
{
    char text[4096];
    const char *at = strstr(report_text, what);
    json_t *report;

    ck_assert_ptr_nonnull(at);
    (void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - report_text), report_text,
                   with, at + strlen(what));
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    report = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(report);
    return report;
}

static json_t *first(const json_t *report, const char *list)
{
    return json_array_get(json_object_get(report, list), 0);
}

UNIT_TEST(links_carry_what_trees_put_on_them)
{
    json_t *report = report_with("'b'", "'b'"), *map, *link, *trees, *arcs;

    unit_ok(mtree_report_derive(report));
    map = first(report, "topologies");
    ck_assert_double_eq(mtree_page_number(map, "seconds"), 12000);
    for (size_t l = 0; l < 2; l++) {
        link = json_array_get(json_object_get(map, "links"), l);
        ck_assert_double_eq(mtree_page_direction(link, "bytes", 0), 12000);
        ck_assert_double_eq(mtree_page_direction(link, "bytes", 1), 0);
    }
    ck_assert_double_eq_tol(mtree_page_direction(link, "use", 0), 0.2, 1e-9);
    ck_assert_double_eq(mtree_page_direction(link, "gave_bps", 0), 36);
    ck_assert(json_is_true(json_array_get(json_object_get(link, "narrowest"), 0)));
    trees = json_object_get(first(report, "plans"), "trees");
    arcs = json_pack("[i, i]", 0, 2);
    ck_assert(json_equal(json_object_get(json_array_get(trees, 0), "arcs"), arcs));
    json_decref(arcs);
    json_decref(report);
}

UNIT_TEST(calls_have_sums_and_forecasts)
{
    json_t *report = report_with("'b'", "'b'"), *calls;

    unit_ok(mtree_report_derive(report));
    calls = first(first(report, "communicators"), "calls");
    ck_assert_double_eq(mtree_page_number(calls, "calls"), 3);
    ck_assert_double_eq(mtree_page_number(calls, "bytes"), 18000);
    ck_assert_double_eq(mtree_page_number(calls, "shared_s"), 12500);
    /* 6000 bytes on a mean: 2000 more than planned for, at 40 bits/s. */
    ck_assert_double_eq(mtree_page_number(calls, "forecast_s"), 1200);
    ck_assert_double_eq(mtree_page_number(calls, "openmpi_forecast_s"), 2400);
    /* One broadcast may follow another before that has ended. */
    ck_assert_double_eq(mtree_page_number(calls, "bound_seconds"), 1200);
    ck_assert_str_eq(mtree_page_text(calls, "bound_by"), "cut");
    ck_assert_double_eq(mtree_page_number(calls, "share_of_bound"), 0.5);
    json_decref(report);
}

UNIT_TEST(calls_of_all_ranks_have_the_least_time)
{
    json_t *report = report_with("'bcast', 'algorithm': 'hand', 'root': 'a'",
                                 "'allreduce', 'algorithm': 'hand', 'root': null"),
           *calls;

    unit_ok(mtree_report_derive(report));
    calls = first(first(report, "communicators"), "calls");
    ck_assert_double_eq_tol(mtree_page_number(calls, "bound_seconds"), 1200.002, 1e-9);
    ck_assert_str_eq(mtree_page_text(calls, "bound_by"), "flow");
    ck_assert_str_eq(mtree_page_text(calls, "bound_limit"), "the flow from a to c");
    ck_assert_double_eq_tol(mtree_page_number(calls, "share_of_bound"), 1200.002 / 2400,
                            1e-9);
    json_decref(report);
}

UNIT_TEST(without_a_forecast_nothing_is_said_of_open_mpi)
{
    json_t *report = report_with("'planned_openmpi_s': 1600, ", ""), *calls;

    unit_ok(mtree_report_derive(report));
    calls = first(first(report, "communicators"), "calls");
    ck_assert_ptr_null(json_object_get(calls, "openmpi_forecast_s"));
    json_decref(report);
}

/* What a path or the calls say of the line's second link, which has 40 bits/s. */
static const struct {
    const char *what, *with;
    double found; /* bits/s; 0: they agree */
} findings[] = {
    {"0.9, 36", "0.9, 21", 0},
    {"0.9, 36", "0.9, 19", 19},
    {"0.9, 36", "0.1, 19", 0}, /* too short a time */
    {"0.9, 36", "0.9, 79", 0},
    {"0.9, 36", "0.9, 81", 81},
    {"'bytes': 12000", "'bytes': 116000", 0},
    {"'bytes': 12000", "'bytes': 144000", 96},
};

UNIT_LOOP(what_calls_find_is_compared_with_the_map, 0,
          sizeof(findings) / sizeof(findings[0]))
{
    json_t *report = report_with(findings[_i].what, findings[_i].with), *map, *link;

    unit_ok(mtree_report_derive(report));
    map = first(report, "topologies");
    link = json_array_get(json_object_get(map, "links"), 1);
    ck_assert_double_eq_tol(mtree_page_direction(link, "found_bps", 0),
                            findings[_i].found, 1e-9);
    ck_assert_double_eq(mtree_page_direction(link, "found_bps", 1), 0);
    ck_assert(findings[_i].found == 0 || json_is_true(json_object_get(map, "disagrees")));
    json_decref(report);
}

/* It was changed while the job ran: that is what the calls found. */
UNIT_TEST(a_capacity_that_was_measured_is_compared_with_the_map)
{
    json_t *report = report_with("'capacity_bps': [40, 40]",
                                 "'map_bps': [85, 40], 'capacity_bps': [40, 40]");
    char said[512] = "";
    FILE *out = fmemopen(said, sizeof(said), "w");

    unit_ok(mtree_report_derive(report));
    ck_assert(mtree_page_disagrees(report, 0));
    mtree_page_disagreement(report, 0, out);
    (void)fclose(out);
    ck_assert_str_eq(
        said, "The map disagrees with the calls by more than a factor of two: b > c "
              "has 85 b/s, calls found 36 b/s. Measure the network: mtree probe");
    json_decref(report);
}

UNIT_TEST(a_link_that_is_gone_is_named)
{
    json_t *report =
        report_with("'links': [", "'links': [{'from': 'a', 'to': 'c', 'capacity_bps': "
                                  "[0, 0], 'map_bps': [9, 9], 'latency_s': 0.001}, ");
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    unit_ok(mtree_report_derive(report));
    mtree_report_print(report, out);
    (void)fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "\nGone, and left out of plans: a--c\n"));
    free(text);
    json_decref(report);
}

/* The bound of a call of 6000 bytes is 1200 s. */
UNIT_TEST(calls_that_are_quicker_than_possible_disagree)
{
    json_t *report = report_with("'slowest_rank_s': 2400", "'slowest_rank_s': 599");
    char said[512] = "";
    FILE *out = fmemopen(said, sizeof(said), "w");

    unit_ok(mtree_report_derive(report));
    mtree_page_disagreement(report, 0, out);
    (void)fclose(out);
    ck_assert_str_eq(
        said, "The map disagrees with the calls by more than a factor of two: bcast "
              "0-0 B root 0 took 599 s, on the map at least 1200 s. Measure the "
              "network: mtree probe");
    json_decref(report);
}

UNIT_TEST(calls_through_relays_are_those_that_were)
{
    json_t *report =
        report_with("'hosts': ['a', 'b', 'c']", "'hosts': ['a', 'c'], 'relays': ['b']");
    json_t *direct = json_deep_copy(first(report, "plans")), *map, *calls;

    json_object_del(direct, "relays");
    json_object_set_new(direct, "hosts", json_pack("[s, s, s]", "a", "b", "c"));
    json_array_append_new(json_object_get(report, "plans"), direct);
    calls = first(first(report, "communicators"), "calls");
    json_object_set_new(calls, "direct_plan", json_integer(1));
    json_object_set_new(calls, "relayed", json_integer(1));
    json_object_set_new(calls, "relayed_bytes", json_real(5000));
    unit_ok(mtree_report_derive(report));
    map = first(report, "topologies");
    ck_assert(json_is_true(
        json_object_get(json_array_get(json_object_get(map, "vertices"), 1), "relay")));
    ck_assert_double_eq(mtree_page_direction(first(map, "links"), "bytes", 0), 12000);
    json_decref(report);
}

/* What each of these makes of the report is told of in a line. */
static const struct {
    const char *what, *with, *line;
} faults[] = {
    {"'vertices': [0, 1, 2]", "'vertices': [0, 1, 3]", "communicator contradicts"},
    {"[[0, 1, 30", "[[0, 3, 30", "communicator contradicts"},
    {"[[0, 1, 30", "[[-1, 1, 30", "communicator contradicts"},
    {"'host': 'c'", "'host': 'd'", "plan contradicts its topology"},
    {"'to': 'c', 'cap", "'to': 'x', 'cap", "topology line is none"},
    {"'edges': [['a', 'b'], ", "'edges': [", "the report"},
};

UNIT_LOOP(a_report_that_contradicts_itself_is_refused, 0,
          sizeof(faults) / sizeof(faults[0]))
{
    json_t *report = report_with(faults[_i].what, faults[_i].with);

    heard_start();
    ck_assert_int_eq(mtree_report_derive(report), MTREE_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(heard_last(), faults[_i].line));
    json_decref(report);
}
