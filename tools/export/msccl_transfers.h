/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What crosses the edges of a plan's trees, in chunks of one size, and in one order for
 * all hosts.  Each transfer comes after those that it needs, and every thread block of a
 * program (tools/export/msccl_program.h) keeps to the order, so the earliest one that is
 * not done can always be done: no two wait for each other.
 */
#ifndef MTREE_TOOLS_EXPORT_MSCCL_TRANSFERS_H
#define MTREE_TOOLS_EXPORT_MSCCL_TRANSFERS_H

#include "planner/plan/plan.h"

/* Chunks that follow each other and that a tree carries together. */
typedef struct {
    int tree;
    int first; /* of the vector, or of the root's block */
    int count;
} msccl_piece_t;

/* A piece crosses the edge above a host. */
typedef struct {
    int time;  /* what a transfer needs has an earlier one */
    int piece; /* number of the piece */
    int host;  /* below the edge */
    bool up;
} msccl_transfer_t;

typedef struct {
    int num_pieces, piece_room;
    msccl_piece_t *pieces;
    int num_transfers, transfer_room;
    msccl_transfer_t *transfers;
} msccl_transfers_t;

/*
 * The chunks of each of @a plan's trees, to @a count, [num_trees]: its share of @a
 * chunks, rounded so that all are given.  A tree of a small share may get none.
 */
void msccl_transfers_cut(const mtree_plan_t *plan, int chunks, int *count);

/*
 * Make the transfers of @a plan with @a chunks chunks of the vector or, where each rank
 * has a block, of a block; pieces have at most MSCCL_MAX_COUNT.  MTREE_ERR_NO_MEMORY is
 * not logged.  Release *order with msccl_transfers_cleanup(), also after an error.
 */
mtree_status_t msccl_transfers_make(const mtree_plan_t *plan, int chunks,
                                    msccl_transfers_t *order);

/* Free what @a order holds. */
void msccl_transfers_cleanup(msccl_transfers_t *order);

#endif
