/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of counts and displacements, and where the blocks of a vector lie that has one
 * per rank, of different sizes: offsets [ranks + 1], the first 0, the last the size of
 * the vector.
 *
 * The functions of MPI have such arrays as int, and those for large counts
 * (MPI_Alltoallv_c()), which Open MPI has from version 6 on, as 64 bits.
 */
#ifndef COLL_MTREE_BASE_BLOCKS_H
#define COLL_MTREE_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const void *items; /* the user's; NULL: there is no array */
    bool is_wide;      /* ptrdiff_t each, not int */
} coll_mtree_int_array_t;

/* An array of int. */
static inline coll_mtree_int_array_t coll_mtree_int_array(const int *items)
{
    return (coll_mtree_int_array_t){.items = items};
}

/* Item number @a i. */
static inline ptrdiff_t coll_mtree_int_array_at(coll_mtree_int_array_t array, int i)
{
    return array.is_wide ? ((const ptrdiff_t *)array.items)[i]
                         : ((const int *)array.items)[i];
}

/* Bytes of @a count items; 0: there is no array. */
static inline size_t coll_mtree_int_array_bytes(coll_mtree_int_array_t array, int count)
{
    return array.items == NULL
               ? 0
               : (size_t)count * (array.is_wide ? sizeof(ptrdiff_t) : sizeof(int));
}

/* The elements of all blocks, of which rank r's has counts[r]. */
size_t coll_mtree_blocks_sum(coll_mtree_int_array_t counts, int ranks);

/* The offsets of blocks of counts[r] elements, in units of which an element has @a
 * units; the caller's, to be freed. */
size_t *coll_mtree_blocks_create(coll_mtree_int_array_t counts, size_t units, int ranks);

/* The block in which the unit at @a offset lies, which is less than the vector's size. */
int coll_mtree_blocks_find(const size_t *blocks, int ranks, size_t offset);

#endif
