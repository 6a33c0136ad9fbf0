/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/side_buffers.h"

#include "coll_mtree/base/memory.h"

#include <stdlib.h>

/* The first byte of a block that is packed. */
static char *first_byte(const coll_mtree_elements_t *block)
{
    ptrdiff_t lower, extent;

    ompi_datatype_get_true_extent(block->type, &lower, &extent);
    return mtree_address(block->address, lower);
}

/* Are the blocks, of which one that is not empty stands for all, in a device's memory? */
static bool is_on_device(const coll_mtree_side_t *side, int ranks)
{
    for (int rank = 0; rank < ranks; rank++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(side, rank);

        if (coll_mtree_elements_bytes(&block) > 0) {
            return coll_mtree_is_on_device(first_byte(&block));
        }
    }
    return false;
}

static void make_stash(coll_mtree_side_buffers_t *buffers)
{
    size_t at = 0;

    for (int rank = 0; rank < buffers->ranks; rank++) {
        at += buffers->units[rank];
    }
    buffers->stash = coll_mtree_malloc(at);
    at = 0;
    for (int rank = 0; rank < buffers->ranks; rank++) {
        buffers->address[rank] = buffers->stash + at;
        at += buffers->units[rank];
    }
}

void coll_mtree_side_buffers_init(coll_mtree_side_buffers_t *buffers,
                                  const coll_mtree_side_t *side, int rank, int ranks,
                                  bool copies)
{
    const size_t count = (size_t)ranks;

    *buffers = (coll_mtree_side_buffers_t){.side = side, .rank = rank, .ranks = ranks};
    if (!coll_mtree_side_exists(side)) {
        return;
    }
    buffers->units = coll_mtree_calloc(count, sizeof(*buffers->units));
    buffers->address = coll_mtree_calloc(count, sizeof(*buffers->address));
    for (int peer = 0; peer < ranks; peer++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(side, peer);

        buffers->units[peer] = coll_mtree_elements_bytes(&block);
        if (coll_mtree_elements_are_packed(&block)) {
            buffers->address[peer] = first_byte(&block);
        }
    }
    if (copies || is_on_device(side, ranks)) {
        make_stash(buffers);
    }
}

void coll_mtree_side_buffers_cleanup(coll_mtree_side_buffers_t *buffers)
{
    free(buffers->units);
    free(buffers->address);
    free(buffers->stash);
}

mtree_side_t coll_mtree_side_buffers_view(const coll_mtree_side_buffers_t *buffers,
                                          bool unequal)
{
    return (mtree_side_t){.units = unequal ? buffers->units : NULL,
                          .address = buffers->address};
}

void coll_mtree_side_buffers_stash(const coll_mtree_side_buffers_t *buffers)
{
    for (int peer = 0; buffers->stash != NULL && peer < buffers->ranks; peer++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(buffers->side, peer);

        if (peer != buffers->rank) {
            coll_mtree_pack(&block, 0, buffers->address[peer], buffers->units[peer]);
        }
    }
}

void coll_mtree_side_buffers_deliver(const coll_mtree_side_buffers_t *buffers)
{
    for (int peer = 0; buffers->stash != NULL && peer < buffers->ranks; peer++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(buffers->side, peer);

        if (peer != buffers->rank && buffers->units[peer] > 0) {
            coll_mtree_unpack(&block, 0, buffers->address[peer], buffers->units[peer]);
        }
    }
}
