/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/sides.h"

#include "coll_mtree/base/memory.h"

#include "schedule/operation.h"

#include <stdlib.h>
#include <string.h>

coll_mtree_side_t coll_mtree_side_of(const void *buffer, size_t count,
                                     ompi_datatype_t *type)
{
    return (coll_mtree_side_t){
        .buffer = buffer, .only = -1, .count = count, .type = type};
}

coll_mtree_side_t coll_mtree_side_of_one(const void *buffer, size_t count,
                                         ompi_datatype_t *type, int rank)
{
    return (coll_mtree_side_t){
        .buffer = buffer, .only = rank, .count = count, .type = type};
}

coll_mtree_side_t coll_mtree_side_of_unequal(const void *buffer,
                                             coll_mtree_int_array_t counts,
                                             coll_mtree_int_array_t displs,
                                             ompi_datatype_t *type)
{
    return (coll_mtree_side_t){
        .buffer = buffer, .only = -1, .type = type, .counts = counts, .displs = displs};
}

static ompi_datatype_t *type_of(const coll_mtree_side_t *side, int rank)
{
    return side->types != NULL ? side->types[rank] : side->type;
}

coll_mtree_elements_t coll_mtree_side_block(const coll_mtree_side_t *side, int rank)
{
    coll_mtree_elements_t block = {.type = MPI_BYTE};
    ptrdiff_t lower, extent, place = 0;

    if (!coll_mtree_side_exists(side) || (side->only >= 0 && side->only != rank)) {
        return block;
    }
    block.type = type_of(side, rank);
    block.count = side->counts.items == NULL
                      ? side->count
                      : (size_t)coll_mtree_int_array_at(side->counts, rank);
    ompi_datatype_get_extent(block.type, &lower, &extent);
    if (side->displs.items != NULL) {
        place = coll_mtree_int_array_at(side->displs, rank) *
                (side->types != NULL ? 1 : extent);
    } else if (side->only < 0) {
        place = (ptrdiff_t)rank * (ptrdiff_t)side->count * extent;
    }
    block.address = mtree_address(side->buffer, place);
    return block;
}

size_t coll_mtree_side_bytes(const coll_mtree_side_t *side, int ranks)
{
    size_t bytes = 0;

    for (int rank = 0; rank < ranks; rank++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(side, rank);

        bytes += coll_mtree_elements_bytes(&block);
    }
    return bytes;
}

/* Copy @a bytes at *array_p, which may be NULL, to *to_p, which moves on. */
static void copy_array(const void **array_p, size_t bytes, char **to_p)
{
    if (*array_p != NULL) {
        memcpy(*to_p, *array_p, bytes);
        *array_p = *to_p;
        *to_p += bytes;
    }
}

void coll_mtree_side_keep(coll_mtree_side_t *side, int ranks)
{
    const size_t counts = coll_mtree_int_array_bytes(side->counts, ranks);
    const size_t displs = coll_mtree_int_array_bytes(side->displs, ranks);
    const size_t types = side->types == NULL ? 0 : (size_t)ranks * sizeof(*side->types);
    char *to;

    if (!coll_mtree_side_exists(side)) {
        return;
    }
    to = side->copies = coll_mtree_malloc(types + counts + displs);
    copy_array((const void **)&side->types, types, &to);
    /* Of the two the displacements are never the narrower ones. */
    copy_array(&side->displs.items, displs, &to);
    copy_array(&side->counts.items, counts, &to);
    side->held = side->types != NULL ? ranks : 1;
    for (int rank = 0; rank < side->held; rank++) {
        OBJ_RETAIN(type_of(side, rank));
    }
}

void coll_mtree_side_release(coll_mtree_side_t *side)
{
    for (int rank = 0; rank < side->held; rank++) {
        ompi_datatype_t *type = type_of(side, rank);

        OBJ_RELEASE(type);
    }
    side->held = 0;
    free(side->copies);
}
