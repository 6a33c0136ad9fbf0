/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double mtree_page_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

const char *mtree_page_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text == NULL ? "" : text;
}

double mtree_page_direction(const json_t *link, const char *key, size_t direction)
{
    return json_number_value(json_array_get(json_object_get(link, key), direction));
}

const json_t *mtree_page_served_by(const json_t *calls, const char *by)
{
    size_t i;
    json_t *served;

    json_array_foreach (json_object_get(calls, "served"), i, served) {
        if (strcmp(mtree_page_text(served, "by"), by) == 0) {
            return served;
        }
    }
    return NULL;
}

char *mtree_page_line_text(mtree_page_line_t line, const json_t *report, size_t number)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    if (file == NULL) {
        return NULL;
    }
    line(report, number, file);
    if (fclose(file) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

void mtree_page_job(const json_t *report, size_t unused, FILE *out)
{
    (void)unused;
    fprintf(out, "%s of %.0f ranks, begun %s, %s%s",
            json_is_true(json_object_get(report, "complete")) ? "A job" : "A running job",
            mtree_page_number(report, "ranks"), mtree_page_text(report, "started"),
            MTREE_UNITS_TIME(mtree_page_number(report, "elapsed_s")),
            json_is_true(json_object_get(report, "complete")) ? "" : " so far");
}

static void page_versions(const json_t *report, size_t unused, FILE *out)
{
    double ranks = mtree_page_number(report, "ranks");
    double reporting = mtree_page_number(report, "ranks_heard");

    (void)unused;
    fprintf(out, "mtree %s, Open MPI %s; times are those of rank 0",
            mtree_page_text(report, "mtree"), mtree_page_text(report, "open_mpi"));
    if (reporting > 1) {
        fprintf(out, ", ranks' means those of %.0f of %.0f ranks", reporting, ranks);
    }
}

/* A time of the ranks that were heard: their mean, the least and the most, none more than
 * the job has lasted. */
typedef struct {
    size_t ranks;
    double mean, least, most;
} spread_t;

static spread_t spread_of(const json_t *report, const char *key)
{
    const json_t *times = json_object_get(report, "times");
    double elapsed = mtree_page_number(report, "elapsed_s"), sum = 0;
    spread_t spread = {.ranks = json_array_size(times), .least = elapsed};

    for (size_t i = 0; i < spread.ranks; i++) {
        double seconds = fmin(mtree_page_number(json_array_get(times, i), key), elapsed);

        sum += seconds;
        spread.least = fmin(spread.least, seconds);
        spread.most = fmax(spread.most, seconds);
    }
    spread.mean = spread.ranks == 0 ? 0 : sum / (double)spread.ranks;
    return spread;
}

/* Sums over all calls that mtree served. */
typedef struct {
    double calls, bytes;
    double forecast_calls;    /* those whose time, with Open MPI, too, was predicted */
    double forecast, openmpi; /* seconds of these */
} sums_t;

/* Add @a calls.  Of calls that ran beside others the part of the forecasts counts that
 * the calls had of their time. */
static void add_served(const json_t *calls, sums_t *sums)
{
    const json_t *trees = mtree_page_served_by(calls, "trees");
    double count = mtree_page_number(trees, "calls");
    double seconds = mtree_page_number(trees, "seconds");
    double part = seconds > 0 ? mtree_page_number(trees, "shared_s") / seconds : 1;

    sums->calls += count;
    sums->bytes += mtree_page_number(trees, "bytes");
    if (json_object_get(calls, "openmpi_forecast_s") != NULL) {
        sums->forecast_calls += count;
        sums->forecast += part * count * mtree_page_number(calls, "forecast_s");
        sums->openmpi += part * count * mtree_page_number(calls, "openmpi_forecast_s");
    }
}

static sums_t sum_served(const json_t *report)
{
    sums_t sums = {0};
    size_t c, i;
    json_t *communicator, *calls;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
            add_served(calls, &sums);
        }
    }
    return sums;
}

void mtree_page_served(const json_t *report, size_t unused, FILE *out)
{
    spread_t spread = spread_of(report, "mtree_s");
    sums_t sums = sum_served(report);

    (void)unused;
    fprintf(out, "%s spent %s of %s in calls that mtree served",
            spread.ranks > 1 ? "Ranks" : "Rank 0", MTREE_UNITS_TIME(spread.mean),
            MTREE_UNITS_TIME(mtree_page_number(report, "elapsed_s")));
    if (spread.ranks > 1) {
        fprintf(out, " (mean of %zu, from %s to %s)", spread.ranks,
                MTREE_UNITS_TIME(spread.least), MTREE_UNITS_TIME(spread.most));
    }
    fprintf(out, ": %.0f call%s of rank 0, %s", sums.calls, sums.calls == 1 ? "" : "s",
            MTREE_UNITS_SIZE(sums.bytes));
}

void mtree_page_beside(const json_t *report, size_t unused, FILE *out)
{
    (void)unused;
    fprintf(
        out,
        "Beside that: %s of waiting for plans, %s of opening connections, %s in calls "
        "that Open MPI served",
        MTREE_UNITS_TIME(spread_of(report, "planning_s").mean),
        MTREE_UNITS_TIME(spread_of(report, "connecting_s").mean),
        MTREE_UNITS_TIME(spread_of(report, "openmpi_s").mean));
}

static bool any_disagrees(const json_t *report)
{
    size_t topologies = json_array_size(json_object_get(report, "topologies")), t = 0;

    while (t < topologies && !mtree_page_disagrees(report, t)) {
        t++;
    }
    return t < topologies;
}

void mtree_page_forecast(const json_t *report, size_t unused, FILE *out)
{
    sums_t sums = sum_served(report);

    (void)unused;
    if (any_disagrees(report)) {
        fputs("Forecast: none, as the map disagrees with the calls", out);
    } else if (sums.forecast_calls > 0) {
        fprintf(out,
                "Forecast, not measured: %.0f of these calls take %s with mtree, %s with "
                "Open MPI",
                sums.forecast_calls, MTREE_UNITS_TIME(sums.forecast),
                MTREE_UNITS_TIME(sums.openmpi));
    } else {
        fputs("Forecast: Open MPI's time for these calls was not predicted", out);
    }
}

static void page_work(const json_t *report, size_t unused, FILE *out)
{
    const json_t *totals = json_object_get(report, "totals");

    (void)unused;
    fprintf(out,
            "Rank 0 sent %.0f chunks, %s; %s for probing; its receive slots took %s at "
            "most; %.0f plans",
            mtree_page_number(totals, "chunks"),
            MTREE_UNITS_SIZE(mtree_page_number(totals, "chunk_bytes")),
            MTREE_UNITS_SIZE(mtree_page_number(totals, "probe_bytes")),
            MTREE_UNITS_SIZE(mtree_page_number(totals, "most_scratch_bytes")),
            mtree_page_number(totals, "plans"));
}

const mtree_page_line_t mtree_page_job_lines[] = {mtree_page_job,
                                                  mtree_page_served,
                                                  mtree_page_beside,
                                                  mtree_page_forecast,
                                                  page_versions,
                                                  page_work,
                                                  NULL};

void mtree_page_communicator(const json_t *report, size_t number, FILE *out)
{
    const json_t *communicator =
        json_array_get(json_object_get(report, "communicators"), number);
    double more = mtree_page_number(communicator, "communicators") - 1;

    fprintf(out, "%s: %.0f ranks", mtree_page_text(communicator, "name"),
            mtree_page_number(communicator, "ranks"));
    if (json_object_get(communicator, "hosts") != NULL) {
        fprintf(out, " on %.0f hosts", mtree_page_number(communicator, "hosts"));
    }
    if (more > 0) {
        fprintf(out, ", with %.0f more communicators of the same ranks", more);
    }
}

const char *mtree_page_calls_name(const json_t *calls, char *buffer, size_t length)
{
    const char *function = mtree_page_text(calls, "function");
    int used;

    if (strcmp(function, "barrier") == 0) {
        snprintf(buffer, length, "%s", function);
        return buffer;
    }
    used = snprintf(buffer, length, "%s %s-%s", function,
                    mtree_page_number(calls, "bytes_from") > 0
                        ? MTREE_UNITS_SIZE(mtree_page_number(calls, "bytes_from"))
                        : "0",
                    MTREE_UNITS_SIZE(mtree_page_number(calls, "bytes_to")));
    if (json_object_get(calls, "root") != NULL && used > 0 && (size_t)used < length) {
        snprintf(buffer + used, length - (size_t)used, " root %.0f",
                 mtree_page_number(calls, "root"));
    }
    return buffer;
}
