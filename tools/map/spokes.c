/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/spokes.h"

#include "base/log.h"

#include <math.h>

#define SPOKE_INCHES 1.5 /* room for the label of a link */
#define APART_INCHES 1.0 /* between the ends of two spokes */
#define MOST_STEP    (M_PI / 3)

typedef struct {
    int parent;      /* of a vertex without a place: the neighbour that has one, or -1 */
    int seat;        /* which of that one's children, from 0 */
    int children;    /* of a vertex with a place */
    map_point_t way; /* away from its neighbours that have places */
} spoke_t;

static void add_way(spoke_t *spoke, map_point_t from, map_point_t to)
{
    const double length = fmax(hypot(to.x - from.x, to.y - from.y), 1e-9);

    spoke->way.x += (to.x - from.x) / length;
    spoke->way.y += (to.y - from.y) / length;
}

static void adopt(spoke_t *spokes, int parent, int child)
{
    if (spokes[child].parent < 0) {
        spokes[child].parent = parent;
        spokes[child].seat = spokes[parent].children++;
    }
}

/* Who hangs on whom, and where there is room. */
static void find_spokes(const map_scene_t *scene, const bool *placed, spoke_t *spokes)
{
    const mtree_topology_t *topology = scene->topology;

    for (int v = 0; v < topology->num_vertices; v++) {
        spokes[v] = (spoke_t){.parent = -1};
    }
    for (int l = 0; l < topology->num_links; l++) {
        const int u = topology->links[l].u, v = topology->links[l].v;

        if (placed[u] && placed[v]) {
            add_way(&spokes[u], scene->places[v], scene->places[u]);
            add_way(&spokes[v], scene->places[u], scene->places[v]);
        } else if (placed[u]) {
            adopt(spokes, u, v);
        } else if (placed[v]) {
            adopt(spokes, v, u);
        }
    }
}

static map_point_t end_of_spoke(const map_scene_t *scene, const spoke_t *spokes, int v)
{
    const spoke_t *parent = &spokes[spokes[v].parent];
    const map_point_t from = scene->places[spokes[v].parent];
    const double step = fmin(MOST_STEP, 2 * M_PI / parent->children);
    const double length = fmax(SPOKE_INCHES, APART_INCHES / step);
    const bool free = hypot(parent->way.x, parent->way.y) < 1e-6;
    const double angle = (free ? M_PI / 2 : atan2(parent->way.y, parent->way.x)) +
                         step * (spokes[v].seat - (parent->children - 1) / 2.0);

    return (map_point_t){from.x + length * cos(angle), from.y + length * sin(angle)};
}

mtree_status_t map_spokes_place(map_scene_t *scene, bool *placed)
{
    const int count = scene->topology->num_vertices;
    spoke_t *spokes;
    int found = count;

    MTREE_ARENA_ARRAY(&scene->arena, spokes, (size_t)count);
    if (spokes == NULL) {
        return mtree_no_memory("the map of %s", scene->topology->name);
    }
    while (found > 0) {
        found = 0;
        find_spokes(scene, placed, spokes);
        for (int v = 0; v < count; v++) {
            if (spokes[v].parent >= 0) {
                scene->places[v] = end_of_spoke(scene, spokes, v);
                placed[v] = true;
                found++;
            }
        }
    }
    return MTREE_OK;
}
