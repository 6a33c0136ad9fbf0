/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank programs for allgather and reduce_scatter: the vector lies in WORK, with the
 * blocks in an order in which each message is one piece.
 */
#ifndef MTREE_PLANNER_PROGRAM_BLOCKS_H
#define MTREE_PLANNER_PROGRAM_BLOCKS_H

#include "planner/program/job.h"

/* What the leader of a host knows.  Everything belongs to mtree_blocks_build(). */
typedef struct {
    const mtree_program_job_t *job;
    mtree_program_t *program; /* peers are called by their places */
    int place;
    const size_t *first; /* [num_hosts + 1] where in WORK the blocks of the i-th host of
                            the sequence begin, and where the last ones end */
} mtree_blocks_t;

typedef struct {
    /* The places whose blocks follow one another in WORK at the host at @a place, into @a
     * sequence, [num_hosts]. */
    void (*order)(const mtree_program_job_t *job, int place, int *sequence);

    /* Add what the leader does.  Of an allgather WORK has the blocks of its host, and in
     * the end all; of a reduce_scatter it has the sum over its host, and in the end the
     * blocks of the host have the sum over all. */
    void (*between)(const mtree_blocks_t *blocks);
} mtree_blocks_kind_t;

/* All that a rank does in an allgather or reduce_scatter. */
void mtree_blocks_build(const mtree_blocks_kind_t *kind, const mtree_program_job_t *job,
                        mtree_program_t *program);

#endif
