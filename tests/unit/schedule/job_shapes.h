/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs so small that every order of their events can be tried: the collective, the plan,
 * and what each unit of the result is.
 */
#ifndef MTREE_TESTS_UNIT_SCHEDULE_JOB_SHAPES_H
#define MTREE_TESTS_UNIT_SCHEDULE_JOB_SHAPES_H

#include "planner/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_MAX_RANKS 4
#define JOB_MAX_UNITS 16

/* Units from a block of a personalized call to the next. */
#define JOB_BLOCK_UNITS (JOB_MAX_UNITS / JOB_MAX_RANKS)

/* Of a shape: headers tell the sizes of personalized blocks; results of a scan leave out
 * the rank's own part; rank 0 takes its window for one of all units. */
#define JOB_UNEQUAL      1u
#define JOB_EXCLUSIVE    2u
#define JOB_WRONG_WINDOW 4u

typedef struct {
    const char *name;
    mtree_collective_t collective;
    int num_ranks, num_trees;
    int num_relays; /* the last of the ranks */
    size_t units;   /* a chunk each */
    size_t window;  /* chunks; 0: the plan's own */
    size_t sample;  /* chunks under way to a peer; 0: not paced */
    unsigned flags;
    /* Of each tree the parent and the step of each rank, one digit each: '-' is the root,
     * 'x' is outside the tree.  With steps it is a lockstep; NULL: it has none. */
    const char *parents, *steps;
} job_shape_t;

static const job_shape_t job_shapes[] = {
    /* name, collective, ranks, trees, relays, units, window, sample, flags, parents,
       steps */
    {"a chain", MTREE_ALLREDUCE, 3, 1, 0, 4, 1, 1, 0, "-01", NULL},
    {"a chain with room", MTREE_ALLREDUCE, 3, 1, 0, 3, 2, 0, 0, "-01", NULL},
    {"two chains, opposite ways", MTREE_ALLREDUCE, 3, 2, 0, 3, 1, 1, 0, "-01 12-", NULL},
    {"a star and a chain", MTREE_REDUCE, 3, 2, 0, 4, 2, 1, 0, "-00 -01", NULL},
    {"two roots", MTREE_REDUCE_SCATTER, 2, 2, 0, 6, 1, 1, 0, "-0 1-", NULL},
    {"a broadcast", MTREE_BCAST, 4, 2, 0, 4, 0, 1, 0, "-011 -202", NULL},
    /* Three chunks with a unit of each block. */
    {"a scatter over a chain", MTREE_SCATTER, 3, 1, 0, 9, 1, 1, 0, "-01", NULL},
    {"a scatter over a tree", MTREE_SCATTER, 4, 1, 0, 12, 2, 1, 0, "-011", NULL},
    {"a scatter of unequal blocks", MTREE_SCATTER, 3, 1, 0, 9, 1, 1, JOB_UNEQUAL, "-01",
     NULL},
    {"a gather over a tree", MTREE_GATHER, 4, 1, 0, 12, 1, 1, 0, "-011", NULL},
    {"a gather of unequal blocks", MTREE_GATHER, 3, 1, 0, 9, 2, 1, JOB_UNEQUAL, "-01",
     NULL},
    {"an all-to-all over chains, opposite ways", MTREE_ALLTOALL, 3, 3, 0, 6, 1, 1, 0,
     "-01 1-0 12-", NULL},
    {"an all-to-all of unequal blocks", MTREE_ALLTOALL, 3, 3, 0, 3, 1, 1, JOB_UNEQUAL,
     "-01 1-1 12-", NULL},
    {"a broadcast that a relay copies", MTREE_BCAST, 4, 2, 1, 4, 1, 1, 0, "-330 -031",
     NULL},
    {"a reduction that a relay combines", MTREE_REDUCE, 4, 1, 1, 3, 1, 1, 0, "-330",
     NULL},
    {"an allreduce over a relay, and around it", MTREE_ALLREDUCE, 3, 2, 1, 4, 1, 1, 0,
     "-20 1-x", NULL},
    {"two relays in a row, opposite ways", MTREE_ALLREDUCE, 4, 2, 2, 2, 1, 0, 0,
     "-302 2-31", NULL},
    {"a broadcast over two relays with room", MTREE_BCAST, 4, 1, 2, 5, 2, 1, 0, "-302",
     NULL},
    {"blocks over a relay", MTREE_ALLGATHER, 3, 2, 1, 4, 1, 1, 0, "-20 2-1", NULL},
    /* Directly to the next host, and through the third one. */
    {"a scan", MTREE_SCAN, 3, 3, 0, 4, 1, 1, 0, "-00 1-1 22-", NULL},
    {"a scan through other ranks", MTREE_SCAN, 3, 3, 0, 3, 1, 1, 0, "-20 1-0 22-", NULL},
    {"a scan over two paths each", MTREE_SCAN, 3, 5, 0, 3, 1, 1, 0, "-00 -20 1-1 1-0 22-",
     NULL},
    {"a scan without the rank's own part", MTREE_SCAN, 3, 3, 0, 3, 1, 1, JOB_EXCLUSIVE,
     "-20 1-0 22-", NULL},
    {"lockstep", MTREE_ALLREDUCE, 3, 2, 0, 2, 0, 1, 0, "-01 12-", "012 210"},
    /* As many states as all others have together: for `make check-thorough`. */
    {"longer, opposite ways", MTREE_ALLREDUCE, 3, 2, 0, 4, 1, 1, 0, "-01 12-", NULL},
};

enum { NUM_JOB_SHAPES = sizeof(job_shapes) / sizeof(job_shapes[0]) };

static bool job_shape_is_personalized(const job_shape_t *shape)
{
    return mtree_collective_is_personalized(shape->collective);
}

/* The units that @a from sends to @a to in a personalized call, and what unit @a i is. */
static size_t job_shape_block_units(const job_shape_t *shape, int from, int to)
{
    bool moves = shape->collective == MTREE_ALLTOALL ||
                 (shape->collective == MTREE_SCATTER ? from : to) == 0;

    if (from == to || !moves) {
        return 0;
    }
    return (shape->flags & JOB_UNEQUAL) != 0 ? (size_t)(from + 2 * to) % 3
                                             : shape->units / (size_t)shape->num_ranks;
}

/* Ranks that are no relays. */
static int job_shape_num_active(const job_shape_t *shape)
{
    return shape->num_ranks - shape->num_relays;
}

/* The rank whose input unit @a i of the result is; -1: it is the sum of all. */
static int job_shape_source(const job_shape_t *shape, size_t i)
{
    if (shape->collective == MTREE_ALLGATHER) {
        return (int)(i * (size_t)job_shape_num_active(shape) / shape->units);
    }
    return shape->collective == MTREE_BCAST ? 0 : -1;
}

static uint32_t job_shape_block_value(int from, int to, size_t i)
{
    return (uint32_t)(1 + 64 * from + 16 * to) + (uint32_t)i;
}

/* What unit @a i of the result of @a rank of any other call is: each rank's part is in a
 * byte of its own. */
static uint32_t job_shape_expected(const job_shape_t *shape, int rank, size_t i)
{
    bool is_prefix = mtree_collective_is_prefix(shape->collective);
    int end = is_prefix ? rank + ((shape->flags & JOB_EXCLUSIVE) == 0)
                        : job_shape_num_active(shape);
    uint32_t sum = 0;

    if (job_shape_source(shape, i) >= 0) {
        return (uint32_t)(1 + i) << (8 * job_shape_source(shape, i));
    }
    for (int r = 0; r < end; r++) {
        sum += (uint32_t)(1 + i) << (8 * r);
    }
    return sum;
}

/* The trees that share a message with one of @a root. */
static int num_sharing(const job_shape_t *shape, const mtree_plan_t *plan, int root)
{
    bool by_root = mtree_collective_has_demands(shape->collective) &&
                   mtree_collective_has_blocks(shape->collective);
    int count = 0;

    for (int t = 0; t < shape->num_trees; t++) {
        count += !by_root || plan->trees[t].root == root;
    }
    return count;
}

/* Its plan, which the caller destroys. */
static mtree_plan_t *job_shape_plan(const job_shape_t *shape)
{
    static const char *names[JOB_MAX_RANKS] = {"a", "b", "c", "d"};
    mtree_plan_t *plan = mtree_plan_create(
        mtree_collective_has_demands(shape->collective) ? shape->collective
                                                        : MTREE_ALLREDUCE,
        "small", shape->num_ranks, names, shape->num_trees);

    plan->root = mtree_collective_has_root(shape->collective) ? 0 : -1;
    plan->num_relays = shape->num_relays;
    for (int t = 0; t < shape->num_trees; t++) {
        plan->trees[t].rate = 1e6;
        for (int r = 0; r < shape->num_ranks; r++) {
            const int at = t * (shape->num_ranks + 1) + r;
            const char parent = shape->parents[at];

            plan->trees[t].parent[r] = parent == '-'   ? -1
                                       : parent == 'x' ? MTREE_PLAN_OUTSIDE
                                                       : parent - '0';
            plan->trees[t].step[r] = shape->steps == NULL ? 0 : shape->steps[at] - '0';
            plan->trees[t].root = parent == '-' ? r : plan->trees[t].root;
        }
    }
    for (int t = 0; t < shape->num_trees; t++) {
        plan->trees[t].share = 1.0 / num_sharing(shape, plan, plan->trees[t].root);
    }
    return plan;
}

#endif
