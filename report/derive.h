/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of a report needs the planner: where its plans and paths lie on its topologies,
 * and the least times of its calls.  Python derives the rest (tools/reporter/derive.py).
 */
#ifndef MTREE_REPORT_DERIVE_H
#define MTREE_REPORT_DERIVE_H

#include "base/status.h"

#include <jansson.h>

/* The value of "format"; another number means that names have changed. */
#define MTREE_REPORT_FORMAT "mtree-report 4"

/*
 * Add to @a report, which has all lists:
 * - to topologies the members of report/network.h, and to links "map_bps" where another
 *   capacity was measured than they have on the map;
 * - to plans the marks of report/network.h, and "load": what each arc carries per byte of
 *   a call, each edge of a tree carrying the tree's share;
 * - to communicators "path_arcs": the arcs of each of their "paths";
 * - to calls "bound_seconds", "bound_by" and "bound_limit", for their mean size.
 * Plans and communicators that are on no topology get none.
 * MTREE_ERR_INVALID where the report contradicts itself, which is logged.
 */
mtree_status_t mtree_report_derive(json_t *report);

#endif
