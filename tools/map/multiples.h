/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small multiples: the trees of a scene, each on a map of its own, as a DOT graph.
 */
#ifndef MTREE_TOOLS_MAP_MULTIPLES_H
#define MTREE_TOOLS_MAP_MULTIPLES_H

#include "tools/map/scene.h"

#include <stdio.h>

/*
 * Write the trees of @a scene, whose vertices have their places, side by side: on each
 * map the links that the tree crosses in its colour, as wide as their capacity, the
 * others pale, its root marked; below it its rate, its share and its height.  The places
 * are scaled.  MTREE_ERR_NO_MEMORY, logged.
 */
mtree_status_t map_multiples_write(map_scene_t *scene, FILE *out);

#endif
