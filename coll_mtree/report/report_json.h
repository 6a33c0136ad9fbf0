/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as JSON, as docs/report.md describes it, and what it is made from besides
 * the statistics.
 */
#ifndef COLL_MTREE_REPORT_REPORT_JSON_H
#define COLL_MTREE_REPORT_REPORT_JSON_H

#include "coll_mtree/report/gather.h"

/* One call of the timeline. */
typedef struct {
    const coll_mtree_record_t *record;
    coll_mtree_backend_t backend;
    double began;   /* seconds since the report's begin */
    double seconds; /* that the call took */
    double bytes;
} coll_mtree_timeline_event_t;

typedef struct {
    bool is_complete;     /* at MPI_Finalize */
    double seconds;       /* since its begin */
    int64_t started;      /* seconds since 1970 */
    int ranks;            /* of MPI_COMM_WORLD */
    const char *obstacle; /* why mtree could not serve MPI_COMM_WORLD; NULL: it could */

    /* What this rank sent; at MPI_Finalize also what the other ranks sent to rank 0. */
    coll_mtree_rank_report_t gathered;

    /* The latest calls, in a ring of num_timeline_events, the oldest at
     * first_timeline_event. */
    const coll_mtree_timeline_event_t *timeline_events;
    size_t num_timeline_events, first_timeline_event;
    uint64_t calls; /* timed ones, also those that are no longer in the ring */
    coll_mtree_totals_t totals;
} coll_mtree_report_t;

/* The text of the report, malloc'ed; NULL: no memory.  To be called between
 * coll_mtree_statistics_lock() and _unlock(). */
char *coll_mtree_report_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups);

#endif
