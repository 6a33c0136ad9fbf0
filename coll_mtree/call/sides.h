/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sides: what one rank sends, or receives, in a call that moves another block between
 * each two ranks, as MPI's functions describe it.
 */
#ifndef COLL_MTREE_CALL_SIDES_H
#define COLL_MTREE_CALL_SIDES_H

#include "coll_mtree/transport/packing.h"

typedef struct {
    const void *buffer; /* may be MPI_BOTTOM, which is NULL */
    int only;           /* the one rank that has a block; -1: each has one */
    size_t count;
    ompi_datatype_t *type;         /* NULL, as `types`: this rank has no such side */
    coll_mtree_int_array_t counts; /* [ranks] elements; no array: `count` each */
    coll_mtree_int_array_t displs; /* [ranks] in elements, with `types` in bytes; no
                                      array: the blocks follow one another */
    ompi_datatype_t *const *types; /* [ranks]; NULL: `type` each */
    void *copies; /* of the arrays, owned; NULL: the arrays are the user's */
    int held;     /* types to which there are references, with `copies` */
} coll_mtree_side_t;

/* A side of equal blocks; of blocks that differ, with the user's arrays; and one with the
 * only block, that of @a rank. */
coll_mtree_side_t coll_mtree_side_of(const void *buffer, size_t count,
                                     ompi_datatype_t *type);
coll_mtree_side_t coll_mtree_side_of_unequal(const void *buffer,
                                             coll_mtree_int_array_t counts,
                                             coll_mtree_int_array_t displs,
                                             ompi_datatype_t *type);
coll_mtree_side_t coll_mtree_side_of_one(const void *buffer, size_t count,
                                         ompi_datatype_t *type, int rank);

static inline bool coll_mtree_side_exists(const coll_mtree_side_t *side)
{
    return side->type != NULL || side->types != NULL;
}

/* The block of @a rank; no elements where it has none. */
coll_mtree_elements_t coll_mtree_side_block(const coll_mtree_side_t *side, int rank);

/* Bytes of the blocks of all @a ranks ranks together. */
size_t coll_mtree_side_bytes(const coll_mtree_side_t *side, int ranks);

/* Copy the user's arrays, and hold the datatypes, which the user may free while the call
 * is under way; release them. */
void coll_mtree_side_keep(coll_mtree_side_t *side, int ranks);
void coll_mtree_side_release(coll_mtree_side_t *side);

#endif
