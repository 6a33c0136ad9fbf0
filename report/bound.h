/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least time of the calls of a report.
 */
#ifndef MTREE_REPORT_BOUND_H
#define MTREE_REPORT_BOUND_H

#include "report/source.h"

/*
 * Add to @a calls the least time of a call of @a bytes, as the plan counts them, over @a
 * plan's network: `bound_seconds`, `bound_by` and `bound_limit`; nothing where the plan
 * is on no map.  MTREE_ERR_NO_MEMORY is logged.
 *
 * Where all ranks depend on each other it is that of planner/bound/least_time.h.  No
 * matter who comes first, what two of them spend in a call is at least what bits need to
 * get from each of them to the other, so the mean of the slowest rank is no shorter. With
 * a root, and in a scan, one call may begin while the last one is under way, and what any
 * rank spends in it tells of the cut alone.
 */
mtree_status_t mtree_report_bound(const mtree_report_plan_t *plan, double bytes,
                                  json_t *calls);

/* Add what part of the slowest rank's mean that is.  Returns it; 0: it is not known. */
double mtree_report_share_of_bound(json_t *calls);

#endif
