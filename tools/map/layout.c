/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/layout.h"

#include "tools/map/coordinates.h"

#include "base/log.h"

#include <graphviz/gvc.h>

#define UNITS_PER_INCH 72.0
#define MOST_BY_NEATO  200 /* vertices */

/* Inches of a link, room for its label. */
#define LINK_INCHES "2.2"

static bool has_positions(const mtree_topology_t *topology)
{
    for (int v = 0; v < topology->num_vertices; v++) {
        if (!topology->vertices[v].has_position) {
            return false;
        }
    }
    return true;
}

/* A map of no directions of its own lies on its longer side, as pages are wide. */
static void lay_flat(map_point_t *places, int count)
{
    map_box_t box = map_bounds(places, count);

    for (int v = 0; v < count && box.high - box.low > box.right - box.left; v++) {
        places[v] = (map_point_t){places[v].y, places[v].x};
    }
}

static Agnode_t *node_of(Agraph_t *graph, int vertex, int create)
{
    char name[32];

    snprintf(name, sizeof(name), "%d", vertex);
    return agnode(graph, name, create);
}

/* The network for Graphviz, without looks. */
static Agraph_t *graph_of(const mtree_topology_t *topology)
{
    Agraph_t *graph = agopen("map", Agundirected, NULL);

    agattr(graph, AGEDGE, "len", LINK_INCHES);
    for (int v = 0; v < topology->num_vertices; v++) {
        (void)node_of(graph, v, 1);
    }
    for (int l = 0; l < topology->num_links; l++) {
        (void)agedge(graph, node_of(graph, topology->links[l].u, 0),
                     node_of(graph, topology->links[l].v, 0), NULL, 1);
    }
    return graph;
}

static mtree_status_t find_by_force(map_scene_t *scene)
{
    const int count = scene->topology->num_vertices;
    GVC_t *gvc = gvContext();
    Agraph_t *graph;
    bool done;

    agseterr(AGERR);
    graph = graph_of(scene->topology);
    done = gvLayout(gvc, graph, count <= MOST_BY_NEATO ? "neato" : "sfdp") == 0;
    for (int v = 0; done && v < count; v++) {
        const pointf coord = ND_coord(node_of(graph, v, 0));

        scene->places[v] =
            (map_point_t){coord.x / UNITS_PER_INCH, coord.y / POINTS_PER_INCH};
    }
    if (done) {
        lay_flat(scene->places, count);
        gvFreeLayout(gvc, graph);
    } else {
        mtree_error("Graphviz could not lay the map of %s out; leave the picture out",
                    scene->topology->name);
    }
    agclose(graph);
    gvFreeContext(gvc);
    return done ? MTREE_OK : MTREE_ERR_IO;
}

mtree_status_t map_layout_find(map_scene_t *scene)
{
    if (has_positions(scene->topology)) {
        map_coordinates_find(scene);
        return MTREE_OK;
    }
    return find_by_force(scene);
}
