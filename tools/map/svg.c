/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/svg.h"

#include "report/table.h"

#include <math.h>

/* Sizes in the units of the picture, which scales to the page. */
#define WIDTH       1080.0
#define LEAST_TALL  320.0
#define MOST_TALL   760.0
#define MARGIN      64.0
#define RADIUS      7.0
#define LEAST_WIDTH 1.6 /* of a direction of a link */
#define MOST_WIDTH  7.0
#define MOST_LABELS 60  /* links; more figures could not be read */
#define TREE_GAP    3.6 /* between trees that share a link */

/* Fit the places into the picture, where y grows downwards; returns its height. */
static double fit(map_point_t *places, int count)
{
    const map_box_t box = map_bounds(places, count);
    const double height = box.high - box.low;
    const double scale = fmin((WIDTH - 2 * MARGIN) / fmax(box.right - box.left, 1e-9),
                              (MOST_TALL - 2 * MARGIN) / fmax(height, 1e-9));
    const double tall = fmax(height * scale + 2 * MARGIN, LEAST_TALL);

    for (int v = 0; v < count; v++) {
        places[v].x = WIDTH / 2 + (places[v].x - (box.left + box.right) / 2) * scale;
        places[v].y = tall / 2 - (places[v].y - (box.low + box.high) / 2) * scale;
    }
    return tall;
}

/* The ends of @a arc, moved to its right by @a aside. */
static void arc_line(const map_scene_t *scene, int arc, double aside, map_point_t ends[2])
{
    const map_point_t from = scene->places[mtree_arc_from(scene->topology, arc)];
    const map_point_t to = scene->places[mtree_arc_to(scene->topology, arc)];
    const double length = fmax(hypot(to.x - from.x, to.y - from.y), 1e-9);
    const double x = -(to.y - from.y) / length * aside;
    const double y = (to.x - from.x) / length * aside;

    ends[0] = (map_point_t){from.x + x, from.y + y};
    ends[1] = (map_point_t){to.x + x, to.y + y};
}

static void write_arc(const map_scene_t *scene, int arc, FILE *out)
{
    const mtree_topology_t *topology = scene->topology;
    const double capacity = mtree_arc_capacity(topology, arc), use = scene->use[arc];
    const double width = map_width(fmin(use, 1), LEAST_WIDTH, MOST_WIDTH);
    char rate[MTREE_UNITS_LENGTH], size[MTREE_UNITS_LENGTH], time[MTREE_UNITS_LENGTH];
    map_point_t ends[2];

    if (capacity <= 0) {
        return;
    }
    arc_line(scene, arc, width / 2 + 0.6, ends);
    fprintf(out,
            "<line class=\"link u%d\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
            "stroke-width=\"%.1f\"><title>",
            (int)fmax(fmin(floor(use * MAP_SVG_STEPS), MAP_SVG_STEPS - 1), 0), ends[0].x,
            ends[0].y, ends[1].x, ends[1].y, width);
    mtree_table_escape(topology->vertices[mtree_arc_from(topology, arc)].name, out);
    fputs(" to ", out);
    mtree_table_escape(topology->vertices[mtree_arc_to(topology, arc)].name, out);
    fprintf(
        out, ": %s sent, %.1f %% of %s, latency %s</title></line>\n",
        mtree_units_format_size(scene->bytes[arc], size, sizeof(size)), 100 * use,
        mtree_units_format_rate(capacity, rate, sizeof(rate)),
        mtree_units_format_time(topology->links[arc / 2].latency, time, sizeof(time)));
}

/* Capacity and use at the middle of a link, there and back where they differ. */
static void write_label(const map_scene_t *scene, int number, FILE *out)
{
    const mtree_link_t *link = &scene->topology->links[number];
    const double *use = &scene->use[2 * number];
    const map_point_t *u = &scene->places[link->u], *v = &scene->places[link->v];
    char rate[MTREE_UNITS_LENGTH];

    fprintf(out, "<text class=\"figure\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s",
            (u->x + v->x) / 2, (u->y + v->y) / 2 + 4,
            mtree_units_format_rate(link->capacity[0], rate, sizeof(rate)));
    if (link->capacity[1] != link->capacity[0]) {
        fprintf(out, " / %s",
                mtree_units_format_rate(link->capacity[1], rate, sizeof(rate)));
    }
    fprintf(out,
            fabs(use[0] - use[1]) < 0.005 ? ", %.0f %%</text>\n"
                                          : ", %.0f / %.0f %%</text>\n",
            100 * use[0], 100 * use[1]);
}

/* Trees of one plan lie beside each other on the links that they share. */
static void write_tree(const map_scene_t *scene, const map_tree_t *tree, FILE *out)
{
    const double aside = TREE_GAP * (tree->number - (tree->siblings - 1) / 2.0);
    map_point_t ends[2];

    fprintf(out, "<g class=\"tree%s\" id=\"p%dt%d\" stroke=\"%s\"><title>tree %d, root ",
            tree->plan == scene->trees[0].plan ? " on" : "", tree->plan, tree->number + 1,
            tree->colour, tree->number + 1);
    mtree_table_escape(tree->root_name, out);
    fputs("</title>", out);
    for (int arc = 0; arc < 2 * scene->topology->num_links; arc++) {
        if (tree->crossed[arc] > 0) {
            /* Both directions of a link are drawn on the same side of it. */
            arc_line(scene, arc, arc % 2 == 0 ? aside : -aside, ends);
            fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>", ends[0].x, ends[0].y,
                    ends[1].x, ends[1].y);
        }
    }
    fputs("</g>\n", out);
}

/* A circle; of a relay two. */
static void write_host(const map_point_t *place, bool is_relay, FILE *out)
{
    fprintf(out, "<circle class=\"host\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>", place->x,
            place->y, RADIUS);
    if (is_relay) {
        fprintf(out,
                "<circle class=\"host\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"><title>a "
                "relay</title></circle>",
                place->x, place->y, RADIUS / 2);
    }
}

static void write_vertices(const map_scene_t *scene, FILE *out)
{
    for (int v = 0; v < scene->topology->num_vertices; v++) {
        const mtree_vertex_t *vertex = &scene->topology->vertices[v];
        const map_point_t *place = &scene->places[v];

        if (vertex->kind == MTREE_VERTEX_HOST) {
            write_host(place, scene->is_relay[v], out);
        } else {
            fprintf(out,
                    "<rect class=\"switch\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" "
                    "height=\"%.0f\" rx=\"2\"/>",
                    place->x - RADIUS + 1, place->y - RADIUS + 1, 2 * RADIUS - 2,
                    2 * RADIUS - 2);
        }
        fprintf(out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                place->x, place->y - RADIUS - 5);
        mtree_table_escape(vertex->name, out);
        fputs("</text>\n", out);
    }
}

void map_svg_write(map_scene_t *scene, FILE *out)
{
    const double tall = fit(scene->places, scene->topology->num_vertices);

    fprintf(out,
            "<svg%s viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Map of the "
            "network\">\n",
            scene->num_trees > 0 ? " class=\"fading\"" : "", WIDTH, tall);
    for (int arc = 0; arc < 2 * scene->topology->num_links; arc++) {
        write_arc(scene, arc, out);
    }
    for (int t = 0; t < scene->num_trees; t++) {
        write_tree(scene, &scene->trees[t], out);
    }
    for (int l = 0; l < scene->topology->num_links; l++) {
        if (scene->topology->num_links <= MOST_LABELS) {
            write_label(scene, l, out);
        }
    }
    write_vertices(scene, out);
    fputs("</svg>\n", out);
}
