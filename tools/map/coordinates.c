/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/coordinates.h"

#include <math.h>

#define LINK_INCHES  2.4 /* of a typical link on paper: room for its label */
#define LEAST_INCHES 5.0 /* of the map's longer side */
#define MOST_INCHES  40.0
#define MIDDLE_STEPS 50
#define FAR_OFF      3.0 /* from the middle, as a multiple of what is typical */

/* How many degrees, or units of another plane, a degree of longitude is: less than one
 * away from the equator; a plane that is no map is small. */
static double squeeze_of(const map_box_t *box)
{
    return cos(fmin(fabs((box->low + box->high) / 2), 75) * M_PI / 180);
}

/* A mean of lengths, exp of the mean logarithm, which extreme ones move little. */
typedef struct {
    double sum;
    int count;
} typical_t;

static void typical_add(typical_t *typical, double length)
{
    if (length > 0) {
        typical->sum += log(length);
        ++typical->count;
    }
}

static double typical_length(const typical_t *typical)
{
    return (typical->count > 0) ? exp(typical->sum / typical->count) : 1;
}

/*
 * When a vertex is FAR_OFF times as far from the middle as is typical, all beyond the
 * typical distance move towards the middle, the farthest most: else one host overseas
 * leaves no room for the others.
 */
static void draw_in(map_point_t *places, int count)
{
    typical_t typical = {0, 0};
    double farthest = 0, limit;

    for (int i = 0; i < count; i++) {
        double far = hypot(places[i].x, places[i].y);

        typical_add(&typical, far);
        farthest = fmax(farthest, far);
    }
    limit = typical_length(&typical);
    for (int i = 0; farthest > FAR_OFF * limit && i < count; i++) {
        double far = hypot(places[i].x, places[i].y) / limit;

        if (far > 1) {
            places[i].x *= (1 + log(far)) / far;
            places[i].y *= (1 + log(far)) / far;
        }
    }
}

/* The point with the least sum of distances to the places, which few far ones hardly
 * move: Weiszfeld's method. */
static map_point_t find_middle(const map_point_t *places, int count)
{
    map_point_t middle = {0, 0};

    for (int step = 0; step < MIDDLE_STEPS; ++step) {
        double x = 0, y = 0, sum = 0;

        for (int i = 0; i < count; ++i) {
            double far = hypot(places[i].x - middle.x, places[i].y - middle.y);
            /* At first all count alike, which gives the mean. */
            double weight = (step == 0) ? 1 : 1 / fmax(far, 1e-9);

            x += weight * places[i].x;
            y += weight * places[i].y;
            sum += weight;
        }
        middle = (map_point_t){x / sum, y / sum};
    }
    return middle;
}

/* The vertices around the middle of all. */
static void centre_vertices(const mtree_topology_t *topology, map_point_t *places)
{
    const int count = topology->num_vertices;
    map_box_t box;
    map_point_t middle;
    double squeeze;

    for (int i = 0; i < count; i++) {
        places[i] = (map_point_t){topology->vertices[i].x, topology->vertices[i].y};
    }
    box = map_bounds(places, count);
    squeeze = squeeze_of(&box);
    for (int i = 0; i < count; i++) {
        places[i].x *= squeeze;
    }
    middle = find_middle(places, count);
    for (int i = 0; i < count; i++) {
        places[i].x -= middle.x;
        places[i].y -= middle.y;
    }
}

void map_coordinates_find(map_scene_t *scene)
{
    const mtree_topology_t *topology = scene->topology;
    map_point_t *places = scene->places;
    typical_t typical = {0, 0};
    map_box_t box;
    double side, scale;

    centre_vertices(topology, places);
    draw_in(places, topology->num_vertices);
    box = map_bounds(places, topology->num_vertices);
    for (int i = 0; i < topology->num_links; i++) {
        const map_point_t *u = &places[topology->links[i].u];
        const map_point_t *v = &places[topology->links[i].v];

        typical_add(&typical, hypot(u->x - v->x, u->y - v->y));
    }
    side = fmax(box.right - box.left, box.high - box.low);
    side = (side > 0) ? side : 1;
    scale = LINK_INCHES / typical_length(&typical);
    scale = fmin(fmax(scale, LEAST_INCHES / side), MOST_INCHES / side);
    for (int i = 0; i < topology->num_vertices; i++) {
        places[i] = (map_point_t){(places[i].x - box.left) * scale,
                                  (places[i].y - box.low) * scale};
    }
}
