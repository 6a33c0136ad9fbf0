/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/map.h"

#include "report/table.h"
#include "tools/map/layout.h"
#include "tools/plan_options.h"

#include "base/log.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WIDTH  1.2
#define MOST_WIDTH   5.0
#define LARGE_MAP    120 /* vertices */
#define MAX_COLOURED 8   /* trees a link is drawn with; more are one dark line */

/* Okabe and Ito's colours, which most people can tell apart, and four more. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#7A4EAB", "#8C6D31",
                                      "#B5179E", "#4D4D4D", "#A6761D", "#1B7837"};

#define NUM_COLOURS ((int)(sizeof(colours) / sizeof(colours[0])))

typedef struct {
    const mtree_topology_t *topology;
    const mtree_plan_t *plan; /* NULL: the network alone */
    const mtree_routes_t *routes;
    double *load;         /* [2 * num_links] bits/s */
    unsigned char *cross; /* [num_trees * num_links] the tree crosses the link */
    double largest;       /* capacity */
    map_place_t *places;  /* [num_vertices] on paper */
    bool uniform; /* all links have that capacity both ways: said once, in the title */
    FILE *out;
} map_t;

const char *map_colour(int tree)
{
    return colours[tree % NUM_COLOURS];
}

static bool crosses(const map_t *map, int tree, int link)
{
    size_t num_links = (size_t)map->topology->num_links;

    return map->cross[(size_t)tree * num_links + (size_t)link] != 0;
}

/* Mark the links on the routes between a tree's hosts and their parents, both ways. */
static void mark_tree(const map_t *map, int number)
{
    const mtree_tree_t *tree = &map->plan->trees[number];
    size_t row = (size_t)number * (size_t)map->topology->num_links;
    int host, way, i, num_arcs;
    const int *arcs;

    for (host = 0; host < map->plan->num_hosts; ++host) {
        if (host == tree->root) {
            continue;
        }
        for (way = 0; way < 2; ++way) {
            arcs =
                (way == 0)
                    ? mtree_routes_get(map->routes, tree->parent[host], host, &num_arcs)
                    : mtree_routes_get(map->routes, host, tree->parent[host], &num_arcs);
            for (i = 0; i < num_arcs; ++i) {
                map->cross[row + ((size_t)arcs[i] >> 1)] |= (unsigned char)(1 << way);
            }
        }
    }
}

static void map_cleanup(map_t *map)
{
    free(map->load);
    free(map->cross);
    free(map->places);
}

static mtree_status_t map_init(map_t *map, const mtree_topology_t *topology,
                               const mtree_plan_t *plan, const mtree_routes_t *routes,
                               FILE *out)
{
    size_t num_links = (size_t)topology->num_links;
    size_t trees = (plan != NULL) ? (size_t)plan->num_trees : 0;
    size_t i;

    *map = (map_t){.topology = topology, .plan = plan, .routes = routes, .out = out};
    map->load = calloc(2 * num_links + 1, sizeof(*map->load));
    map->cross = calloc(trees * num_links + 1, 1);
    map->places = calloc((size_t)topology->num_vertices + 1, sizeof(*map->places));
    if (map->load == NULL || map->cross == NULL || map->places == NULL) {
        mtree_error("out of memory for the picture of %s", topology->name);
        map_cleanup(map);
        return MTREE_ERR_NO_MEMORY;
    }
    for (i = 0; i < 2 * num_links; ++i) {
        map->largest = fmax(map->largest, mtree_arc_capacity(topology, (int)i));
    }
    map->uniform = true;
    for (i = 0; i < 2 * num_links; ++i) {
        map->uniform =
            map->uniform && mtree_arc_capacity(topology, (int)i) == map->largest;
    }
    if (plan != NULL) {
        mtree_plan_load(plan, routes, map->load);
        for (i = 0; i < trees; ++i) {
            mark_tree(map, (int)i);
        }
    }
    return MTREE_OK;
}

bool map_has_positions(const mtree_topology_t *topology)
{
    int i;

    for (i = 0; i < topology->num_vertices; ++i) {
        if (!topology->vertices[i].has_position) {
            return false;
        }
    }
    return true;
}

/* A root carries a dot in the colour of each tree that it roots. */
static void write_roots(const map_t *map, const mtree_vertex_t *vertex)
{
    int i;

    for (i = 0; map->plan != NULL && i < map->plan->num_trees; ++i) {
        if (strcmp(map->plan->hosts[map->plan->trees[i].root], vertex->host) == 0) {
            fprintf(map->out, "<font color=\"%s\">&#9679;</font>", map_colour(i));
        }
    }
}

static bool is_root(const map_t *map, const mtree_vertex_t *vertex)
{
    int i;

    for (i = 0; map->plan != NULL && i < map->plan->num_trees; ++i) {
        if (strcmp(map->plan->hosts[map->plan->trees[i].root], vertex->host) == 0) {
            return true;
        }
    }
    return false;
}

static void write_vertices(const map_t *map)
{
    const mtree_vertex_t *vertex;
    int i;

    for (i = 0; i < map->topology->num_vertices; ++i) {
        vertex = &map->topology->vertices[i];
        fprintf(map->out, "  v%d [label=<", i);
        mtree_table_escape(vertex->name, map->out);
        if (vertex->kind == MTREE_VERTEX_HOST && is_root(map, vertex)) {
            fputs("<br/>", map->out);
            write_roots(map, vertex);
        }
        fputs(">", map->out);
        if (vertex->kind == MTREE_VERTEX_SWITCH) {
            fputs(" shape=box fillcolor=\"#DDDDDD\" fontsize=9 margin=\"0.05,0.03\"",
                  map->out);
        } else if (is_root(map, vertex)) {
            fputs(" penwidth=2.5", map->out);
        }
        fprintf(map->out, " pos=\"%.3f,%.3f!\"];\n", map->places[i].x, map->places[i].y);
    }
}

/* "200 Mb/s", or "1 Gb/s / 500 Mb/s" there and back. */
static void write_capacity(const map_t *map, const mtree_link_t *link)
{
    char there[MTREE_UNITS_LENGTH], back[MTREE_UNITS_LENGTH];

    mtree_units_format_rate(link->capacity[0], there, sizeof(there));
    mtree_units_format_rate(link->capacity[1], back, sizeof(back));
    fprintf(map->out, "%s", there);
    if (link->capacity[0] != link->capacity[1]) {
        fprintf(map->out, " / %s", back);
    }
}

/* The use of a link in per cent of its capacity, there and back. */
static void write_use(const map_t *map, int number)
{
    const mtree_link_t *link = &map->topology->links[number];
    double use[2] = {0, 0};
    int way;

    for (way = 0; way < 2; ++way) {
        if (link->capacity[way] > 0) {
            use[way] = 100 * map->load[2 * number + way] / link->capacity[way];
        }
    }
    fprintf(map->out, (fabs(use[0] - use[1]) < 0.5) ? "%.0f %%" : "%.0f / %.0f %%",
            use[0], use[1]);
}

/*
 * The capacity unless all are the same, then the use, with a plan, and the latency, if
 * any; nothing on a large map, where it could not be read.
 */
static void write_label(const map_t *map, int number)
{
    const mtree_link_t *link = &map->topology->links[number];
    bool second = (map->plan != NULL || link->latency > 0);
    char latency[MTREE_UNITS_LENGTH];

    if ((map->uniform && !second) || map->topology->num_vertices > LARGE_MAP) {
        return;
    }
    fputs(" label=<", map->out);
    if (!map->uniform) {
        write_capacity(map, link);
        fputs(second ? "<br/>" : "", map->out);
    }
    if (map->plan != NULL) {
        write_use(map, number);
        fputs(link->latency > 0 ? ", " : "", map->out);
    }
    if (link->latency > 0) {
        fputs(mtree_units_format_time(link->latency, latency, sizeof(latency)), map->out);
    }
    fputs(">", map->out);
}

/* A colour list draws parallel lines, one a tree. */
static void write_colours(const map_t *map, int link)
{
    int trees = 0;
    int i;

    for (i = 0; map->plan != NULL && i < map->plan->num_trees; ++i) {
        trees += crosses(map, i, link);
    }
    if (trees == 0 || trees > MAX_COLOURED) {
        fprintf(map->out, "color=\"%s\"",
                (trees > 0)           ? "#333333"
                : (map->plan != NULL) ? "#CCCCCC"
                                      : "#666666");
        return;
    }
    fputs("color=\"", map->out);
    for (i = 0; i < map->plan->num_trees; ++i) {
        if (crosses(map, i, link)) {
            fprintf(map->out, "%s%s", map_colour(i), (--trees > 0) ? ":" : "");
        }
    }
    fputs("\"", map->out);
}

static void write_links(const map_t *map)
{
    const mtree_link_t *link;
    double width;
    int i;

    for (i = 0; i < map->topology->num_links; ++i) {
        link = &map->topology->links[i];
        width = fmax(link->capacity[0], link->capacity[1]) / map->largest;
        fprintf(map->out, "  v%d -- v%d [penwidth=%.2f ", link->u, link->v,
                (LEAST_WIDTH + width * (MOST_WIDTH - LEAST_WIDTH)) /
                    ((map->plan != NULL) ? 2 : 1));
        write_colours(map, i);
        write_label(map, i);
        fputs("];\n", map->out);
    }
}

static void write_title(const map_t *map)
{
    const mtree_plan_t *plan = map->plan;
    char rate[MTREE_UNITS_LENGTH];

    fputs("  label=<<table border=\"0\" cellspacing=\"2\"><tr><td colspan=\"5\"><b>",
          map->out);
    mtree_table_escape(map->topology->name, map->out);
    fputs("</b>", map->out);
    if (map->uniform && map->topology->num_links > 0) {
        fprintf(map->out, ", every link %s",
                mtree_units_format_rate(map->largest, rate, sizeof(rate)));
    }
    if (plan != NULL) {
        fprintf(map->out, ": %s, %s", mtree_collective_name(plan->collective),
                mtree_units_format_rate(plan->throughput, rate, sizeof(rate)));
        if (plan->bound > 0) {
            fprintf(map->out, ", %.1f %% of the bound",
                    100 * plan->throughput / plan->bound);
        }
    }
    fputs("</td></tr>\n", map->out);
}

static void write_legend(const map_t *map)
{
    const mtree_plan_t *plan = map->plan;
    char rate[MTREE_UNITS_LENGTH], height[PLANNING_HEIGHT];
    int i;

    write_title(map);
    for (i = 0; plan != NULL && i < plan->num_trees && i < NUM_COLOURS; ++i) {
        const mtree_tree_t *tree = &plan->trees[i];

        fprintf(
            map->out,
            "    <tr><td align=\"left\"><font color=\"%s\">&#9679; tree %d</font></td>"
            "<td align=\"left\">root ",
            map_colour(i), i + 1);
        mtree_table_escape(plan->hosts[tree->root], map->out);
        fprintf(map->out,
                "</td><td align=\"right\">%s</td><td align=\"right\">%.1f %%</td>"
                "<td align=\"right\">%s</td></tr>\n",
                mtree_units_format_rate(tree->rate, rate, sizeof(rate)),
                100 * tree->share, planning_format_height(plan, tree, ", ", height));
    }
    if (plan != NULL && plan->num_trees > NUM_COLOURS) {
        fprintf(map->out, "    <tr><td colspan=\"5\">and %d more trees</td></tr>\n",
                plan->num_trees - NUM_COLOURS);
    }
    fputs("  </table>>;\n", map->out);
}

mtree_status_t map_write(const mtree_topology_t *topology, const mtree_plan_t *plan,
                         const mtree_routes_t *routes, FILE *out)
{
    bool large = topology->num_vertices > LARGE_MAP;
    mtree_status_t status;
    map_t map;

    status = map_init(&map, topology, plan, routes, out);
    if (status != MTREE_OK) {
        return status;
    }
    status = map_layout_find(topology, map.places);
    if (status != MTREE_OK) {
        map_cleanup(&map);
        return status;
    }
    fputs("graph map {\n"
          "  graph [bgcolor=white fontname=\"Helvetica\" fontsize=12 labelloc=b pad=0.3\n"
          "         outputorder=edgesfirst overlap_scaling=0 overlap_shrink=false];\n"
          "  node [shape=ellipse style=filled fillcolor=white color=\"#333333\"\n"
          "        fontname=\"Helvetica\" fontsize=11 margin=\"0.05,0.03\"\n"
          "        width=0.35 height=0.3];\n"
          "  edge [fontname=\"Helvetica\" fontsize=8 fontcolor=\"#444444\"];\n",
          out);
    /* Bending lines around vertices and moving these apart takes minutes on large maps.
     */
    fprintf(out, "  splines=%s; overlap=%s;\n", large ? "line" : "true",
            large ? "true" : "false");
    write_legend(&map);
    write_vertices(&map);
    write_links(&map);
    fputs("}\n", out);
    map_cleanup(&map);
    return MTREE_OK;
}

static json_t *json_link(const map_t *map, int number)
{
    const mtree_link_t *link = &map->topology->links[number];
    json_t *trees = json_array();
    double use[2] = {0, 0};
    int i;

    for (i = 0; i < 2; ++i) {
        if (link->capacity[i] > 0) {
            use[i] = map->load[2 * number + i] / link->capacity[i];
        }
    }
    for (i = 0; map->plan != NULL && i < map->plan->num_trees; ++i) {
        if (crosses(map, i, number)) {
            json_array_append_new(trees, json_integer(i + 1));
        }
    }
    return json_pack("{s:s, s:s, s:[f, f], s:[f, f], s:o}", "from",
                     map->topology->vertices[link->u].name, "to",
                     map->topology->vertices[link->v].name, "capacity_bps",
                     link->capacity[0], link->capacity[1], "use", use[0], use[1], "trees",
                     trees);
}

json_t *map_json(const mtree_topology_t *topology, const mtree_plan_t *plan,
                 const mtree_routes_t *routes)
{
    json_t *links;
    map_t map;
    int i;

    if (map_init(&map, topology, plan, routes, NULL) != MTREE_OK) {
        return NULL;
    }
    links = json_array();
    for (i = 0; i < topology->num_links; ++i) {
        json_array_append_new(links, json_link(&map, i));
    }
    map_cleanup(&map);
    return json_pack("{s:s, s:o}", "topology", topology->name, "links", links);
}
