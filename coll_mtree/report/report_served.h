/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What served the calls of a record, and why, as JSON that docs/report.md describes. What
 * is returned is the caller's.
 */
#ifndef COLL_MTREE_REPORT_REPORT_SERVED_H
#define COLL_MTREE_REPORT_REPORT_SERVED_H

#include "coll_mtree/report/report_data.h"

#include <jansson.h>

/* An array: the calls and times of each backend that served some of @a record. */
json_t *coll_mtree_report_served(const coll_mtree_report_t *report,
                                 const coll_mtree_record_t *record);

/* An array: the rate of each tree of the plan, bits/s of message. */
json_t *coll_mtree_report_tree_rates(const coll_mtree_record_t *record);

/* An array: each reason for which the fallback served calls of @a record, with their
 * number. */
json_t *coll_mtree_report_fallbacks(const coll_mtree_record_t *record);

#endif
