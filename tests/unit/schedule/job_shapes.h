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

extern const job_shape_t job_shapes[];
extern const size_t num_job_shapes;

bool job_shape_is_personalized(const job_shape_t *shape);

/* Ranks that are no relays. */
int job_shape_num_active(const job_shape_t *shape);

/* The rank whose input unit @a i of the result is; -1: it is the sum of all. */
int job_shape_source(const job_shape_t *shape, size_t i);

/* The units that @a from sends to @a to in a personalized call, and what unit @a i is. */
size_t job_shape_block_units(const job_shape_t *shape, int from, int to);
uint32_t job_shape_block_value(int from, int to, size_t i);

/* What unit @a i of the result of @a rank of any other call is: each rank's part is in a
 * byte of its own. */
uint32_t job_shape_expected(const job_shape_t *shape, int rank, size_t i);

/* Its plan, which the caller destroys. */
mtree_plan_t *job_shape_plan(const job_shape_t *shape);

#endif
