/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two sides of a random case that moves another block between each two ranks: what a
 * rank sends and what it receives.
 */
#ifndef MTREE_TESTS_MPI_RANDOM_SIDES_H
#define MTREE_TESTS_MPI_RANDOM_SIDES_H

#include "tests/mpi/random_case.h"

/* Items of the block that goes from rank @a from to rank @a to.  What a rank sends in
 * place has the size of what it receives. */
int block_items(const case_t *c, int from, int to);

/* The packed image of that block. */
void block_fill(const case_t *c, int from, int to, char *packed);

/* The items of the block of the side that goes to, or comes from, @a peer. */
int side_items(const case_t *c, bool receives, int peer);

/* Lay out the blocks of a side: one behind the other, or in any order with gaps. */
void side_create(case_t *c, bool receives, const item_layout_t *layout);
void side_free(const case_t *c, side_t *side);

/* Fill what this rank sends. */
void exchange_fill(case_t *c);

#endif
