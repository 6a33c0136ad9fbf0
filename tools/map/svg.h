/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scene as SVG for a page that has its style and its script (tools/report/parts.h).
 */
#ifndef MTREE_TOOLS_MAP_SVG_H
#define MTREE_TOOLS_MAP_SVG_H

#include "tools/map/scene.h"

#include <stdio.h>

#define MAP_SVG_STEPS 5 /* of use that have a colour each, classes u0 to u4 */

/*
 * Write @a scene, whose vertices have their places: each direction of a link by itself,
 * as wide as its capacity and coloured by its use, and each tree as a group "pPLANtTREE",
 * hidden until a checkbox asks for it.  The places are scaled.
 */
void map_svg_write(map_scene_t *scene, FILE *out);

#endif
