/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the head of a report says: what was measured, and forecasts that are called so.
 */
#include "report/page.h"
#include "tests/unit/runner.h"

#include <string.h>

/* What @a line says of the report in @a text, in which ' stands for ". */
static const char *said(mtree_page_line_t line, const char *text)
{
    static char said[512];
    char copy[1024];
    json_t *report;
    FILE *out;

    (void)snprintf(copy, sizeof(copy), "%s", text);
    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    report = json_loads(copy, 0, NULL);
    ck_assert_ptr_nonnull(report);
    memset(said, 0, sizeof(said));
    out = fmemopen(said, sizeof(said) - 1, "w");
    ck_assert_ptr_nonnull(out);
    line(report, 0, out);
    (void)fclose(out);
    json_decref(report);
    return said;
}

#define CALLS(_trees, _forecasts)                                                        \
    "'communicators': [{'calls': [{'served': [{'by': 'trees', " _trees                   \
    "}, {'by': 'openmpi', 'calls': 9, 'bytes': 9, 'seconds': 9}]" _forecasts "}]}]"

UNIT_TEST(time_in_calls_is_that_of_the_ranks)
{
    ck_assert_str_eq(
        said(mtree_page_served,
             "{'elapsed_s': 10, 'times': [{'mtree_s': 2}, {'mtree_s': 4}]," CALLS(
                 "'calls': 7, 'bytes': 2048", "") "}"),
        "Ranks spent 3 s of 10 s in calls that mtree served (mean of 2, from 2 s to 4 "
        "s): 7 calls of rank 0, 2 KB");
    ck_assert_str_eq(
        said(mtree_page_served, "{'elapsed_s': 10, 'times': [{'mtree_s': 2}], " CALLS(
                                    "'calls': 1, 'bytes': 2048", "") "}"),
        "Rank 0 spent 2 s of 10 s in calls that mtree served: 1 call of "
        "rank 0, 2 KB");
}

/* A rank whose clock began a little before that of rank 0. */
UNIT_TEST(no_rank_spent_more_than_the_job_lasted)
{
    ck_assert_str_eq(
        said(mtree_page_served,
             "{'elapsed_s': 10, 'times': [{'mtree_s': 10.5}, {'mtree_s': 9}]}"),
        "Ranks spent 9.50 s of 10 s in calls that mtree served (mean of 2, from 9 s to "
        "10 s): 0 calls of rank 0, 0 B");
}

UNIT_TEST(what_is_beside_that_is_apart)
{
    ck_assert_str_eq(said(mtree_page_beside,
                          "{'elapsed_s': 10, 'times': [{'planning_s': 1, 'connecting_s': "
                          "2, 'openmpi_s': 3}, {'planning_s': 3, 'openmpi_s': 5}]}"),
                     "Beside that: 2 s of waiting for plans, 1 s of opening connections, "
                     "4 s in calls that Open MPI served");
}

UNIT_TEST(a_forecast_is_called_so)
{
    ck_assert_str_eq(
        said(mtree_page_forecast,
             "{" CALLS("'calls': 7, 'seconds': 14, 'shared_s': 14",
                       ", 'forecast_s': 2, 'openmpi_forecast_s': 3") "}"),
        "Forecast, not measured: 7 of these calls take 14 s with mtree, 21 s with Open "
        "MPI");
    ck_assert_str_eq(
        said(mtree_page_forecast, "{" CALLS("'calls': 7, 'seconds': 14, 'shared_s': 14",
                                            ", 'forecast_s': 2") "}"),
        "Forecast: Open MPI's time for these calls was not predicted");
}

/* Seven calls of 2 s each that overlapped took 3.5 s together. */
UNIT_TEST(calls_that_overlap_count_once_in_forecasts)
{
    ck_assert_str_eq(
        said(mtree_page_forecast,
             "{" CALLS("'calls': 7, 'seconds': 14, 'shared_s': 3.5",
                       ", 'forecast_s': 2, 'openmpi_forecast_s': 4") "}"),
        "Forecast, not measured: 7 of these calls take 3.50 s with mtree, 7 s with Open "
        "MPI");
}
