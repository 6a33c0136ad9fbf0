/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rank programs that a plan may name instead of trees.  Short calls are over before
 * trees pay: a program sends few messages, and each of them whole.
 *
 * Every rank builds its own program from the plan's order of hosts and from where the
 * ranks are, so no schedule is sent.
 */
#ifndef MTREE_PLANNER_PROGRAM_BUILD_H
#define MTREE_PLANNER_PROGRAM_BUILD_H

#include "planner/program/job.h"

typedef enum {
    MTREE_PROGRAM_NONE, /* trees */
    MTREE_PROGRAM_EXCHANGE,
    MTREE_PROGRAM_DOUBLING,
    MTREE_PROGRAM_HALVING,
    MTREE_PROGRAM_BRUCK,
    MTREE_PROGRAM_SWING,
    MTREE_PROGRAM_STAGES,
    MTREE_PROGRAM_LAST
} mtree_program_kind_t;

/* The kind of this name, which is also that of an algorithm of the planner;
 * MTREE_PROGRAM_NONE: no program has it. */
mtree_program_kind_t mtree_program_find(const char *name);

/* Does @a kind do @a collective? */
bool mtree_program_does(mtree_program_kind_t kind, mtree_collective_t collective);

/* Can @a kind be built for hosts of this shape?  Swing and staged exchanges need one, the
 * others take none. */
bool mtree_program_has_shape(mtree_program_kind_t kind, const int *shape, int num_hosts);

/*
 * Add to *program, which is zeroed but for `without_copies`, what the rank of @a job
 * does. It reads INPUT, and RESULT has what the collective gives it at the end; RESULT
 * may be changed before on all ranks.  mtree_program_clear() frees it.
 */
void mtree_program_build(mtree_program_kind_t kind, const mtree_program_job_t *job,
                         mtree_program_t *program);

#endif
