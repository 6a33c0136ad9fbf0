/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

static void add_time(mtree_table_t *table, const json_t *object, const char *key)
{
    double seconds = mtree_page_number(object, key);

    if (json_object_get(object, key) == NULL) {
        mtree_table_add(table, "-");
        return;
    }
    mtree_table_add(table, "%s%s", seconds < 0 ? "-" : "",
                    MTREE_UNITS_TIME(fabs(seconds)));
}

static void add_size(mtree_table_t *table, double bytes)
{
    mtree_table_add(table, "%s", MTREE_UNITS_SIZE(bytes));
}

/* "10 trees, packing", or "10 trees through 3 relays", or "10 trees through 3 relays, 18
 * of 20 calls". */
static void add_trees(mtree_table_t *table, const json_t *server, const json_t *calls,
                      const json_t *plan)
{
    size_t trees = json_array_size(json_object_get(plan, "trees"));
    size_t relays = json_array_size(json_object_get(plan, "relays"));
    double relayed = mtree_page_number(calls, "relayed");
    const char *plural = trees == 1 ? "" : "s";

    if (relays == 0) {
        mtree_table_add(table, "%zu tree%s, %s", trees, plural,
                        mtree_page_text(plan, "algorithm"));
    } else if (relayed == mtree_page_number(server, "calls")) {
        mtree_table_add(table, "%zu tree%s through %zu relay%s", trees, plural, relays,
                        relays == 1 ? "" : "s");
    } else {
        mtree_table_add(table, "%zu tree%s through %zu relay%s, %.0f of %.0f calls",
                        trees, plural, relays, relays == 1 ? "" : "s", relayed,
                        mtree_page_number(server, "calls"));
    }
}

/* The backend that served: "10 trees, packing", "Open MPI", ... */
static void add_backend(mtree_table_t *table, const json_t *server, const json_t *calls,
                        const json_t *plan)
{
    const char *by = mtree_page_text(server, "by");

    if (strcmp(by, "trees") == 0 && plan != NULL) {
        add_trees(table, server, calls, plan);
    } else {
        mtree_table_add(table, "%s", strcmp(by, "openmpi") == 0 ? "Open MPI" : by);
    }
}

/* One row per backend that served calls of one class; what they have in common stands in
 * the first. */
static void add_calls(mtree_table_t *table, const json_t *calls, const json_t *plan)
{
    static const json_t *const none;
    const json_t *served = json_object_get(calls, "served");
    char name[128];

    for (size_t i = 0; i < json_array_size(served); i++) {
        const json_t *server = json_array_get(served, i);
        const json_t *common = i == 0 ? calls : none;
        bool trees = strcmp(mtree_page_text(server, "by"), "trees") == 0;

        mtree_table_add(table, "%s",
                        i == 0 ? mtree_page_calls_name(calls, name, sizeof(name)) : "-");
        add_backend(table, server, calls, plan);
        mtree_table_add(table, "%.0f", mtree_page_number(server, "calls"));
        add_size(table, mtree_page_number(server, "bytes"));
        add_time(table, server, "shared_s");
        add_time(table, server, "median_s");
        add_time(table, server, "slowest_rank_s");
        add_time(table, common, "forecast_s");
        if (trees && json_object_get(calls, "share_of_bound") != NULL) {
            mtree_table_add(table, "%.1f %%, %s",
                            100 * mtree_page_number(calls, "share_of_bound"),
                            mtree_page_text(calls, "bound_by"));
        } else {
            mtree_table_add(table, "-");
        }
        add_time(table, common, "openmpi_forecast_s");
    }
}

mtree_table_t *mtree_page_calls(const json_t *report, const json_t *communicator)
{
    mtree_table_t *table = mtree_table_create(
        "llrrrrrrrr", "calls of|served by|calls|bytes|time|median|slowest|forecast|of "
                      "bound|Open MPI forecast");
    size_t i;
    json_t *calls;

    json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
        add_calls(table, calls, mtree_page_plan_of(report, calls));
    }
    return table;
}

mtree_table_t *mtree_page_fallbacks(const json_t *communicator)
{
    mtree_table_t *table =
        mtree_table_create("lrl", "calls of|calls|why Open MPI served them");
    size_t i, f;
    json_t *calls, *fallback;
    char name[128];

    json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
        json_array_foreach (json_object_get(calls, "fallbacks"), f, fallback) {
            mtree_table_add(table, "%s",
                            mtree_page_calls_name(calls, name, sizeof(name)));
            mtree_table_add(table, "%.0f", mtree_page_number(fallback, "calls"));
            mtree_table_add(table, "%s", mtree_page_text(fallback, "text"));
        }
    }
    return table;
}

static void add_rate(mtree_table_t *table, double rate)
{
    if (rate > 0) {
        mtree_table_add(table, "%s", MTREE_UNITS_RATE(rate));
    } else {
        mtree_table_add(table, "-");
    }
}

mtree_table_t *mtree_page_links(const json_t *topology)
{
    mtree_table_t *table =
        mtree_table_create("llrrrrrr", "from|to|capacity|latency|sent|use|gave|full for");
    size_t l;
    json_t *link;

    json_array_foreach (json_object_get(topology, "links"), l, link) {
        for (size_t direction = 0; direction < 2; direction++) {
            double backlogged = mtree_page_direction(link, "pressed", direction);

            mtree_table_add(table, "%s",
                            mtree_page_text(link, direction == 0 ? "from" : "to"));
            mtree_table_add(table, "%s",
                            mtree_page_text(link, direction == 0 ? "to" : "from"));
            add_rate(table, mtree_page_direction(link, "capacity_bps", direction));
            add_time(table, link, "latency_s");
            add_size(table, mtree_page_direction(link, "bytes", direction));
            mtree_table_add(table, "%.1f %%",
                            100 * mtree_page_direction(link, "use", direction));
            add_rate(table, mtree_page_direction(link, "gave_bps", direction));
            if (backlogged > 0) {
                mtree_table_add(table, "%.0f %%", 100 * backlogged);
            } else {
                mtree_table_add(table, "-");
            }
        }
    }
    return table;
}

mtree_table_t *mtree_page_trees(const json_t *report, const json_t *plan)
{
    const json_t *gave =
        json_object_get(mtree_page_calls_of_plan(report, plan), "trees_bps");
    mtree_table_t *table =
        mtree_table_create("rlrrrr", "tree|root|rate|gave|of the message|chunk");
    size_t t;
    json_t *tree;

    json_array_foreach (json_object_get(plan, "trees"), t, tree) {
        mtree_table_add(table, "%zu", t + 1);
        mtree_table_add(table, "%s", mtree_page_text(tree, "root"));
        add_rate(table, mtree_page_number(tree, "rate_bps"));
        add_rate(table, json_number_value(json_array_get(gave, t)));
        mtree_table_add(table, "%.1f %%", 100 * mtree_page_number(tree, "share"));
        add_size(table, mtree_page_number(tree, "chunk_bytes"));
    }
    return table;
}
