/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Baselines: the collective algorithms of Open MPI (ompi/mca/coll/base) as rank programs,
 * under the names of its `coll_tuned_<collective>_algorithm` parameters, and the choice
 * that its tuned component makes by default.  They predict whether Open MPI would be
 * faster.
 *
 * Operations are commutative; sums are made in Open MPI's order.
 */
#ifndef MTREE_SIMULATE_BASELINE_BASELINE_H
#define MTREE_SIMULATE_BASELINE_BASELINE_H

#include "planner/plan/collective.h"
#include "planner/program/program.h"

/* Add to @a tree, which has neither, parent and children of position @a position.
 * Positions are the ranks counted from the root.  Trees are private to the baselines. */
struct mtree_rank_tree;
typedef void (*mtree_rank_tree_func_t)(int position, int num_ranks,
                                       struct mtree_rank_tree *tree);

/* Whose rules hold: those of 4.1 did not change until the end of 6.0. */
typedef enum { MTREE_OPENMPI_4_1, MTREE_OPENMPI_6_1 } mtree_openmpi_release_t;

/* An Open MPI and what its choice depends on besides the call. */
typedef struct {
    mtree_openmpi_release_t release;
    bool apart; /* each rank of the communicator, which is not MPI_COMM_WORLD, has a host
                   of its own: from 6.1 on other rules hold */
} mtree_openmpi_t;

typedef struct {
    mtree_program_t *program; /* of the rank; set by mtree_baseline_build() */
    int rank, num_ranks;
    int root;       /* builders of collectives that have none see 0 */
    size_t count;   /* elements: of the vector; allgather, gather: of the whole result;
                       alltoall: that a rank sends.  Where blocks are not summed, a
                       multiple of num_ranks */
    size_t segment; /* elements per segment; 0: not cut */
    size_t element_bytes;
    bool without_copies;     /* the programs are to carry no data */
    mtree_openmpi_t openmpi; /* that chooses where an algorithm uses another collective */
    mtree_rank_tree_func_t tree; /* the algorithm's; set by mtree_baseline_build() */
} mtree_baseline_call_t;

typedef struct {
    mtree_collective_t collective;
    const char *name;
    bool segments; /* it can cut messages into segments */
    void (*build)(const mtree_baseline_call_t *call); /* adds to call->program */
    mtree_rank_tree_func_t tree; /* along which `build` sends; NULL: none */
} mtree_baseline_t;

/* The *num_p algorithms of @a collective, static; none for a value that has no row. */
const mtree_baseline_t *mtree_baselines(mtree_collective_t collective, size_t *num_p);

/* The algorithm of that name, NULL if there is none. */
const mtree_baseline_t *mtree_baseline_find(mtree_collective_t collective,
                                            const char *name);

/*
 * The algorithm that @a openmpi takes by default for a message of @a bytes (as `count` of
 * mtree_baseline_call_t has it) among @a num_ranks ranks.  It cuts nothing into segments.
 * NULL for a value that has no row.
 */
const mtree_baseline_t *mtree_baseline_default(mtree_openmpi_t openmpi,
                                               mtree_collective_t collective,
                                               int num_ranks, size_t bytes);

/*
 * Build the programs of all ranks; rank and program of @a call are ignored.  *programs_p
 * is an array of call->num_ranks programs; mtree_baseline_destroy() frees it.
 * MTREE_ERR_LIMIT (logged): the steps do not fit in memory.
 */
mtree_status_t mtree_baseline_build(const mtree_baseline_t *baseline,
                                    const mtree_baseline_call_t *call,
                                    mtree_program_t **programs_p);
void mtree_baseline_destroy(mtree_program_t *programs, int num_ranks);

#endif
