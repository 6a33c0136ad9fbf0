/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data for simulated collectives, made so that every wrong, missing or doubled part is
 * noticed: what each rank contributes, and the check of what it receives.  Elements are
 * uint32_t and are added modulo 2^32.
 */
#ifndef MTREE_SIMULATE_CHECK_DATA_H
#define MTREE_SIMULATE_CHECK_DATA_H

#include "planner/plan/plan.h"

#include <stdint.h>

typedef struct {
    mtree_collective_t collective;
    int num_ranks;
    int root;       /* rank, where the collective has one */
    size_t count;   /* elements of the whole vector; alltoall: that a rank sends */
    size_t *blocks; /* [num_ranks + 1] first element of each rank's block; lengths differ
                       by one at most, the longer ones first */
} mtree_check_data_t;

/* Set up; mtree_check_data_clear() frees what it holds.  MTREE_ERR_INVALID for an unknown
 * collective (logged). */
mtree_status_t mtree_check_data_init(mtree_check_data_t *data,
                                     mtree_collective_t collective, int num_ranks,
                                     int root, size_t count);
void mtree_check_data_clear(mtree_check_data_t *data);

/* The part of its vector that rank @a rank contributes: elements *begin_p up to but not
 * *end_p. */
void mtree_check_data_input(const mtree_check_data_t *data, int rank, size_t *begin_p,
                            size_t *end_p);

/* Personalized: the first element of the block that @a rank sends to @a peer in what it
 * contributes, and of the one that comes from there in its result. */
size_t mtree_check_data_sent(const mtree_check_data_t *data, int rank, int peer);
size_t mtree_check_data_received(const mtree_check_data_t *data, int rank, int peer);

/* Element @a index of the whole vector as rank @a rank contributes it. */
uint32_t mtree_check_data_value(int rank, size_t index);

/*
 * Check the part of @a result, the whole vector in the memory of rank @a rank, that the
 * collective defines.  Of an all-to-all @a result is a block from each rank, as long as
 * block @a rank.  MTREE_ERR_TRANSPORT: the first wrong element was logged with @a
 * name, that of the algorithm.
 */
mtree_status_t mtree_check_data_check(const mtree_check_data_t *data, const char *name,
                                      int rank, const uint32_t *result);

#endif
