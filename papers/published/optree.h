/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpTree: an all-gather in k stages on an optical ring with w wavelengths per fibre,
 * after Dai, Chen, Huang and Zhang, "OpTree: An Efficient Algorithm for All-gather
 * Operation in Optical Interconnect Systems" ("the paper").
 *
 * Steps are time slots: in one of them every wavelength of every fibre carries one block.
 */
#ifndef MTREE_PAPERS_PUBLISHED_OPTREE_H
#define MTREE_PAPERS_PUBLISHED_OPTREE_H

#include "planner/plan/algorithm.h"

#define MTREE_OPTREE_MAX_RANKS  4096
#define MTREE_OPTREE_MAX_STAGES 16

/* One stage: groups of neighbours on the ring are cut into `arity` children, and the
 * ranks that stand at the same position in each of the siblings send each other what they
 * have. */
typedef struct {
    int arity;     /* children per group */
    int positions; /* ranks in the largest child, each with its own all-to-all on the same
                      fibres */
    int items;     /* blocks that a rank sends to each sibling: the product of the earlier
                      arities */
    long wavelengths; /* what the stage asks of a fibre: Lemma 1 times positions and
                       * items */
    long steps;       /* wavelengths over w, rounded up */
} mtree_optree_stage_t;

/* One send of a stage: the blocks are the first num_blocks of
 * mtree_optree_blocks(schedule, from). */
typedef struct {
    int from, to;  /* ranks */
    int clockwise; /* 1: along rising ranks, 0: along falling ones; from stage 2 on within
                      the group's segment */
    int num_blocks;
} mtree_optree_send_t;

typedef struct {
    mtree_arena_t arena; /* of the arrays, the sends apart */
    int num_ranks;
    int num_stages;
    mtree_optree_stage_t stages[MTREE_OPTREE_MAX_STAGES];
    long steps;      /* of all stages */
    int *stage_send; /* [num_stages + 1] stage j's sends are sends[stage_send[j] ..
                        stage_send[j+1]-1] */
    mtree_optree_send_t *sends;
    int *blocks; /* [num_ranks][num_ranks] see mtree_optree_blocks() */
} mtree_optree_schedule_t;

/*
 * What each stage costs when the arities are whole numbers (Section III-C's example),
 * without the sends. *num_stages* stages into @a stages[num_stages]; returns the sum of
 * their steps.
 */
long mtree_optree_count_steps(int num_ranks, int num_stages, int num_wavelengths,
                              mtree_optree_stage_t *stages);

/*
 * The number of stages whose count is least, the smaller on a tie.  Equation (1) takes m
 * = N^(1/k) for a whole number; where it is not, the count differs: 1024 ranks on 64
 * wavelengths take 72 steps in 5 stages of 4, but 85, not 70, in 7 stages of 2 and 3.
 */
int mtree_optree_least_stages(int num_ranks, int num_wavelengths);

/*
 * The whole all-gather, for any number of ranks: children of a group differ by at most
 * one rank, and where a sibling has no rank at some position, the rank at that position
 * modulo its size stands in.  Every rank receives every other's block exactly once.
 * Stages of uneven groups may need more wavelengths than counted.  MTREE_ERR_INVALID,
 * MTREE_ERR_LIMIT (logged).  Free with _destroy.
 */
mtree_status_t mtree_optree_schedule_create(int num_ranks, int num_stages,
                                            int num_wavelengths,
                                            mtree_optree_schedule_t **schedule_p);

/* The blocks in the order in which rank @a rank gets them, its own first; [num_ranks],
 * the schedule's. */
const int *mtree_optree_blocks(const mtree_optree_schedule_t *schedule, int rank);

/* Free; NULL is allowed. */
void mtree_optree_schedule_destroy(mtree_optree_schedule_t *schedule);

/*
 * The algorithm "optree" of the planner, for all-gather, and reversed for reduce-scatter:
 * every rank's block takes the tree that the stages' sends form.
 */
bool mtree_optree_fits(const mtree_problem_t *problem);
mtree_status_t mtree_optree_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif
