/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Areas of pairs of ints that lie in memory as few programs have them: at absolute
 * addresses, with extents that overlap, backwards.
 */
#ifndef MTREE_TESTS_MPI_ODD_H
#define MTREE_TESTS_MPI_ODD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#define ODD_KINDS 5

/*
 * Memory for `pairs` elements of a datatype of two ints.  `base` is what MPI is given: it
 * is MPI_BOTTOM where the datatype holds addresses.
 */
typedef struct {
    int kind;
    MPI_Datatype type;
    void *base;
    int pairs;
    char *begin;        /* of the memory */
    size_t bytes;       /* of it */
    char *memory;       /* where the first pair begins */
    ptrdiff_t where[2]; /* of the two ints of the first pair */
    ptrdiff_t extent;
} odd_area_t;

/* "absolute addresses", ... of kind 0 .. ODD_KINDS-1. */
const char *odd_name(int kind);

/*
 * Can MPI_Allreduce and the like fold such pairs?  Of extents below 0 Open MPI's own say
 * MPI_ERR_INTERN, and mtree leaves them to these; with addresses, they (@a plain) crash.
 */
bool odd_is_folded(int kind, bool plain);

/* Memory for @a pairs pairs, every byte of it garbage of one kind.  Ends the job without
 * memory. */
void odd_area_create(odd_area_t *area, int kind, int pairs);
void odd_area_free(odd_area_t *area);

/* Item @a item, counted from that with which pair @a pair begins. */
int *odd_area_item(const odd_area_t *area, int pair, int item);

/* Make the garbage of what @a pairs pairs hold from @a pair on. */
void odd_area_clear(odd_area_t *area, int pair, int pairs);

/* True when all bytes are garbage. */
bool odd_area_is_clear(const odd_area_t *area);

/* The sum of pairs of the area that was created last, by a function of the user's; freed
 * with MPI_Op_free. */
MPI_Op odd_sum(const odd_area_t *area);

#endif
