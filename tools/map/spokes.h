/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of vertices of which the file has no position: around neighbours that have one.
 */
#ifndef MTREE_TOOLS_MAP_SPOKES_H
#define MTREE_TOOLS_MAP_SPOKES_H

#include "tools/map/scene.h"

/*
 * Give all vertices a place, inches, of which @a placed [num_vertices] says that some
 * have one; then all that are joined to these have.  A vertex goes a spoke's length from
 * its neighbour, on the side where that one has no other.  MTREE_ERR_NO_MEMORY, logged.
 */
mtree_status_t map_spokes_place(map_scene_t *scene, bool *placed);

#endif
