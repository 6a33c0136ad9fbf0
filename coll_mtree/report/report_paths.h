/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was measured between the hosts of a group, for a report.
 */
#ifndef COLL_MTREE_REPORT_REPORT_PATHS_H
#define COLL_MTREE_REPORT_REPORT_PATHS_H

#include "coll_mtree/report/report_data.h"

#include <jansson.h>

/* An array, the caller's, of the paths between the hosts of @a group, which has a
 * planning context, as docs/report.md describes it: over all calls, or while the job runs
 * over the latest ones. */
json_t *coll_mtree_report_paths(const coll_mtree_report_t *report,
                                const coll_mtree_group_t *group);

#endif
