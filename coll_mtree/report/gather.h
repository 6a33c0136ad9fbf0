/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rank 0 of MPI_COMM_WORLD hears of the other ranks for the report at the end of the
 * job: what their calls took, and what went from them to others.
 *
 * Each rank sends two messages.  Both sides wait for them for a limited time, so that a
 * rank that knows nothing of a report holds nobody up.
 */
#ifndef COLL_MTREE_REPORT_GATHER_H
#define COLL_MTREE_REPORT_GATHER_H

#include "coll_mtree/report/statistics.h"

/* Tags of MPI_COMM_WORLD, reserved on all ranks. */
#define COLL_MTREE_RANK_REPORT_TAGS 2

/* What one rank's calls took, of one record, by one server. */
typedef struct {
    uint64_t identity; /* of the group */
    char function[23];
    bool by_arrival;
    int32_t root, size_class, backend, rank;
    uint64_t timed;
    double seconds;
} coll_mtree_rank_report_time_t;

/* What went from one rank to another of a group, by their ranks in it. */
typedef struct {
    uint64_t identity;
    int32_t from, to;
    coll_mtree_path_total_t path;
} coll_mtree_rank_report_path_t;

typedef struct {
    int ranks; /* those whose words are there, with one's own */
    coll_mtree_rank_report_time_t *times;
    size_t num_times;
    coll_mtree_rank_report_path_t *paths;
    size_t num_paths;
} coll_mtree_rank_report_t;

/* On another rank: tell rank 0. */
void coll_mtree_rank_report_send(int first_tag);

/* On rank 0: hear them.  *heard_p is to be cleaned up. */
void coll_mtree_rank_report_collect(int first_tag, coll_mtree_rank_report_t *heard_p);

/* Add what went from this process to others in the calls of @a groups.  Between
 * coll_mtree_statistics_lock() and _unlock(). */
void coll_mtree_rank_report_add_own_paths(const coll_mtree_group_t *groups,
                                          coll_mtree_rank_report_t *heard);

/* Free what it holds; how many ranks were heard stays. */
void coll_mtree_rank_report_cleanup(coll_mtree_rank_report_t *heard);

#endif
