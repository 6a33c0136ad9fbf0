/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as JSON, as docs/report.md describes it, and what it is made from besides
 * the statistics.
 */
#ifndef COLL_MTREE_REPORT_REPORT_JSON_H
#define COLL_MTREE_REPORT_REPORT_JSON_H

#include "coll_mtree/report/statistics.h"

#include <jansson.h>

typedef struct {
    bool is_complete;     /* at MPI_Finalize */
    double began;         /* on the clock */
    int64_t started;      /* seconds since 1970 */
    int ranks;            /* of MPI_COMM_WORLD */
    const char *obstacle; /* why mtree could not serve MPI_COMM_WORLD; NULL: it could */
    json_t *times;        /* a list of what the ranks that are heard handed over */
} coll_mtree_report_t;

/* The text of the report, malloc'ed.  To be called between coll_mtree_statistics_lock()
 * and _unlock(). */
char *coll_mtree_report_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups);

#endif
