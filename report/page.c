/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

/* Uses that differ by less are the same: those of trees are sums of rounded shares. */
#define SAME_USE 1.000001

/* A link that was full for less of the time is not called slow. */
#define LEAST_FULL 0.2

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

static const char *time_text(double seconds, char *buffer)
{
    return mtree_units_format_time(seconds, buffer, MTREE_UNITS_LENGTH);
}

static const char *size_text(double bytes, char *buffer)
{
    return mtree_units_format_size(bytes, buffer, MTREE_UNITS_LENGTH);
}

void mtree_page_job(const json_t *report, size_t unused, FILE *out)
{
    char elapsed[MTREE_UNITS_LENGTH];

    (void)unused;
    fprintf(out, "%s of %.0f ranks, begun %s, %s%s",
            json_is_true(json_object_get(report, "complete")) ? "A job" : "A running job",
            mtree_page_number(report, "ranks"), mtree_page_text(report, "started"),
            time_text(mtree_page_number(report, "elapsed_s"), elapsed),
            json_is_true(json_object_get(report, "complete")) ? "" : " so far");
}

void mtree_page_versions(const json_t *report, size_t unused, FILE *out)
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
    char mean[MTREE_UNITS_LENGTH], least[MTREE_UNITS_LENGTH], most[MTREE_UNITS_LENGTH],
        elapsed[MTREE_UNITS_LENGTH], bytes[MTREE_UNITS_LENGTH];

    (void)unused;
    fprintf(out, "%s spent %s of %s in calls that mtree served",
            spread.ranks > 1 ? "Ranks" : "Rank 0", time_text(spread.mean, mean),
            time_text(mtree_page_number(report, "elapsed_s"), elapsed));
    if (spread.ranks > 1) {
        fprintf(out, " (mean of %zu, from %s to %s)", spread.ranks,
                time_text(spread.least, least), time_text(spread.most, most));
    }
    fprintf(out, ": %.0f call%s of rank 0, %s", sums.calls, sums.calls == 1 ? "" : "s",
            size_text(sums.bytes, bytes));
}

void mtree_page_beside(const json_t *report, size_t unused, FILE *out)
{
    char planning[MTREE_UNITS_LENGTH], connecting[MTREE_UNITS_LENGTH],
        openmpi[MTREE_UNITS_LENGTH];

    (void)unused;
    fprintf(
        out,
        "Beside that: %s of waiting for plans, %s of opening connections, %s in calls "
        "that Open MPI served",
        time_text(spread_of(report, "planning_s").mean, planning),
        time_text(spread_of(report, "connecting_s").mean, connecting),
        time_text(spread_of(report, "openmpi_s").mean, openmpi));
}

void mtree_page_forecast(const json_t *report, size_t unused, FILE *out)
{
    sums_t sums = sum_served(report);
    char ours[MTREE_UNITS_LENGTH], theirs[MTREE_UNITS_LENGTH];

    (void)unused;
    if (sums.forecast_calls > 0) {
        fprintf(out,
                "Forecast, not measured: %.0f of these calls take %s with mtree, %s with "
                "Open MPI",
                sums.forecast_calls, time_text(sums.forecast, ours),
                time_text(sums.openmpi, theirs));
    } else {
        fputs("Forecast: Open MPI's time for these calls was not predicted", out);
    }
}

void mtree_page_work(const json_t *report, size_t unused, FILE *out)
{
    const json_t *totals = json_object_get(report, "totals");
    char bytes[MTREE_UNITS_LENGTH], probe[MTREE_UNITS_LENGTH],
        scratch[MTREE_UNITS_LENGTH];

    (void)unused;
    fprintf(out,
            "Rank 0 sent %.0f chunks, %s; %s for probing; its receive slots took %s at "
            "most; %.0f plans",
            mtree_page_number(totals, "chunks"),
            size_text(mtree_page_number(totals, "chunk_bytes"), bytes),
            size_text(mtree_page_number(totals, "probe_bytes"), probe),
            size_text(mtree_page_number(totals, "most_scratch_bytes"), scratch),
            mtree_page_number(totals, "plans"));
}

void mtree_page_topology(const json_t *report, size_t number, FILE *out)
{
    const json_t *topology =
        json_array_get(json_object_get(report, "topologies"), number);
    const json_t *vertices = json_object_get(topology, "vertices");
    size_t count = json_array_size(vertices), hosts = 0;

    for (size_t i = 0; i < count; i++) {
        hosts +=
            strcmp(mtree_page_text(json_array_get(vertices, i), "kind"), "host") == 0;
    }
    fprintf(out, "%s: %zu hosts, ", mtree_page_text(topology, "name"), hosts);
    if (hosts < count) {
        fprintf(out, "%zu switches, ", count - hosts);
    }
    fprintf(out, "%zu links, from %s",
            json_array_size(json_object_get(topology, "links")),
            mtree_page_text(topology, "origin"));
}

/* The first relay among @a vertices from number @a from on; their number: none. */
static size_t next_relay(const json_t *vertices, size_t from)
{
    while (from < json_array_size(vertices) &&
           !json_is_true(json_object_get(json_array_get(vertices, from), "relay"))) {
        from++;
    }
    return from;
}

static const json_t *vertices_of(const json_t *report, size_t topology)
{
    return json_object_get(
        json_array_get(json_object_get(report, "topologies"), topology), "vertices");
}

bool mtree_page_has_relays(const json_t *report, size_t topology)
{
    const json_t *vertices = vertices_of(report, topology);

    return next_relay(vertices, 0) < json_array_size(vertices);
}

void mtree_page_relays(const json_t *report, size_t topology, FILE *out)
{
    const json_t *vertices = vertices_of(report, topology);
    const char *lead = "Relays: ";

    for (size_t v = next_relay(vertices, 0); v < json_array_size(vertices);
         v = next_relay(vertices, v + 1)) {
        fprintf(out, "%s%s", lead, mtree_page_text(json_array_get(vertices, v), "name"));
        lead = ", ";
    }
}

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
    char low[MTREE_UNITS_LENGTH], high[MTREE_UNITS_LENGTH];
    const char *function = mtree_page_text(calls, "function");
    int used;

    if (strcmp(function, "barrier") == 0) {
        snprintf(buffer, length, "%s", function);
        return buffer;
    }
    used = snprintf(buffer, length, "%s %s-%s", function,
                    mtree_page_number(calls, "bytes_from") > 0
                        ? size_text(mtree_page_number(calls, "bytes_from"), low)
                        : "0",
                    size_text(mtree_page_number(calls, "bytes_to"), high));
    if (json_object_get(calls, "root") != NULL && used > 0 && (size_t)used < length) {
        snprintf(buffer + used, length - (size_t)used, " root %.0f",
                 mtree_page_number(calls, "root"));
    }
    return buffer;
}

/* The number of the plan of @a calls, -1: none. */
static int plan_number(const json_t *calls)
{
    return json_object_get(calls, "plan") == NULL ? -1
                                                  : (int)mtree_page_number(calls, "plan");
}

/* Plan number @a number, NULL: there is none, as for -1. */
static const json_t *plan_at(const json_t *report, int number)
{
    return json_array_get(json_object_get(report, "plans"), (size_t)number);
}

bool mtree_page_plan_is_on(const json_t *plan, size_t topology)
{
    const json_t *number = json_object_get(plan, "topology");

    return number != NULL && (size_t)json_integer_value(number) == topology;
}

/* The calls that moved most over plan number @a plan, or (-1) over any plan on topology
 * number @a topology; NULL: none. */
static const json_t *heaviest_calls(const json_t *report, int plan, size_t topology)
{
    const json_t *heaviest = NULL;
    size_t c, i;
    json_t *communicator, *calls;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
            int number = plan_number(calls);
            bool fits = plan >= 0
                            ? number == plan
                            : mtree_page_plan_is_on(plan_at(report, number), topology);

            if (fits && mtree_page_number(calls, "bytes") >
                            mtree_page_number(heaviest, "bytes")) {
                heaviest = calls;
            }
        }
    }
    return heaviest;
}

const json_t *mtree_page_calls_of_plan(const json_t *report, size_t plan)
{
    return heaviest_calls(report, (int)plan, 0);
}

static bool tree_crosses(const json_t *tree, int arc)
{
    const json_t *arcs = json_object_get(tree, "arcs");

    for (size_t a = 0; a < json_array_size(arcs); a++) {
        if (json_integer_value(json_array_get(arcs, a)) == arc) {
            return true;
        }
    }
    return false;
}

/* Which trees of the heaviest calls cross an arc: "; crossed by trees 1 3 of allreduce
 * 8 MB-16 MB". */
static void write_crossing(const json_t *report, size_t topology, int arc, FILE *out)
{
    const json_t *calls = heaviest_calls(report, -1, topology);
    const json_t *plan = calls == NULL ? NULL : plan_at(report, plan_number(calls));
    const json_t *trees = json_object_get(plan, "trees");
    const char *lead = "; crossed by trees";
    char name[128];

    for (size_t t = 0; t < json_array_size(trees); t++) {
        if (tree_crosses(json_array_get(trees, t), arc)) {
            fprintf(out, "%s %zu", lead, t + 1);
            lead = "";
        }
    }
    if (lead[0] == '\0') {
        fprintf(out, " of %s", mtree_page_calls_name(calls, name, sizeof(name)));
    }
}

/* "US6 > EU2" of arc number @a arc. */
static void write_arc(const json_t *links, int arc, FILE *out)
{
    const json_t *link = json_array_get(links, (size_t)arc / 2);

    fprintf(out, "%s > %s", mtree_page_text(link, arc % 2 == 0 ? "from" : "to"),
            mtree_page_text(link, arc % 2 == 0 ? "to" : "from"));
}

static double arc_number(const json_t *links, const char *key, int arc)
{
    return mtree_page_direction(json_array_get(links, (size_t)arc / 2), key,
                                (size_t)arc % 2);
}

static const char *rate_text(double rate, char *buffer)
{
    return mtree_units_format_rate(rate, buffer, MTREE_UNITS_LENGTH);
}

void mtree_page_busiest(const json_t *report, size_t topology, FILE *out)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);
    const json_t *links = json_object_get(map, "links");
    int num_arcs = 2 * (int)json_array_size(links), busiest = -1;
    char rate[MTREE_UNITS_LENGTH], seconds[MTREE_UNITS_LENGTH];
    double most = 0;

    for (int arc = 0; arc < num_arcs; arc++) {
        if (arc_number(links, "use", arc) > SAME_USE * most) {
            most = arc_number(links, "use", arc);
            busiest = arc;
        }
    }
    if (busiest < 0) {
        return;
    }
    fputs("Busiest link: ", out);
    write_arc(links, busiest, out);
    fprintf(out, ", %.1f %% of %s in %s of mtree's calls", 100 * most,
            rate_text(arc_number(links, "capacity_bps", busiest), rate),
            time_text(mtree_page_number(map, "seconds"), seconds));
    write_crossing(report, topology, busiest, out);
}

/* Was the arc the narrowest of a path that was backlogged? */
static bool arc_is_narrowest(const json_t *links, int arc)
{
    const json_t *link = json_array_get(links, (size_t)arc / 2);

    return json_is_true(
        json_array_get(json_object_get(link, "narrowest"), (size_t)arc % 2));
}

void mtree_page_slowest(const json_t *report, size_t topology, FILE *out)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);
    const json_t *links = json_object_get(map, "links");
    int num_arcs = 2 * (int)json_array_size(links), slowest = -1;
    char gave[MTREE_UNITS_LENGTH], capacity[MTREE_UNITS_LENGTH];
    double least = 0;

    for (int arc = 0; arc < num_arcs; arc++) {
        double share =
            arc_number(links, "gave_bps", arc) / arc_number(links, "capacity_bps", arc);

        if (arc_is_narrowest(links, arc) &&
            arc_number(links, "pressed", arc) >= LEAST_FULL &&
            (slowest < 0 || share < least)) {
            least = share;
            slowest = arc;
        }
    }
    if (slowest < 0) {
        return;
    }
    fputs("Slowest link: ", out);
    write_arc(links, slowest, out);
    fprintf(out, ", gave %s of %s, %.1f %%, while full, which it was %.0f %% of the time",
            rate_text(arc_number(links, "gave_bps", slowest), gave),
            rate_text(arc_number(links, "capacity_bps", slowest), capacity), 100 * least,
            100 * arc_number(links, "pressed", slowest));
    write_crossing(report, topology, slowest, out);
}
