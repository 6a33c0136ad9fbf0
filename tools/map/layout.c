/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/layout.h"

#include "tools/map/map.h"

#include "base/log.h"

#include <graphviz/gvc.h>
#include <math.h>

/* Graphviz's units in an inch, which map_places_find() has. */
#define POINTS_AN_INCH 72.0

#define MOST_BY_NEATO 200

/* Inches of a link, room for its label. */
#define LINK_INCHES "2.2"

/* A map of no directions of its own lies on its longer side, as pages are wide. */
static void lay_flat(map_place_t *places, int count)
{
    double across[2] = {INFINITY, -INFINITY}, along[2] = {INFINITY, -INFINITY};

    for (int v = 0; v < count; v++) {
        across[0] = fmin(across[0], places[v].x);
        across[1] = fmax(across[1], places[v].x);
        along[0] = fmin(along[0], places[v].y);
        along[1] = fmax(along[1], places[v].y);
    }
    for (int v = 0; v < count && along[1] - along[0] > across[1] - across[0]; v++) {
        places[v] = (map_place_t){places[v].y, places[v].x};
    }
}

/* Graphviz's places, by force. */
static mtree_status_t lay_out(const mtree_topology_t *topology, map_place_t *places)
{
    const char *engine = topology->num_vertices <= MOST_BY_NEATO ? "neato" : "sfdp";
    GVC_t *gvc = gvContext();
    Agraph_t *graph = agopen("map", Agundirected, NULL);
    bool done;
    char name[32];

    agseterr(AGERR);
    agattr(graph, AGEDGE, "len", LINK_INCHES);
    for (int v = 0; v < topology->num_vertices; v++) {
        snprintf(name, sizeof(name), "%d", v);
        (void)agnode(graph, name, 1);
    }
    for (int l = 0; l < topology->num_links; l++) {
        char ends[2][32];

        snprintf(ends[0], sizeof(ends[0]), "%d", topology->links[l].u);
        snprintf(ends[1], sizeof(ends[1]), "%d", topology->links[l].v);
        (void)agedge(graph, agnode(graph, ends[0], 0), agnode(graph, ends[1], 0), NULL,
                     1);
    }
    done = gvLayout(gvc, graph, engine) == 0;
    for (int v = 0; done && v < topology->num_vertices; v++) {
        snprintf(name, sizeof(name), "%d", v);
        places[v].x = ND_coord(agnode(graph, name, 0)).x / POINTS_AN_INCH;
        places[v].y = ND_coord(agnode(graph, name, 0)).y / POINTS_AN_INCH;
    }
    if (done) {
        lay_flat(places, topology->num_vertices);
        gvFreeLayout(gvc, graph);
    } else {
        mtree_error("Graphviz could not lay the map of %s out; leave the picture out",
                    topology->name);
    }
    agclose(graph);
    gvFreeContext(gvc);
    return done ? MTREE_OK : MTREE_ERR_IO;
}

mtree_status_t map_layout_find(const mtree_topology_t *topology, map_place_t *places)
{
    if (map_has_positions(topology)) {
        map_places_find(topology, places);
        return MTREE_OK;
    }
    return lay_out(topology, places);
}
