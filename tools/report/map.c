/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/map.h"

#include "tools/map/layout.h"
#include "tools/report/parts.h"

#include "base/log.h"
#include "base/units.h"
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in the units of the picture, which scales to the page. */
#define WIDTH       1080.0
#define LEAST_TALL  320.0
#define MOST_TALL   760.0
#define MARGIN      64.0
#define RADIUS      7.0
#define LEAST_WIDTH 1.6 /* of a direction of a link */
#define MOST_WIDTH  7.0
#define TREE_GAP    3.6 /* between trees that share a link */
#define STEPS       5   /* of use that have a colour each */

typedef struct {
    const json_t *links;
    mtree_topology_t *topology;
    map_place_t *places; /* [num_vertices] on the picture */
    double tall, widest; /* of the picture; capacity, bits/s */
    FILE *out;
} picture_t;

static mtree_status_t add_vertices(const json_t *vertices, mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;

    for (size_t i = 0; i < json_array_size(vertices) && status == MTREE_OK; i++) {
        const json_t *vertex = json_array_get(vertices, i);
        bool is_host = strcmp(mtree_page_text(vertex, "kind"), "host") == 0;
        int number;

        status = mtree_topology_add_vertex(
            topology, mtree_page_text(vertex, "name"), mtree_page_text(vertex, "host"),
            is_host ? MTREE_VERTEX_HOST : MTREE_VERTEX_SWITCH, &number);
        if (status == MTREE_OK && json_object_get(vertex, "x") != NULL) {
            topology->vertices[number].has_position = true;
            topology->vertices[number].x = mtree_page_number(vertex, "x");
            topology->vertices[number].y = mtree_page_number(vertex, "y");
        }
    }
    return status;
}

static mtree_status_t add_links(const json_t *links, mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;

    for (size_t i = 0; i < json_array_size(links) && status == MTREE_OK; i++) {
        const json_t *link = json_array_get(links, i);
        int u = mtree_topology_find_vertex(topology, mtree_page_text(link, "from"));
        int v = mtree_topology_find_vertex(topology, mtree_page_text(link, "to"));

        if (u < 0 || v < 0) {
            return MTREE_ERR_INVALID;
        }
        status = mtree_topology_add_link(topology, u, v,
                                         mtree_page_path(link, "capacity_bps", 0),
                                         mtree_page_path(link, "capacity_bps", 1),
                                         mtree_page_number(link, "latency_s"), NULL);
    }
    return status;
}

/* The topology as the report has it. */
static mtree_status_t rebuild(const json_t *json, mtree_topology_t **topology_p)
{
    mtree_status_t status =
        mtree_topology_create(mtree_page_text(json, "name"), "report", topology_p);

    if (status != MTREE_OK) {
        return status;
    }
    status = add_vertices(json_object_get(json, "vertices"), *topology_p);
    if (status == MTREE_OK) {
        status = add_links(json_object_get(json, "links"), *topology_p);
    }
    if (status != MTREE_OK) {
        mtree_error("the report's topology %s is none: names are missing, or a link's "
                    "ends are; was it edited?",
                    mtree_page_text(json, "name"));
        mtree_topology_destroy(*topology_p);
    }
    return status;
}

/* Fit the places into the picture, whose height follows; y grows downwards there. */
static void fit(picture_t *picture)
{
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    int count = picture->topology->num_vertices;
    double scale, across;

    for (int v = 0; v < count; v++) {
        left = fmin(left, picture->places[v].x);
        right = fmax(right, picture->places[v].x);
        low = fmin(low, picture->places[v].y);
        high = fmax(high, picture->places[v].y);
    }
    across = fmax(right - left, 1e-9);
    scale = fmin((WIDTH - 2 * MARGIN) / across,
                 (MOST_TALL - 2 * MARGIN) / fmax(high - low, 1e-9));
    picture->tall = fmax((high - low) * scale + 2 * MARGIN, LEAST_TALL);
    for (int v = 0; v < count; v++) {
        map_place_t *place = &picture->places[v];

        place->x = WIDTH / 2 + (place->x - (left + right) / 2) * scale;
        place->y = picture->tall / 2 - (place->y - (low + high) / 2) * scale;
    }
}

static void picture_cleanup(picture_t *picture)
{
    mtree_topology_destroy(picture->topology);
    free(picture->places);
}

static mtree_status_t picture_init(picture_t *picture, const json_t *json, FILE *out)
{
    mtree_status_t status = rebuild(json, &picture->topology);

    if (status != MTREE_OK) {
        return status;
    }
    picture->out = out;
    picture->links = json_object_get(json, "links");
    picture->widest = 0;
    picture->places =
        calloc((size_t)picture->topology->num_vertices + 1, sizeof(*picture->places));
    for (int arc = 0; arc < 2 * picture->topology->num_links; arc++) {
        picture->widest =
            fmax(picture->widest, mtree_arc_capacity(picture->topology, arc));
    }
    if (picture->places == NULL) {
        mtree_error("out of memory for the map of %s", picture->topology->name);
        status = MTREE_ERR_NO_MEMORY;
    } else {
        status = map_layout_find(picture->topology, picture->places);
    }
    if (status != MTREE_OK) {
        picture_cleanup(picture);
        return status;
    }
    fit(picture);
    return MTREE_OK;
}

/* The ends of @a arc, moved to its right by @a aside. */
static void arc_line(const picture_t *picture, int arc, double aside, map_place_t *from_p,
                     map_place_t *to_p)
{
    map_place_t from = picture->places[mtree_arc_from(picture->topology, arc)];
    map_place_t to = picture->places[mtree_arc_to(picture->topology, arc)];
    double length = fmax(hypot(to.x - from.x, to.y - from.y), 1e-9);
    double x = -(to.y - from.y) / length * aside, y = (to.x - from.x) / length * aside;

    *from_p = (map_place_t){from.x + x, from.y + y};
    *to_p = (map_place_t){to.x + x, to.y + y};
}

static void write_arc(const picture_t *picture, int arc)
{
    const json_t *link = json_array_get(picture->links, (size_t)arc / 2);
    double capacity = mtree_arc_capacity(picture->topology, arc);
    double use = mtree_page_path(link, "use", (size_t)arc % 2);
    double width =
        LEAST_WIDTH + (MOST_WIDTH - LEAST_WIDTH) * capacity / fmax(picture->widest, 1);
    char rate[MTREE_UNITS_LENGTH], size[MTREE_UNITS_LENGTH], time[MTREE_UNITS_LENGTH];
    map_place_t from, to;

    if (capacity <= 0) {
        return;
    }
    arc_line(picture, arc, width / 2 + 0.6, &from, &to);
    fprintf(picture->out,
            "<line class=\"link u%d\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
            "stroke-width=\"%.1f\"><title>",
            (int)fmax(fmin(floor(use * STEPS), STEPS - 1), 0), from.x, from.y, to.x, to.y,
            width);
    mtree_table_escape(
        picture->topology->vertices[mtree_arc_from(picture->topology, arc)].name,
        picture->out);
    fputs(" to ", picture->out);
    mtree_table_escape(
        picture->topology->vertices[mtree_arc_to(picture->topology, arc)].name,
        picture->out);
    fprintf(picture->out, ": %s sent, %.1f %% of %s, latency %s</title></line>\n",
            mtree_units_format_size(mtree_page_path(link, "bytes", (size_t)arc % 2), size,
                                    sizeof(size)),
            100 * use, mtree_units_format_rate(capacity, rate, sizeof(rate)),
            mtree_units_format_time(mtree_page_number(link, "latency_s"), time,
                                    sizeof(time)));
}

/* Trees of one plan lie beside each other on the links that they share. */
static void write_tree(const picture_t *picture, const json_t *tree, size_t plan,
                       size_t number, size_t count)
{
    const json_t *arcs = json_object_get(tree, "arcs");
    double aside = TREE_GAP * ((double)number - ((double)count - 1) / 2);

    fprintf(picture->out,
            "<g class=\"tree\" id=\"p%zut%zu\" stroke=\"%s\"><title>tree %zu, root ",
            plan, number + 1, report_parts_colour(number), number + 1);
    mtree_table_escape(mtree_page_text(tree, "root"), picture->out);
    fputs("</title>", picture->out);
    for (size_t a = 0; a < json_array_size(arcs); a++) {
        int arc = (int)json_integer_value(json_array_get(arcs, a));
        map_place_t from, to;

        if (arc < 0 || arc >= 2 * picture->topology->num_links) {
            continue;
        }
        /* Both directions of a link are drawn on the same side of it. */
        arc_line(picture, arc, arc % 2 == 0 ? aside : -aside, &from, &to);
        fprintf(picture->out, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>", from.x, from.y, to.x,
                to.y);
    }
    fputs("</g>\n", picture->out);
}

static void write_vertices(const picture_t *picture)
{
    for (int v = 0; v < picture->topology->num_vertices; v++) {
        const mtree_vertex_t *vertex = &picture->topology->vertices[v];
        const map_place_t *place = &picture->places[v];

        if (vertex->kind == MTREE_VERTEX_HOST) {
            fprintf(picture->out,
                    "<circle class=\"host\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>",
                    place->x, place->y, RADIUS);
        } else {
            fprintf(picture->out,
                    "<rect class=\"switch\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" "
                    "height=\"%.0f\" rx=\"2\"/>",
                    place->x - RADIUS + 1, place->y - RADIUS + 1, 2 * RADIUS - 2,
                    2 * RADIUS - 2);
        }
        fprintf(picture->out,
                "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                place->x, place->y - RADIUS - 5);
        mtree_table_escape(vertex->name, picture->out);
        fputs("</text>\n", picture->out);
    }
}

/* The trees of all plans on topology @a number, as groups of the picture. */
static void write_trees(const picture_t *picture, const json_t *plans, size_t number)
{
    for (size_t p = 0; p < json_array_size(plans); p++) {
        const json_t *plan = json_array_get(plans, p);
        const json_t *trees = json_object_get(plan, "trees");
        size_t count = json_array_size(trees);

        if (json_object_get(plan, "topology") == NULL ||
            (size_t)mtree_page_number(plan, "topology") != number) {
            continue;
        }
        for (size_t t = 0; t < count; t++) {
            write_tree(picture, json_array_get(trees, t), p, t, count);
        }
    }
}

mtree_status_t report_map_write(const json_t *report, size_t number, FILE *out)
{
    const json_t *json = json_array_get(json_object_get(report, "topologies"), number);
    picture_t picture;
    mtree_status_t status = picture_init(&picture, json, out);

    if (status != MTREE_OK) {
        return status;
    }
    fprintf(out,
            "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Map of the "
            "network\">\n",
            WIDTH, picture.tall);
    for (int arc = 0; arc < 2 * picture.topology->num_links; arc++) {
        write_arc(&picture, arc);
    }
    write_trees(&picture, json_object_get(report, "plans"), number);
    write_vertices(&picture);
    fputs("</svg>\n", out);
    picture_cleanup(&picture);
    return MTREE_OK;
}
