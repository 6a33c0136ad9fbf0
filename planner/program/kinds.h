/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The programs that planner/program/build.h chooses from.  All their receives begin
 * before everything else, so builders add each where it is waited for.
 *
 * Exchanges: each host sends what it has to every other one that needs it, at once.  All
 * add in the same order, so that all have the same bits.
 *
 * Butterflies: exchanges in log2 rounds, in each of which every member swaps with one
 * partner.  Members are a power of two of the places.  The host of another place gives
 * what it has to a member at first and gets the result from it at last (R. Thakur, R.
 * Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH,
 * 2005, sections 4.4 and 4.5).
 */
#ifndef MTREE_PLANNER_PROGRAM_KINDS_H
#define MTREE_PLANNER_PROGRAM_KINDS_H

#include "base/arena.h"
#include "planner/program/job.h"

/* The ranks of a job by the places of their hosts in its order.  Everything belongs to
 * mtree_program_build(). */
typedef struct {
    int place;     /* of the rank's host */
    int *place_of; /* [num_ranks] of a rank's host */
    int *leader;   /* [num_hosts] by place */
    int *first; /* [num_hosts + 2] where those of the host at a place begin in `list` */
    int *list;  /* [num_ranks] */
    mtree_arena_t *arena;
} mtree_ranks_t;

/* How many ranks has the host at @a place? */
static inline int mtree_ranks_num(const mtree_ranks_t *ranks, int place)
{
    return ranks->first[place + 1] - ranks->first[place];
}

/* Let @a _rank be each rank of the host at @a _place in turn. */
#define MTREE_RANKS_AT(_rank, _ranks, _place)                                            \
    for (int _i = (_ranks)->first[_place], _rank;                                        \
         _i < (_ranks)->first[(_place) + 1] && (_rank = (_ranks)->list[_i], true); _i++)

/* The first unit of the block of @a rank in the vector; that of the number of ranks ends
 * the last. */
static inline size_t mtree_block_begin(const mtree_program_job_t *job, int rank)
{
    return job->blocks != NULL ? job->blocks[rank]
                               : job->units * (size_t)rank / (size_t)job->num_ranks;
}

static inline size_t mtree_block_size(const mtree_program_job_t *job, int rank)
{
    return mtree_block_begin(job, rank + 1) - mtree_block_begin(job, rank);
}

/*
 * What the leader of a host adds to @a program, whose RESULT is the sum over its host;
 * @a place is that of the host in the job's order, by which peers are called.  RESULT
 * becomes the sum over all hosts, of a reduce on the root's host alone.
 *
 * With a shape it does so in stages: first between the hosts of each ring of its last
 * dimension, then with those sums in the one before it, and so on.
 */
void mtree_exchange_sum(const mtree_program_job_t *job, int place,
                        mtree_program_t *program);

/* Hosts that exchange their vectors: those at places of the same distance from each
 * other. */
typedef struct {
    int first, stride, num; /* places */
} mtree_circle_t;

/* One such stage: RESULT becomes the sum over @a circle, in which @a place is.  The
 * caller waits for the sends. */
void mtree_exchange_in(const mtree_program_job_t *job, const mtree_circle_t *circle,
                       int place, mtree_program_t *program);

/*
 * The same: recursive doubling has stages of two hosts.  Recursive halving sums an equal
 * part of the vector at each member, where partners swap halves of what is left, and
 * gathers the parts in the opposite order (R. Rabenseifner, Optimization of Collective
 * Reduction Operations, 2004).  Both give all hosts the same bits.
 */
void mtree_doubling_sum(const mtree_program_job_t *job, int place,
                        mtree_program_t *program);
void mtree_halving_sum(const mtree_program_job_t *job, int place,
                       mtree_program_t *program);

/*
 * The same as recursive halving, with the partners of Swing (De Sensi, Bonato, Saam,
 * Hoefler, Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024): on a
 * torus whose sizes are powers of two they are 1, 1, 3, 5, ... hops apart, in alternate
 * directions (section 3.1), and each direction of each dimension has a part of the vector
 * (section 4.1), so that all links are busy.
 *
 * This is the version for bandwidth: a reduce-scatter and an allgather.  In the one for
 * latency each rank adds in another order, so sums that round would differ; recursive
 * doubling over a torus has partners as near (planner/regular/torus.h).
 */
void mtree_swing_sum(const mtree_program_job_t *job, int place, mtree_program_t *program);

/* May an allreduce go so between the @a num_hosts hosts of a torus of @a shape, of which
 * places are the points? */
bool mtree_swing_fits(const int *shape, int num_hosts);

/* The place with which @a place swaps in @a round of @a part, a direction of a dimension.
 */
int mtree_swing_partner(const int *shape, int part, int place, int round);

/*
 * Allgather and reduce_scatter: the vector lies in WORK, with the blocks in an order in
 * which each message is one piece.
 */

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
                        const mtree_ranks_t *ranks, mtree_program_t *program);

/* An allgather by recursive doubling, and a reduce_scatter by recursive halving: the half
 * of the above that each of them is. */
extern const mtree_blocks_kind_t mtree_doubling_blocks, mtree_halving_blocks;

/* All that a rank does in a scan. */
void mtree_exchange_scan(const mtree_program_job_t *job, const mtree_ranks_t *ranks,
                         mtree_program_t *program);

/*
 * All that a rank does in an all-to-all in ceil(log2 n) rounds (J. Bruck et al.,
 * Efficient Algorithms for All-to-All Communications in Multiport Message-Passing
 * Systems, 1997, section 3): what is for the host k places on goes there in hops of the
 * powers of two that k is made of, together with all else that takes the hop.  Leaders
 * collect and hand out the blocks of their hosts' ranks; the ranks of a host send each
 * other theirs themselves.
 */
void mtree_alltoall_build(const mtree_program_job_t *job, const mtree_ranks_t *ranks,
                          mtree_program_t *program);

#endif
