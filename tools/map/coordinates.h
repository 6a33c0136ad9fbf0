/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the vertices of a topology that has positions are drawn.
 */
#ifndef MTREE_TOOLS_MAP_COORDINATES_H
#define MTREE_TOOLS_MAP_COORDINATES_H

#include "topo/topology.h"

typedef struct {
    double x, y;
} map_place_t;

/*
 * From the file's plane to inches on paper, to @a places [num_vertices]: a typical link
 * is long enough for its label, directions are kept, and what is far from everything else
 * comes nearer.
 */
void map_places_find(const mtree_topology_t *topology, map_place_t *places);

#endif
