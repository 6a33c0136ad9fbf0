/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as JSON, as docs/report.md describes it.
 */
#ifndef COLL_MTREE_REPORT_REPORT_JSON_H
#define COLL_MTREE_REPORT_REPORT_JSON_H

#include "coll_mtree/report/report_data.h"

/* The text of the report, malloc'ed; NULL: no memory.  To be called between
 * coll_mtree_statistics_lock() and _unlock(). */
char *coll_mtree_report_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups);

#endif
