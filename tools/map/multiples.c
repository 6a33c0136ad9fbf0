/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/multiples.h"

#include "tools/map/map.h"
#include "tools/map/layout.h"
#include "tools/plan_options.h"

#include "base/log.h"
#include "base/units.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inches: the longer side of a map, and what is left free around it for names and the
 * line below. */
#define SIDE   3.2
#define MARGIN 0.7

#define LEAST_WIDTH 0.8
#define MOST_WIDTH  3.6

/* Inches: half the width of a letter of a name, half a line, and from a vertex to the
 * nearest edge of its name. */
#define HALF_LETTER 0.034
#define HALF_LINE   0.06
#define NAME_GAP    0.08

/* Where a name may stand, the directions that are tried first first; and at how many
 * points of a line it is looked whether it runs through. */
static const double directions[][2] = {
    {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {0.7, 0.7}, {-0.7, 0.7}, {0.7, -0.7}, {-0.7, -0.7}};
#define STEPS 24

typedef struct {
    const mtree_topology_t *topology;
    const mtree_plan_t *plan;
    map_place_t *places; /* [num_vertices] within one map, inches */
    map_place_t *names;  /* [num_vertices] the middles of their names */
    double *crossed;     /* [2 * links] of one tree; 0: not crossed */
    double wide, tall;   /* of one map */
    double largest;      /* capacity, bits/s */
    FILE *out;
} sheet_t;

static void sheet_cleanup(sheet_t *sheet)
{
    free(sheet->places);
    free(sheet->names);
    free(sheet->crossed);
}

/* Fit the places into one map. */
static void shrink(sheet_t *sheet)
{
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY, scale;

    for (int v = 0; v < sheet->topology->num_vertices; v++) {
        left = fmin(left, sheet->places[v].x);
        right = fmax(right, sheet->places[v].x);
        low = fmin(low, sheet->places[v].y);
        high = fmax(high, sheet->places[v].y);
    }
    scale = SIDE / fmax(fmax(right - left, high - low), 1e-9);
    for (int v = 0; v < sheet->topology->num_vertices; v++) {
        sheet->places[v].x = (sheet->places[v].x - left) * scale;
        sheet->places[v].y = (sheet->places[v].y - low) * scale;
    }
    sheet->wide = (right - left) * scale + 2 * MARGIN;
    sheet->tall = (high - low) * scale + 2 * MARGIN;
}

/* How many points of lines, and vertices, are under a name of vertex @a v at @a middle.
 */
static int covered(const sheet_t *sheet, int v, map_place_t middle)
{
    const mtree_topology_t *topology = sheet->topology;
    double wide = HALF_LETTER * (double)strlen(topology->vertices[v].name);
    int count = 0;

    for (int l = 0; l < topology->num_links; l++) {
        map_place_t a = sheet->places[topology->links[l].u];
        map_place_t b = sheet->places[topology->links[l].v];

        for (int i = 0; i <= STEPS; i++) {
            count += fabs(a.x + (b.x - a.x) * i / STEPS - middle.x) < wide &&
                     fabs(a.y + (b.y - a.y) * i / STEPS - middle.y) < HALF_LINE;
        }
    }
    return count;
}

/* Each name where the fewest lines run through it, the same on all maps. */
static void place_names(sheet_t *sheet)
{
    for (int v = 0; v < sheet->topology->num_vertices; v++) {
        double wide =
            HALF_LETTER * (double)strlen(sheet->topology->vertices[v].name) + NAME_GAP;
        int least = -1;

        for (size_t d = 0; d < sizeof(directions) / sizeof(directions[0]); d++) {
            map_place_t middle = {sheet->places[v].x + directions[d][0] * wide,
                                  sheet->places[v].y +
                                      directions[d][1] * (HALF_LINE + NAME_GAP)};
            int count = covered(sheet, v, middle);

            if (least < 0 || count < least) {
                least = count;
                sheet->names[v] = middle;
            }
        }
    }
}

static mtree_status_t sheet_init(sheet_t *sheet)
{
    size_t arcs = 2 * (size_t)sheet->topology->num_links;
    mtree_status_t status = MTREE_OK;

    sheet->places =
        calloc((size_t)sheet->topology->num_vertices + 1, sizeof(*sheet->places));
    sheet->names =
        calloc((size_t)sheet->topology->num_vertices + 1, sizeof(*sheet->names));
    sheet->crossed = calloc(arcs + 1, sizeof(*sheet->crossed));
    if (sheet->places == NULL || sheet->names == NULL || sheet->crossed == NULL) {
        mtree_error("out of memory for the pictures of %s", sheet->topology->name);
        status = MTREE_ERR_NO_MEMORY;
    } else {
        status = map_layout_find(sheet->topology, sheet->places);
    }
    if (status != MTREE_OK) {
        sheet_cleanup(sheet);
        return status;
    }
    for (size_t arc = 0; arc < arcs; arc++) {
        sheet->largest =
            fmax(sheet->largest, mtree_arc_capacity(sheet->topology, (int)arc));
    }
    shrink(sheet);
    place_names(sheet);
    return MTREE_OK;
}

static void write_vertex(const sheet_t *sheet, int tree, int v, double x, double y)
{
    const mtree_vertex_t *vertex = &sheet->topology->vertices[v];
    const mtree_tree_t *of = &sheet->plan->trees[tree];
    bool is_root = strcmp(sheet->plan->hosts[of->root], vertex->host) == 0;

    fprintf(sheet->out, "  t%dn%d [shape=plain style=\"\" pos=\"%.3f,%.3f!\" label=<",
            tree, v, x + sheet->names[v].x, y + sheet->names[v].y);
    mtree_table_escape(vertex->name, sheet->out);
    fprintf(sheet->out, ">];\n  t%dv%d [pos=\"%.3f,%.3f!\"", tree, v,
            x + sheet->places[v].x, y + sheet->places[v].y);
    if (vertex->kind == MTREE_VERTEX_SWITCH) {
        fputs(" shape=square width=0.07 height=0.07 fillcolor=\"#DDDDDD\"", sheet->out);
    } else if (is_root) {
        fprintf(sheet->out, " width=0.17 height=0.17 fillcolor=\"%s\"", map_colour(tree));
    }
    fputs("];\n", sheet->out);
}

static void write_link(const sheet_t *sheet, int tree, int l)
{
    const mtree_link_t *link = &sheet->topology->links[l];
    double part = fmax(link->capacity[0], link->capacity[1]) / fmax(sheet->largest, 1);
    bool crossed = sheet->crossed[2 * l] > 0 || sheet->crossed[2 * l + 1] > 0;

    fprintf(sheet->out, "  t%dv%d -- t%dv%d [penwidth=%.2f color=\"%s\"];\n", tree,
            link->u, tree, link->v,
            crossed ? LEAST_WIDTH + part * (MOST_WIDTH - LEAST_WIDTH) : LEAST_WIDTH,
            crossed ? map_colour(tree) : "#D5DAE0");
}

static void write_line(const sheet_t *sheet, int number, double x, double y)
{
    const mtree_tree_t *tree = &sheet->plan->trees[number];
    char rate[MTREE_UNITS_LENGTH], height[PLANNING_HEIGHT];

    fprintf(sheet->out,
            "  line%d [shape=plain style=\"\" fontsize=11 pos=\"%.3f,%.3f!\" label=<<b>"
            "<font color=\"%s\">tree %d</font></b>, root ",
            number, x + sheet->wide / 2 - MARGIN, y - 0.65 * MARGIN, map_colour(number),
            number + 1);
    mtree_table_escape(sheet->plan->hosts[tree->root], sheet->out);
    fprintf(sheet->out, "<br/>%s, %.1f %%, %s>];\n",
            mtree_units_format_rate(tree->rate, rate, sizeof(rate)), 100 * tree->share,
            planning_format_height(sheet->plan, tree, ", ", height));
}

static void write_map(const sheet_t *sheet, const mtree_routes_t *routes, int tree,
                      double x, double y)
{
    memset(sheet->crossed, 0,
           2 * (size_t)sheet->topology->num_links * sizeof(*sheet->crossed));
    mtree_plan_tree_load(sheet->plan, tree, routes, 1, sheet->crossed);
    for (int v = 0; v < sheet->topology->num_vertices; v++) {
        write_vertex(sheet, tree, v, x, y);
    }
    for (int l = 0; l < sheet->topology->num_links; l++) {
        write_link(sheet, tree, l);
    }
    write_line(sheet, tree, x, y);
}

mtree_status_t map_multiples_write(const mtree_topology_t *topology,
                                   const mtree_plan_t *plan, const mtree_routes_t *routes,
                                   FILE *out)
{
    sheet_t sheet = {.topology = topology, .plan = plan, .out = out};
    mtree_status_t status = sheet_init(&sheet);
    int columns;

    if (status != MTREE_OK) {
        return status;
    }
    /* The sheet about half as wide again as tall. */
    columns = (int)ceil(sqrt(1.5 * plan->num_trees * sheet.tall / sheet.wide));
    fputs(
        "graph multiples {\n"
        "  graph [bgcolor=white pad=0.2 outputorder=edgesfirst splines=line overlap=true "
        "fontname=\"Helvetica\"];\n"
        "  node [shape=circle style=filled fillcolor=white color=\"#333333\" label=\"\"\n"
        "        width=0.1 height=0.1 fontname=\"Helvetica\" fontsize=8\n"
        "        fontcolor=\"#333333\"];\n",
        out);
    for (int t = 0; t < plan->num_trees; t++) {
        write_map(&sheet, routes, t, t % columns * sheet.wide,
                  -(t / columns) * sheet.tall);
    }
    fputs("}\n", out);
    sheet_cleanup(&sheet);
    return MTREE_OK;
}
