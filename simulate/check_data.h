/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data for simulated collectives, such that every wrong, missing or doubled part shows:
 * what each rank contributes, and what it must have in the end.  Elements are uint32_t
 * and are added modulo 2^32.
 */
#ifndef MTREE_SIMULATE_CHECK_DATA_H
#define MTREE_SIMULATE_CHECK_DATA_H

#include "planner/plan/plan.h"

#include <stdint.h>

typedef struct {
    mtree_collective_t collective;
    int num_ranks;
    int root;       /* rank, for bcast and reduce */
    size_t count;   /* elements of the whole vector */
    size_t *blocks; /* [num_ranks + 1] where each rank's block begins; they differ by one
                       element at most, the longer ones first */
} mtree_check_data_t;

/* Set up; mtree_check_data_clear() frees what it holds.  MTREE_ERR_INVALID for an unknown
 * collective (logged). */
mtree_status_t mtree_check_data_init(mtree_check_data_t *sample,
                                     mtree_collective_t collective, int num_ranks,
                                     int root, size_t count);
void mtree_check_data_clear(mtree_check_data_t *sample);

/* The part of its vector that rank @a rank contributes: elements *begin_p up to but not
 * *end_p. */
void mtree_check_data_input(const mtree_check_data_t *sample, int rank, size_t *begin_p,
                            size_t *end_p);

/* Element @a index of the whole vector as rank @a rank contributes it. */
uint32_t mtree_check_data_value(int rank, size_t index);

/*
 * Is @a result, the whole vector as rank @a rank has it, right wherever the collective
 * says what must be there?  Logs the first wrong element with @a name, the algorithm's;
 * MTREE_ERR_TRANSPORT.
 */
mtree_status_t mtree_check_data_check(const mtree_check_data_t *sample, const char *name,
                                      int rank, const uint32_t *result);

#endif
