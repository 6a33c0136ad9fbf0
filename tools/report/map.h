/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The map of a report's topology as SVG.
 */
#ifndef MTREE_TOOLS_REPORT_MAP_H
#define MTREE_TOOLS_REPORT_MAP_H

#include "base/status.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Write the map of topology number @a number of @a report: each direction of a link by
 * itself, as wide as its capacity and coloured by its use, and each tree of the plans on
 * it as a group that is hidden until a checkbox asks for it.  MTREE_ERR_NO_MEMORY,
 * MTREE_ERR_INVALID (logged) when the report contradicts itself.
 */
mtree_status_t report_map_write(const json_t *report, size_t number, FILE *out);

#endif
