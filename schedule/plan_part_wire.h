/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan parts as bytes, the way rank 0 sends them to the other ranks.
 *
 * A part travels in two pieces.  The common piece is the same for all hosts: the sizes,
 * whether the plan is direct, the program that it names and its order, and of each tree
 * its root, rate, share, chunk, longest edge and, where it is personalized, widest
 * subtree.  The own piece has the edges at one host, the hosts below it, and the cables.
 * Integers are sent in groups of seven
 * bits, the lowest first, so that most take one byte; other numbers are IEEE doubles,
 * lowest byte first.  Each piece begins with the version of the form.
 */
#ifndef MTREE_SCHEDULE_PLAN_PART_WIRE_H
#define MTREE_SCHEDULE_PLAN_PART_WIRE_H

#include "schedule/plan_part.h"

/* What a reader of another version refuses. */
#define MTREE_PLAN_PART_VERSION 9

/* A piece that is written, malloc'ed; zeros: none. */
typedef struct {
    char *bytes;
    size_t length;
} mtree_piece_t;

/* Write the @a own piece of @a part, and the @a common one unless it is there. */
void mtree_plan_part_write(const mtree_plan_part_t *part, mtree_piece_t *common,
                           mtree_piece_t *own);

/*
 * Cut @a plan for ranks on @a host [num_ranks]: the common piece, and the own pieces of
 * all ranks one after the other, @a lengths [num_ranks] bytes each.  A length of 0 stands
 * for the piece of the rank before, which is on the same host.  Both are the caller's,
 * also on MTREE_ERR_LIMIT: one has more than INT_MAX bytes.
 */
mtree_status_t mtree_plan_parts_write(const mtree_plan_t *plan, const int *host,
                                      int num_ranks, mtree_piece_t *common,
                                      mtree_piece_t *own, int *lengths);

/* Is @a part, whose numbers are in their ranges, safe to make layouts from?
 * MTREE_ERR_INVALID, not logged. */
mtree_status_t mtree_plan_part_check(const mtree_plan_part_t *part);

/*
 * The part of both pieces; the caller's reference.  Any bytes may be given.  A part that
 * is read is safe to make layouts from.  MTREE_ERR_INVALID, logged: the bytes are no part
 * or of another version.
 */
mtree_status_t mtree_plan_part_read(const void *common, size_t common_length,
                                    const void *own, size_t own_length,
                                    mtree_plan_part_t **part_p);

#endif
