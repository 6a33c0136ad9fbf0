/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  Plans as JSON (docs/plan-file.md): what `mtree plan --json` prints and
 * `coll_mtree_plan` reads.
 */
#ifndef MTREE_PLANNER_PLAN_JSON_H
#define MTREE_PLANNER_PLAN_JSON_H

#include "planner/plan/plan.h"

/*
 * The plan as one JSON object: collective, algorithm, throughput_bps, bound_bps, height,
 * root, bytes, seconds, limit, hosts: [name], trees: [{root, rate_bps, share,
 * chunk_bytes, edges: [[parent, child], ...], latency_s: [...]}]. Roots and edges name
 * hosts.  *text_p is malloc'ed, NUL-terminated, the caller's.
 */
mtree_status_t mtree_plan_to_json(const mtree_plan_t *plan, char **text_p);

/*
 * The reverse; checked with mtree_plan_check (no routes).  @a name stands for the source
 * in messages. Hostile input ends in one logged line and MTREE_ERR_INVALID or
 * MTREE_ERR_LIMIT.
 */
mtree_status_t mtree_plan_from_json(const char *text, size_t length, const char *name,
                                    mtree_plan_t **plan_p);

#endif
