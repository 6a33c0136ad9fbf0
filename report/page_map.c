/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report's page says of its topologies, and of the plans on them. */
#include "report/page.h"

#include "base/units.h"

#include <string.h>

/* Uses that differ by less are the same: those of trees are sums of rounded shares. */
#define SAME_USE 1.000001

/* Links and lines of calls that are named where the map disagrees with them. */
#define MOST_NAMED 3

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
    if (mtree_page_number(topology, "message_cost_s") > 0.0) {
        fprintf(out, ", %s a message",
                MTREE_UNITS_TIME(mtree_page_number(topology, "message_cost_s")));
    }
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

/* "Relays: US2, EU1", where calls on the topology passed through relays. */
static void page_relays(const json_t *report, size_t topology, FILE *out)
{
    const json_t *vertices = json_object_get(
        json_array_get(json_object_get(report, "topologies"), topology), "vertices");
    const char *lead = "Relays: ";

    for (size_t v = next_relay(vertices, 0); v < json_array_size(vertices);
         v = next_relay(vertices, v + 1)) {
        fprintf(out, "%s%s", lead, mtree_page_text(json_array_get(vertices, v), "name"));
        lead = ", ";
    }
}

const json_t *mtree_page_plan_of(const json_t *report, const json_t *calls)
{
    const json_t *number = json_object_get(calls, "plan");

    return number == NULL ? NULL
                          : json_array_get(json_object_get(report, "plans"),
                                           (size_t)json_integer_value(number));
}

/* Was @a plan made for topology number @a topology? */
static bool plan_is_on(const json_t *plan, size_t topology)
{
    const json_t *number = json_object_get(plan, "topology");

    return number != NULL && (size_t)json_integer_value(number) == topology;
}

/* The calls that moved most over @a plan, or (NULL) over any plan on topology number @a
 * topology; NULL: none. */
static const json_t *heaviest_calls(const json_t *report, const json_t *plan,
                                    size_t topology)
{
    const json_t *heaviest = NULL;
    size_t c, i;
    json_t *communicator, *calls;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
            const json_t *of_calls = mtree_page_plan_of(report, calls);

            if ((plan != NULL ? of_calls == plan : plan_is_on(of_calls, topology)) &&
                mtree_page_number(calls, "bytes") >
                    mtree_page_number(heaviest, "bytes")) {
                heaviest = calls;
            }
        }
    }
    return heaviest;
}

const json_t *mtree_page_calls_of_plan(const json_t *report, const json_t *plan)
{
    return plan == NULL ? NULL : heaviest_calls(report, plan, 0);
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
    const json_t *calls = heaviest_calls(report, NULL, topology);
    const json_t *trees = json_object_get(mtree_page_plan_of(report, calls), "trees");
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

/* The link whose capacity was used most, and which trees cross it; nothing without
 * traffic. */
static void page_busiest(const json_t *report, size_t topology, FILE *out)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);
    const json_t *links = json_object_get(map, "links");
    int num_arcs = 2 * (int)json_array_size(links), busiest = -1;
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
            MTREE_UNITS_RATE(arc_number(links, "capacity_bps", busiest)),
            MTREE_UNITS_TIME(mtree_page_number(map, "seconds")));
    write_crossing(report, topology, busiest, out);
}

/* Was the arc the narrowest of a path that was backlogged? */
static bool arc_is_narrowest(const json_t *links, int arc)
{
    const json_t *link = json_array_get(links, (size_t)arc / 2);

    return json_is_true(
        json_array_get(json_object_get(link, "narrowest"), (size_t)arc % 2));
}

/*
 * Of the links that were the narrowest of a backlogged path for a fifth of the time or
 * more, the one that gave the least part of its capacity, and which trees cross it;
 * nothing where all paths kept up.
 */
static void page_slowest(const json_t *report, size_t topology, FILE *out)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);
    const json_t *links = json_object_get(map, "links");
    int num_arcs = 2 * (int)json_array_size(links), slowest = -1;
    double least = 0;

    for (int arc = 0; arc < num_arcs; arc++) {
        double share =
            arc_number(links, "gave_bps", arc) / arc_number(links, "capacity_bps", arc);

        if (arc_is_narrowest(links, arc) && (slowest < 0 || share < least)) {
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
            MTREE_UNITS_RATE(arc_number(links, "gave_bps", slowest)),
            MTREE_UNITS_RATE(arc_number(links, "capacity_bps", slowest)), 100 * least,
            100 * arc_number(links, "pressed", slowest));
    write_crossing(report, topology, slowest, out);
}

bool mtree_page_link_is_gone(const json_t *link)
{
    return mtree_page_direction(link, "capacity_bps", 0) == 0 &&
           mtree_page_direction(link, "capacity_bps", 1) == 0;
}

/* "Gone, and left out of plans: r0--r1, r2--r3"; nothing where no link is. */
static void page_gone(const json_t *report, size_t topology, FILE *out)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);
    const json_t *links = json_object_get(map, "links");
    const char *lead = "Gone, and left out of plans: ";

    for (size_t l = 0; l < json_array_size(links); l++) {
        const json_t *link = json_array_get(links, l);

        if (mtree_page_link_is_gone(link)) {
            fprintf(out, "%s%s--%s", lead, mtree_page_text(link, "from"),
                    mtree_page_text(link, "to"));
            lead = ", ";
        }
    }
}

/* Lines that are written up to a number. */
typedef struct {
    FILE *out;
    int count; /* of all, the others included */
} list_t;

/* Is there one more, which is to be written? */
static bool list_next(list_t *list)
{
    list->count++;
    if (list->count > 1 && list->count <= MOST_NAMED) {
        fputs("; ", list->out);
    }
    return list->count <= MOST_NAMED;
}

/* "US6 > EU2 has 40 Mb/s, calls found 9.9 Mb/s" of each arc that disagrees. */
static void list_arcs(const json_t *links, list_t *list)
{
    int num_arcs = 2 * (int)json_array_size(links);

    for (int arc = 0; arc < num_arcs; arc++) {
        const json_t *link = json_array_get(links, (size_t)arc / 2);
        const char *key =
            json_object_get(link, "map_bps") != NULL ? "map_bps" : "capacity_bps";

        if (arc_number(links, "found_bps", arc) > 0 && list_next(list)) {
            write_arc(links, arc, list->out);
            fprintf(list->out, " has %s, calls found %s",
                    MTREE_UNITS_RATE(arc_number(links, key, arc)),
                    MTREE_UNITS_RATE(arc_number(links, "found_bps", arc)));
        }
    }
}

/* "allreduce 1 MB-2 MB took 3.4 ms, on the map at least 43 ms" of each line of calls that
 * disagrees. */
static void list_calls(const json_t *report, size_t topology, list_t *list)
{
    char name[128];
    size_t c, i;
    json_t *communicator, *calls;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
            double bound = mtree_page_number(calls, "bound_seconds");

            if (json_is_true(json_object_get(calls, "disagrees")) &&
                plan_is_on(mtree_page_plan_of(report, calls), topology) &&
                list_next(list)) {
                fprintf(
                    list->out, "%s took %s, on the map at least %s",
                    mtree_page_calls_name(calls, name, sizeof(name)),
                    MTREE_UNITS_TIME(bound / mtree_page_number(calls, "share_of_bound")),
                    MTREE_UNITS_TIME(bound));
            }
        }
    }
}

bool mtree_page_disagrees(const json_t *report, size_t topology)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);

    return json_is_true(json_object_get(map, "disagrees"));
}

void mtree_page_disagreement(const json_t *report, size_t topology, FILE *out)
{
    const json_t *map = json_array_get(json_object_get(report, "topologies"), topology);
    list_t list = {.out = out};

    if (!mtree_page_disagrees(report, topology)) {
        return;
    }
    fputs("The map disagrees with the calls by more than a factor of two: ", out);
    list_calls(report, topology, &list);
    list_arcs(json_object_get(map, "links"), &list);
    if (list.count > MOST_NAMED) {
        fprintf(out, "; and %d more", list.count - MOST_NAMED);
    }
    fputs(". Measure the network: mtree probe", out);
}

const mtree_page_line_t mtree_page_map_lines[] = {
    page_relays, mtree_page_disagreement, page_gone, page_busiest, page_slowest, NULL};
