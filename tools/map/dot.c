/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/dot.h"

#include "report/table.h"

#include <math.h>

#define LEAST_WIDTH  1.2
#define MOST_WIDTH   5.0
#define LEAST_TREE   0.8 /* of the line of a tree */
#define MOST_TREE    2.5 /* or: */
#define TREES_WIDTH  9.0 /* of all lines of a link together */
#define LARGE_MAP    120 /* vertices */
#define MAX_COLOURED 8   /* lines of one link; of more trees there is one dark line */

/* A root carries a dot in the colour of each tree that it roots; returns how many. */
static int write_roots(const map_scene_t *scene, int vertex, FILE *out)
{
    int count = 0;

    for (int t = 0; t < scene->num_trees; t++) {
        if (scene->trees[t].root == vertex) {
            fprintf(out, "%s<font color=\"%s\">&#9679;</font>",
                    count++ == 0 ? "<br/>" : "", scene->trees[t].colour);
        }
    }
    return count;
}

static void write_vertex(const map_scene_t *scene, int number, FILE *out)
{
    const mtree_vertex_t *vertex = &scene->topology->vertices[number];

    fprintf(out, "  v%d [label=<", number);
    mtree_table_escape(vertex->name, out);
    fputs(write_roots(scene, number, out) > 0 ? "> penwidth=2.5" : ">", out);
    if (vertex->kind == MTREE_VERTEX_SWITCH) {
        fputs(" shape=box fillcolor=\"#DDDDDD\" fontsize=9 margin=\"0.05,0.03\"", out);
    }
    if (scene->is_relay[number]) {
        fputs(" peripheries=2 tooltip=\"a relay\"", out);
    }
    fprintf(out, " pos=\"%.3f,%.3f!\"];\n", scene->places[number].x,
            scene->places[number].y);
}

/* "200 Mb/s", or "1 Gb/s / 500 Mb/s" there and back. */
static void write_capacity(const mtree_link_t *link, FILE *out)
{
    char there[MTREE_UNITS_LENGTH], back[MTREE_UNITS_LENGTH];

    fputs(mtree_units_format_rate(link->capacity[0], there, sizeof(there)), out);
    if (link->capacity[0] != link->capacity[1]) {
        fprintf(out, " / %s",
                mtree_units_format_rate(link->capacity[1], back, sizeof(back)));
    }
}

/*
 * The capacity unless all are the same, then the use, with a plan, and the latency, if
 * any; nothing on a large map, where it could not be read.
 */
static void write_label(const map_scene_t *scene, int number, FILE *out)
{
    const mtree_link_t *link = &scene->topology->links[number];
    const double *use = &scene->use[2 * number];
    bool has_second = scene->has_plan || link->latency > 0;
    char latency[MTREE_UNITS_LENGTH];

    if ((scene->is_uniform && !has_second) || scene->topology->num_vertices > LARGE_MAP) {
        return;
    }
    fputs(" label=<", out);
    if (!scene->is_uniform) {
        write_capacity(link, out);
        fputs(has_second ? "<br/>" : "", out);
    }
    if (scene->has_plan) {
        fprintf(out, fabs(use[0] - use[1]) < 0.005 ? "%.0f %%" : "%.0f / %.0f %%",
                100 * use[0], 100 * use[1]);
        fputs(link->latency > 0 ? ", " : "", out);
    }
    if (link->latency > 0) {
        fputs(mtree_units_format_time(link->latency, latency, sizeof(latency)), out);
    }
    fputs(">", out);
}

static int count_trees(const map_scene_t *scene, int link)
{
    int trees = 0;

    for (int t = 0; t < scene->num_trees; t++) {
        trees += map_tree_crosses(&scene->trees[t], link);
    }
    return trees;
}

/* A list of colours draws parallel lines, one per tree. */
static void write_colours(const map_scene_t *scene, int link, FILE *out)
{
    const char *colon = "";
    const int trees = count_trees(scene, link);

    fputs("color=\"", out);
    if (trees == 0 || trees > MAX_COLOURED) {
        fputs(trees > 0 ? "#333333" : scene->has_plan ? "#CCCCCC" : "#666666", out);
    }
    for (int t = 0; trees <= MAX_COLOURED && t < scene->num_trees; t++) {
        if (map_tree_crosses(&scene->trees[t], link)) {
            fprintf(out, "%s%s", colon, scene->trees[t].colour);
            colon = ":";
        }
    }
    fputs("\"", out);
}

/* The width of each line of a link.  With a plan the full links are wide, whatever they
 * carry: these are what limits it. */
static double line_width(const map_scene_t *scene, int number)
{
    const mtree_link_t *link = &scene->topology->links[number];
    const int trees = count_trees(scene, number);

    if (!scene->has_plan) {
        return map_width(fmax(link->capacity[0], link->capacity[1]) /
                             fmax(scene->largest, 1),
                         LEAST_WIDTH, MOST_WIDTH);
    }
    return map_width(
        map_scene_use(scene, number), LEAST_TREE,
        fmax(TREES_WIDTH / (trees <= MAX_COLOURED ? fmax(trees, 1) : 1), MOST_TREE));
}

static void write_link(const map_scene_t *scene, int number, FILE *out)
{
    const mtree_link_t *link = &scene->topology->links[number];

    fprintf(out, "  v%d -- v%d [penwidth=%.2f ", link->u, link->v,
            line_width(scene, number));
    write_colours(scene, number, out);
    write_label(scene, number, out);
    fputs("];\n", out);
}

static void write_title(const map_scene_t *scene, FILE *out)
{
    char rate[MTREE_UNITS_LENGTH];

    fputs("  label=<<table border=\"0\" cellspacing=\"2\"><tr><td colspan=\"5\"><b>",
          out);
    mtree_table_escape(scene->topology->name, out);
    fputs("</b>", out);
    if (scene->is_uniform && scene->topology->num_links > 0) {
        fprintf(out, ", every link %s",
                mtree_units_format_rate(scene->largest, rate, sizeof(rate)));
    }
    fprintf(out, "%s%s</td></tr>\n", scene->has_plan ? ": " : "", scene->summary);
}

static bool has_latencies(const mtree_topology_t *topology)
{
    for (int l = 0; l < topology->num_links; l++) {
        if (topology->links[l].latency > 0) {
            return true;
        }
    }
    return false;
}

/* What the figures stand for. */
static void write_keys(const map_scene_t *scene, FILE *out)
{
    fprintf(out,
            "    <tr><td colspan=\"5\"><font point-size=\"9\" color=\"#444444\">"
            "links: %s%s%sthe wider, the %s</font></td></tr>\n",
            scene->is_uniform ? "" : "capacity, ", scene->has_plan ? "use, " : "",
            has_latencies(scene->topology) ? "latency; " : "",
            scene->has_plan ? "fuller" : "faster");
    if (scene->num_trees > 0) {
        fputs("    <tr><td></td><td></td><td align=\"right\">rate</td>"
              "<td align=\"right\">of the message</td>"
              "<td align=\"right\">root to leaf</td></tr>\n",
              out);
    }
}

static void write_legend(const map_scene_t *scene, FILE *out)
{
    write_title(scene, out);
    write_keys(scene, out);
    for (int t = 0; t < scene->num_trees && t < MAP_NUM_COLOURS; t++) {
        const map_tree_t *tree = &scene->trees[t];

        fprintf(
            out,
            "    <tr><td align=\"left\"><font color=\"%s\">&#9679; tree %d</font></td>"
            "<td align=\"left\">root ",
            tree->colour, t + 1);
        mtree_table_escape(tree->root_name, out);
        fprintf(out,
                "</td><td align=\"right\">%s</td><td align=\"right\">%s</td>"
                "<td align=\"right\">%s</td></tr>\n",
                tree->rate, tree->share, tree->height);
    }
    if (scene->num_trees > MAP_NUM_COLOURS) {
        fprintf(out, "    <tr><td colspan=\"5\">and %d more trees</td></tr>\n",
                scene->num_trees - MAP_NUM_COLOURS);
    }
    fputs("  </table>>;\n", out);
}

void map_dot_write(const map_scene_t *scene, FILE *out)
{
    bool large = scene->topology->num_vertices > LARGE_MAP;

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
    write_legend(scene, out);
    for (int v = 0; v < scene->topology->num_vertices; v++) {
        write_vertex(scene, v, out);
    }
    for (int l = 0; l < scene->topology->num_links; l++) {
        write_link(scene, l, out);
    }
    fputs("}\n", out);
}
