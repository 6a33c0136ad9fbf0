/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/multiples.h"

#include "base/log.h"
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
    const map_scene_t *scene;
    map_point_t *names; /* [num_vertices] the middles of their names */
    double wide, tall;  /* of one map */
    FILE *out;
} sheet_t;

/* Fit the places into one map. */
static void shrink(sheet_t *sheet, map_point_t *places, int count)
{
    const map_box_t box = map_bounds(places, count);
    const double width = box.right - box.left, height = box.high - box.low;
    const double scale = SIDE / fmax(fmax(width, height), 1e-9);

    for (int v = 0; v < count; v++) {
        places[v] = (map_point_t){(places[v].x - box.left) * scale,
                                  (places[v].y - box.low) * scale};
    }
    sheet->wide = width * scale + 2 * MARGIN;
    sheet->tall = height * scale + 2 * MARGIN;
}

/* How many points of lines, and vertices, are under a name of vertex @a v at @a middle.
 */
static int covered(const sheet_t *sheet, int v, map_point_t middle)
{
    const mtree_topology_t *topology = sheet->scene->topology;
    double wide = HALF_LETTER * (double)strlen(topology->vertices[v].name);
    int count = 0;

    for (int l = 0; l < topology->num_links; l++) {
        map_point_t a = sheet->scene->places[topology->links[l].u];
        map_point_t b = sheet->scene->places[topology->links[l].v];

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
    for (int v = 0; v < sheet->scene->topology->num_vertices; v++) {
        double wide =
            HALF_LETTER * (double)strlen(sheet->scene->topology->vertices[v].name) +
            NAME_GAP;
        int least = -1;

        for (size_t d = 0; d < sizeof(directions) / sizeof(directions[0]); d++) {
            map_point_t middle = {sheet->scene->places[v].x + directions[d][0] * wide,
                                  sheet->scene->places[v].y +
                                      directions[d][1] * (HALF_LINE + NAME_GAP)};
            int count = covered(sheet, v, middle);

            if (least < 0 || count < least) {
                least = count;
                sheet->names[v] = middle;
            }
        }
    }
}

static void write_vertex(const sheet_t *sheet, const map_tree_t *tree, int v, double x,
                         double y)
{
    const mtree_vertex_t *vertex = &sheet->scene->topology->vertices[v];
    const map_point_t *place = &sheet->scene->places[v];

    fprintf(sheet->out, "  t%dn%d [shape=plain style=\"\" pos=\"%.3f,%.3f!\" label=<",
            tree->number, v, x + sheet->names[v].x, y + sheet->names[v].y);
    mtree_table_escape(vertex->name, sheet->out);
    fprintf(sheet->out, ">];\n  t%dv%d [pos=\"%.3f,%.3f!\"", tree->number, v,
            x + place->x, y + place->y);
    if (vertex->kind == MTREE_VERTEX_SWITCH) {
        fputs(" shape=square width=0.07 height=0.07 fillcolor=\"#DDDDDD\"", sheet->out);
    } else if (v == tree->root) {
        fprintf(sheet->out, " width=0.17 height=0.17 fillcolor=\"%s\"", tree->colour);
    } else if (sheet->scene->is_relay[v]) {
        fputs(" peripheries=2 width=0.06 height=0.06 tooltip=\"a relay\"", sheet->out);
    }
    fputs("];\n", sheet->out);
}

static void write_link(const sheet_t *sheet, const map_tree_t *tree, int l)
{
    const mtree_link_t *link = &sheet->scene->topology->links[l];
    const bool crossed = map_tree_crosses(tree, l);

    fprintf(
        sheet->out, "  t%dv%d -- t%dv%d [penwidth=%.2f color=\"%s\"];\n", tree->number,
        link->u, tree->number, link->v,
        map_width(crossed ? map_scene_use(sheet->scene, l) : 0, LEAST_WIDTH, MOST_WIDTH),
        crossed ? tree->colour : "#D5DAE0");
}

static void write_legend(const sheet_t *sheet, const map_tree_t *tree, double x, double y)
{
    fprintf(sheet->out,
            "  line%d [shape=plain style=\"\" fontsize=11 pos=\"%.3f,%.3f!\" label=<<b>"
            "<font color=\"%s\">tree %d</font></b>, root ",
            tree->number, x + sheet->wide / 2 - MARGIN, y - 0.8 * MARGIN, tree->colour,
            tree->number + 1);
    mtree_table_escape(tree->root_name, sheet->out);
    fprintf(sheet->out, "<br/>%s, %s of the message<br/>%s from root to leaf>];\n",
            tree->rate, tree->share, tree->height);
}

static void write_map(const sheet_t *sheet, const map_tree_t *tree, double x, double y)
{
    for (int v = 0; v < sheet->scene->topology->num_vertices; v++) {
        write_vertex(sheet, tree, v, x, y);
    }
    for (int l = 0; l < sheet->scene->topology->num_links; l++) {
        write_link(sheet, tree, l);
    }
    write_legend(sheet, tree, x, y);
}

mtree_status_t map_multiples_write(map_scene_t *scene, FILE *out)
{
    const int count = scene->topology->num_vertices;
    sheet_t sheet = {.scene = scene, .out = out};
    int columns;

    sheet.names = calloc((size_t)count + 1, sizeof(*sheet.names));
    if (sheet.names == NULL) {
        mtree_error("out of memory for the pictures of %s", scene->topology->name);
        return MTREE_ERR_NO_MEMORY;
    }
    shrink(&sheet, scene->places, count);
    place_names(&sheet);
    /* The sheet about half as wide again as tall. */
    columns = (int)ceil(sqrt(1.5 * scene->num_trees * sheet.tall / sheet.wide));
    fputs(
        "graph multiples {\n"
        "  graph [bgcolor=white pad=0.2 outputorder=edgesfirst splines=line overlap=true "
        "fontname=\"Helvetica\"];\n"
        "  node [shape=circle style=filled fillcolor=white color=\"#333333\" label=\"\"\n"
        "        width=0.1 height=0.1 fontname=\"Helvetica\" fontsize=8\n"
        "        fontcolor=\"#333333\"];\n",
        out);
    for (int t = 0; t < scene->num_trees; t++) {
        write_map(&sheet, &scene->trees[t], t % columns * sheet.wide,
                  -(t / columns) * sheet.tall);
    }
    fputs("}\n", out);
    free(sheet.names);
    return MTREE_OK;
}
