/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as JSON, as docs/report.md describes it, and what it is made from besides
 * the statistics.
 */
#ifndef COLL_MTREE_REPORT_REPORT_JSON_H
#define COLL_MTREE_REPORT_REPORT_JSON_H

#include "coll_mtree/report/statistics.h"

/* Calls in the timeline: the newest. */
#define COLL_MTREE_TIMELINE 4096

/* One call of the timeline. */
typedef struct {
    const coll_mtree_record_t *record; /* NULL: it is forgotten */
    coll_mtree_backend_t backend;
    double began;   /* seconds since the report's begin */
    double seconds; /* that the call took */
    double bytes;
} coll_mtree_timeline_event_t;

/* One thing that a rank hands over; sent as it is. */
typedef struct {
    enum {
        COLL_MTREE_ROW_CLOCK, /* where the time of its calls went */
        COLL_MTREE_ROW_TIMES, /* what the calls of a record took over one backend */
        COLL_MTREE_ROW_PATH   /* what it sent to another rank of a group */
    } kind;
    int32_t rank;      /* in MPI_COMM_WORLD */
    uint64_t identity; /* of the group; but for clocks */
    union {
        coll_mtree_clock_times_t clock;
        struct {
            char function[22];
            bool relayed;
            int32_t root, size_class, backend;
            uint64_t timed;
            double seconds;
        } times;
        struct {
            int32_t from, to; /* by their ranks in the group */
            mtree_path_total_t total;
        } path;
    };
} coll_mtree_rank_row_t;

/* What the ranks have handed over. */
typedef struct {
    int ranks; /* that it covers, this one included */
    coll_mtree_rank_row_t *rows;
    int num_rows, capacity;
} coll_mtree_rank_report_t;

typedef struct {
    bool is_complete;     /* at MPI_Finalize */
    double seconds;       /* since its begin */
    int64_t started;      /* seconds since 1970 */
    int ranks;            /* of MPI_COMM_WORLD */
    const char *obstacle; /* why mtree could not serve MPI_COMM_WORLD; NULL: it could */

    /* This rank's; at MPI_Finalize also what the other ranks sent to rank 0. */
    coll_mtree_rank_report_t gathered;

    coll_mtree_timeline_event_t *timeline; /* [COLL_MTREE_TIMELINE] a ring, on rank 0 */
    uint64_t calls; /* timed ones, also those that are no longer in it */
} coll_mtree_report_t;

/* The text of the report, malloc'ed; NULL: no memory.  To be called between
 * coll_mtree_statistics_lock() and _unlock(). */
char *coll_mtree_report_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups);

#endif
