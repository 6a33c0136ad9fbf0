/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the vertices of a map go when its file does not say so.
 */
#ifndef MTREE_TOOLS_MAP_LAYOUT_H
#define MTREE_TOOLS_MAP_LAYOUT_H

#include "tools/map/coordinates.h"

#include "base/status.h"

/*
 * The places of the vertices, to @a places [num_vertices]: by the file's positions where
 * all have one (map_places_find), else by force, on the longer side.  MTREE_ERR_IO,
 * logged, when Graphviz fails.
 */
mtree_status_t map_layout_find(const mtree_topology_t *topology, map_place_t *places);

#endif
