/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of the job (coll_mtree_report): what the collectives did and took, written
 * by rank 0 of MPI_COMM_WORLD at MPI_Finalize, and before that now and then
 * (coll_mtree_report_live).
 *
 * It covers the communicators that rank 0 is in.  What calls are and how they went is the
 * same on all their ranks; of the times and of what their ways gave the other ranks tell
 * at the end (coll_mtree/report/gather.h).
 */
#ifndef COLL_MTREE_REPORT_REPORT_H
#define COLL_MTREE_REPORT_REPORT_H

#include "coll_mtree/report/gather.h"

#include "report/traffic.h"

/* One call of the timeline. */
typedef struct {
    const coll_mtree_record_t *record;
    coll_mtree_backend_t backend;
    double began, seconds, bytes; /* began: since the report's beginning */
} coll_mtree_timeline_event_t;

/* What a report is made from, beside the statistics. */
typedef struct {
    bool is_complete;     /* at MPI_Finalize */
    double seconds;       /* since its beginning */
    int64_t started;      /* seconds since 1970 */
    int ranks;            /* of MPI_COMM_WORLD */
    const char *obstacle; /* why mtree could not serve MPI_COMM_WORLD; NULL: it could */
    coll_mtree_rank_report_t
        gathered; /* this rank's ways, at MPI_Finalize the others' words */
    const coll_mtree_timeline_event_t *timeline_events; /* [num_moments] the calls, oldest
                                           first, from first_moment on, in a ring */
    size_t num_timeline_events, first_timeline_event;
    uint64_t calls; /* timed ones, those that are not in the ring any more included */
    coll_mtree_totals_t totals;
} coll_mtree_report_t;

/* MPI_COMM_WORLD is made: begin, when one is wanted.  @a module NULL: mtree cannot serve
 * it, for the reason @a obstacle, a static text. */
void coll_mtree_report_begin(mca_coll_mtree_module_t *module, const char *obstacle);

/* coll_mtree/report/report_json.c: the report as docs/report.md describes it; malloc'ed,
 * NULL: no memory.  To be called between coll_mtree_statistics_lock() and _unlock(). */
char *coll_mtree_report_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups);

/* coll_mtree/report/report_ranks.c, with what follows: what the calls of @a record that
 * @a backend timed took, over all ranks that are heard of; there must be one. */
typedef struct {
    int ranks;
    double mean, slowest; /* seconds: of the ranks' means, and the longest of them */
} coll_mtree_ranks_t;

coll_mtree_ranks_t coll_mtree_report_ranks(const coll_mtree_report_t *report,
                                           const coll_mtree_record_t *record,
                                           int backend);

/*
 * Seconds that such a call took until it was done on all ranks, 0: none was timed: where
 * all depend on all rank 0's median.  Where there is a root, it or others may leave long
 * before; then the slowest rank tells.
 */
double coll_mtree_report_seconds(const coll_mtree_report_t *report,
                                 const coll_mtree_record_t *record, int backend);

/* Add to @a gave [2 x links of @a topology] what was measured
 * between the hosts of @a group, which has a network, and which @a routes numbers: in all
 * calls, while the job runs in the latest ones. */
void coll_mtree_report_measure(const coll_mtree_report_t *report,
                               const coll_mtree_group_t *group,
                               const mtree_topology_t *topology,
                               const mtree_routes_t *routes, mtree_traffic_gave_t *gave);

#endif
