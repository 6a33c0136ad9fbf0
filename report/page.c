#include "report/page.h"

#include "topo/units.h"

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

static const char *time_text(double seconds, char *buffer)
{
    return mtree_units_format_time(seconds, buffer, MTREE_UNITS_LENGTH);
}

static const char *size_text(double bytes, char *buffer)
{
    return mtree_units_format_size(bytes, buffer, MTREE_UNITS_LENGTH);
}

static void write_job(const json_t *report, FILE *out)
{
    char elapsed[MTREE_UNITS_LENGTH];

    fprintf(out, "%s of %.0f ranks, begun %s, %s%s",
            json_is_true(json_object_get(report, "complete")) ? "A job" : "A running job",
            mtree_page_number(report, "ranks"), mtree_page_text(report, "started"),
            time_text(mtree_page_number(report, "elapsed_s"), elapsed),
            json_is_true(json_object_get(report, "complete")) ? "" : " so far");
}

static void write_versions(const json_t *report, FILE *out)
{
    double ranks = mtree_page_number(report, "ranks");
    double heard = mtree_page_number(report, "ranks_heard");

    fprintf(out, "mtree %s, Open MPI %s; times are those of rank 0",
            mtree_page_text(report, "mtree"), mtree_page_text(report, "open_mpi"));
    if (heard > 1) {
        fprintf(out, ", ranks' means those of %.0f of %.0f ranks", heard, ranks);
    }
}

static void write_saved(const json_t *report, FILE *out)
{
    const json_t *totals = json_object_get(report, "totals");
    double saved = mtree_page_number(totals, "saved_s");
    double openmpi = mtree_page_number(totals, "openmpi_s");
    char ours[MTREE_UNITS_LENGTH], theirs[MTREE_UNITS_LENGTH];

    if (openmpi <= 0) {
        fputs("Time saved: not known: mtree served no calls that it knows Open MPI's "
              "time of",
              out);
        return;
    }
    fprintf(out,
            "Time %s: %s; Open MPI would have taken %s for the calls that mtree "
            "served (%s)",
            saved < 0 ? "lost" : "saved", time_text(saved < 0 ? -saved : saved, ours),
            time_text(openmpi, theirs),
            json_is_true(json_object_get(totals, "saved_is_measured"))
                ? "measured"
                : "predicted where not measured");
}

static void write_work(const json_t *report, FILE *out)
{
    const json_t *totals = json_object_get(report, "totals");
    char bytes[MTREE_UNITS_LENGTH], probe[MTREE_UNITS_LENGTH],
        scratch[MTREE_UNITS_LENGTH];

    fprintf(out,
            "Rank 0 sent %.0f chunks, %s; %s for probing; its receive slots took %s at "
            "most; %.0f plans",
            mtree_page_number(totals, "chunks"),
            size_text(mtree_page_number(totals, "chunk_bytes"), bytes),
            size_text(mtree_page_number(totals, "probe_bytes"), probe),
            size_text(mtree_page_number(totals, "most_scratch_bytes"), scratch),
            mtree_page_number(totals, "plans"));
}

void mtree_page_write_fact(const json_t *report, mtree_page_fact_t fact, FILE *out)
{
    static void (*const writers[])(const json_t *,
                                   FILE *) = {[MTREE_PAGE_JOB] = write_job,
                                              [MTREE_PAGE_VERSIONS] = write_versions,
                                              [MTREE_PAGE_SAVED] = write_saved,
                                              [MTREE_PAGE_WORK] = write_work};

    writers[fact](report, out);
}

void mtree_page_write_topology(const json_t *topology, FILE *out)
{
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

void mtree_page_write_communicator(const json_t *communicator, FILE *out)
{
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

/* The plan of @a calls, when it is on topology number @a topology; else NULL. */
static const json_t *plan_on(const json_t *report, const json_t *calls, size_t topology)
{
    const json_t *plan;

    if (json_object_get(calls, "plan") == NULL) {
        return NULL;
    }
    plan = json_array_get(json_object_get(report, "plans"),
                          (size_t)mtree_page_number(calls, "plan"));
    return json_object_get(plan, "topology") != NULL &&
                   (size_t)mtree_page_number(plan, "topology") == topology
               ? plan
               : NULL;
}

/* The calls with a plan on a topology that moved most; NULL: none. */
static const json_t *heaviest_calls(const json_t *report, size_t topology)
{
    const json_t *heaviest = NULL;
    size_t c, i;
    json_t *communicator, *calls;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
            if (plan_on(report, calls, topology) != NULL &&
                mtree_page_number(calls, "bytes") >
                    mtree_page_number(heaviest, "bytes")) {
                heaviest = calls;
            }
        }
    }
    return heaviest;
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
    const json_t *calls = heaviest_calls(report, topology);
    const json_t *trees =
        json_object_get(calls == NULL ? NULL : plan_on(report, calls, topology), "trees");
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

void mtree_page_write_busiest(const json_t *report, size_t topology, FILE *out)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);
    const json_t *links = json_object_get(map, "links");
    double most = 0;
    int busiest = -1;
    char rate[MTREE_UNITS_LENGTH], seconds[MTREE_UNITS_LENGTH];
    size_t l;
    json_t *link;

    json_array_foreach ((json_t *)links, l, link) {
        for (int way = 0; way < 2; way++) {
            double use = json_number_value(
                json_array_get(json_object_get(link, "use"), (size_t)way));

            if (use > most) {
                most = use;
                busiest = 2 * (int)l + way;
            }
        }
    }
    if (busiest < 0) {
        return;
    }
    link = json_array_get(links, (size_t)busiest / 2);
    fprintf(out, "Busiest link: %s > %s, %.1f %% of %s in %s of mtree's calls",
            mtree_page_text(link, busiest % 2 == 0 ? "from" : "to"),
            mtree_page_text(link, busiest % 2 == 0 ? "to" : "from"), 100 * most,
            mtree_units_format_rate(
                json_number_value(json_array_get(json_object_get(link, "capacity_bps"),
                                                 (size_t)busiest % 2)),
                rate, sizeof(rate)),
            time_text(mtree_page_number(map, "seconds"), seconds));
    write_crossing(report, topology, busiest, out);
}
