/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the vertices of a map go.
 */
#ifndef MTREE_TOOLS_MAP_LAYOUT_H
#define MTREE_TOOLS_MAP_LAYOUT_H

#include "tools/map/scene.h"

/*
 * Find the places of the scene's vertices: by the file's positions where two or more have
 * one, the others around these; else by force, the longer side across.  MTREE_ERR_IO,
 * logged, when Graphviz fails; MTREE_ERR_NO_MEMORY, logged.
 */
mtree_status_t map_layout_find(map_scene_t *scene);

#endif
