/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed images: parts of elements of any datatype, as the bytes of its signature in a
 * row, which ranks whose datatypes differ have in common.
 */
#ifndef COLL_MTREE_TRANSPORT_PACKING_H
#define COLL_MTREE_TRANSPORT_PACKING_H

#include "coll_mtree/coll_mtree.h"

/* Elements at an address, which may be MPI_BOTTOM. */
typedef struct {
    void *address;
    size_t count;
    ompi_datatype_t *type;
} coll_mtree_elements_t;

/* Bytes of the packed image. */
static inline size_t coll_mtree_elements_bytes(const coll_mtree_elements_t *elements)
{
    return elements->type->super.size * elements->count;
}

/* Do they lie in memory as in the packed image?  It begins at the true lower bound. */
bool coll_mtree_elements_are_packed(const coll_mtree_elements_t *elements);

/* Are there basic elements that Open MPI unpacks whole alone, complex long doubles?  Then
 * the whole image is unpacked at a time. */
bool coll_mtree_elements_are_long(const coll_mtree_elements_t *elements);

/* Copy bytes [@a offset, @a offset + @a length) of the packed image out of the elements,
 * or into them. */
void coll_mtree_pack(const coll_mtree_elements_t *elements, size_t offset, void *bytes,
                     size_t length);
void coll_mtree_unpack(const coll_mtree_elements_t *elements, size_t offset,
                       const void *bytes, size_t length);

#endif
