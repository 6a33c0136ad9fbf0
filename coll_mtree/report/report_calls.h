/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of a record as JSON, as docs/report.md describes it.
 */
#ifndef COLL_MTREE_REPORT_REPORT_CALLS_H
#define COLL_MTREE_REPORT_REPORT_CALLS_H

#include "coll_mtree/report/report_data.h"

#include <jansson.h>

/* What they were, what served them and why, and what that took; the caller's. */
json_t *coll_mtree_report_calls(const coll_mtree_report_t *report,
                                const coll_mtree_record_t *record);

#endif
