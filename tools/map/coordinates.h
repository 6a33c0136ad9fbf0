/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the vertices of a topology that has positions are drawn.
 */
#ifndef MTREE_TOOLS_MAP_COORDINATES_H
#define MTREE_TOOLS_MAP_COORDINATES_H

#include "tools/map/scene.h"

/*
 * The places of the vertices, from the file's plane to inches on paper: a typical link is
 * long enough for its label, directions are kept, and what is far from everything else
 * comes nearer.
 */
void map_coordinates_find(map_scene_t *scene);

#endif
