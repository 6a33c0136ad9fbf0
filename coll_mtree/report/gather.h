/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathers at rank 0 of MPI_COMM_WORLD, for the report at the end of the job, what the
 * calls of every rank took, and what each rank sent to others.
 *
 * Each rank sends three messages.  Both sides wait for a limited time, so that a rank
 * that does not know of the report delays no other.
 */
#ifndef COLL_MTREE_REPORT_GATHER_H
#define COLL_MTREE_REPORT_GATHER_H

#include "coll_mtree/control/message.h"
#include "coll_mtree/report/statistics.h"

/* Tags of MPI_COMM_WORLD, reserved on all ranks. */
#define COLL_MTREE_RANK_REPORT_TAGS 3

/* What the calls of one record took on one rank, over one backend. */
typedef struct {
    uint64_t identity; /* of the group */
    char function[22];
    bool relayed;
    int32_t root, size_class, backend, rank;
    uint64_t timed;
    double seconds;
} coll_mtree_rank_report_time_t;

/* What one rank of a group sent to another, by their ranks in the group. */
typedef struct {
    uint64_t identity;
    int32_t from, to;
    coll_mtree_path_total_t path;
} coll_mtree_rank_report_path_t;

/* Where the time of one rank's calls went. */
typedef struct {
    int32_t rank; /* in MPI_COMM_WORLD */
    coll_mtree_clock_times_t times;
} coll_mtree_rank_report_clock_t;

typedef struct {
    int ranks; /* that it covers, this one included */
    coll_mtree_rank_report_clock_t *clocks;
    size_t num_clocks;
    coll_mtree_rank_report_time_t *times;
    size_t num_times;
    coll_mtree_rank_report_path_t *paths;
    size_t num_paths;
} coll_mtree_rank_report_t;

/* On every rank but 0: send this rank's. */
void coll_mtree_rank_report_send(const coll_mtree_channel_t *channel);

/* On rank 0: receive the others'.  *gathered_p is to be cleaned up. */
void coll_mtree_rank_report_collect(const coll_mtree_channel_t *channel,
                                    coll_mtree_rank_report_t *gathered_p);

/* Add where the time of this process's calls went, and what it sent to others in the
 * calls of @a groups.  Between coll_mtree_statistics_lock() and _unlock(). */
void coll_mtree_rank_report_add_own(const coll_mtree_group_t *groups,
                                    coll_mtree_rank_report_t *gathered);

/* Free what it holds; the number of ranks stays. */
void coll_mtree_rank_report_cleanup(coll_mtree_rank_report_t *gathered);

#endif
