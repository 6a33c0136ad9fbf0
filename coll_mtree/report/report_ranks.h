/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a report knows of all ranks together: their times, and the rates between hosts.
 */
#ifndef COLL_MTREE_REPORT_REPORT_RANKS_H
#define COLL_MTREE_REPORT_REPORT_RANKS_H

#include "coll_mtree/report/report_data.h"

#include "report/traffic.h"

/* Times of the ranks that were gathered, this one included; seconds. */
typedef struct {
    int ranks;
    double mean;    /* of the ranks' means */
    double slowest; /* the largest of them */
} coll_mtree_ranks_t;

/* The times of the calls of @a record that @a backend served; this rank timed some. */
coll_mtree_ranks_t coll_mtree_report_ranks(const coll_mtree_report_t *report,
                                           const coll_mtree_record_t *record,
                                           int backend);

/*
 * Seconds until such a call was done on all ranks; 0: none was timed.  Where all ranks
 * depend on each other it is this rank's median.  With a root, the root or others may
 * leave long before, so it is the slowest rank's mean.
 */
double coll_mtree_report_seconds(const coll_mtree_report_t *report,
                                 const coll_mtree_record_t *record, int backend);

/* The sum of that over all timed calls. */
double coll_mtree_report_sum_seconds(const coll_mtree_report_t *report,
                                     const coll_mtree_record_t *record, int backend);

/*
 * Add to @a gave [2 x links of @a topology] the rates between the hosts of @a group,
 * which has a planning context and which @a routes numbers: those of all calls, or while
 * the job runs those of the latest ones.
 */
void coll_mtree_report_measure(const coll_mtree_report_t *report,
                               const coll_mtree_group_t *group,
                               const mtree_topology_t *topology,
                               const mtree_routes_t *routes, mtree_traffic_gave_t *gave);

#endif
