/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scene as one DOT graph with colours, widths, labels and a legend.
 */
#ifndef MTREE_TOOLS_MAP_DOT_H
#define MTREE_TOOLS_MAP_DOT_H

#include "tools/map/scene.h"

#include <stdio.h>

/*
 * Write @a scene, whose vertices have their places: capacity as width, capacity and
 * latency as labels, switches as small squares.  With a plan: a link has one line per
 * tree that crosses it, in that tree's colour, and its use in its label; roots carry a
 * dot per tree; a legend lists the trees.
 */
void map_dot_write(const map_scene_t *scene, FILE *out);

#endif
