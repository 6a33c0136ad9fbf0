/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network of a report, its traffic and its trees as a scene (tools/map/scene.h).
 */
#ifndef MTREE_TOOLS_REPORT_SCENE_H
#define MTREE_TOOLS_REPORT_SCENE_H

#include "tools/map/scene.h"

/*
 * Make the scene of topology number @a number of @a report, with the trees of all plans
 * on it.  The topology at *topology_p and @a scene are
 * the caller's; @a report must outlive both.  MTREE_ERR_NO_MEMORY,
 * MTREE_ERR_INVALID (logged) when the report contradicts itself.
 */
mtree_status_t report_scene_create(const json_t *report, size_t number,
                                   mtree_topology_t **topology_p, map_scene_t *scene);

#endif
