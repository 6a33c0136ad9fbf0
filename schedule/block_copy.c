/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices of blocks and the user's buffers. */
#include "schedule/edge_blocks.h"

#include <string.h>

/* The slice of the block in @a place that is in @a chunk: its units, and where it begins.
 */
static size_t slice(const mtree_stream_state_t *state, int place, size_t chunk,
                    size_t *begin_p)
{
    return mtree_block_slices_get(state->blocks, place,
                                  chunk - state->stream->below->headed, begin_p);
}

int mtree_block_peer(const mtree_stream_state_t *state, int place)
{
    return mtree_stream_state_is_root(state) ? state->stream->below->ranks[place]
                                             : state->stream->below->root;
}

char *mtree_block_address(const mtree_stream_state_t *state, const mtree_side_t *side,
                          int place)
{
    return side->address == NULL ? NULL : side->address[mtree_block_peer(state, place)];
}

bool mtree_block_fits(const mtree_stream_state_t *state, int place)
{
    const size_t *units = state->operation->data.recv.units;

    return !state->stream->below->headed ||
           state->blocks->blocks[place].units <= units[mtree_block_peer(state, place)];
}

size_t mtree_block_get(const mtree_stream_state_t *state, int place, size_t chunk,
                       char *bytes)
{
    const mtree_operation_data_t *data = &state->operation->data;
    size_t extent = (size_t)data->extent, begin;
    size_t units = slice(state, place, chunk, &begin);
    const char *address = mtree_block_address(state, &data->send, place);

    if (units > 0 && address != NULL) {
        memcpy(bytes, address + begin * extent, units * extent);
    } else if (units > 0) {
        data->pack_block(data->arg, mtree_block_peer(state, place), begin, bytes, units);
    }
    return units;
}

size_t mtree_block_put(const mtree_stream_state_t *state, int place, size_t chunk,
                       const char *bytes)
{
    const mtree_operation_data_t *data = &state->operation->data;
    size_t extent = (size_t)data->extent, begin;
    size_t units = slice(state, place, chunk, &begin);
    char *address = mtree_block_address(state, &data->recv, place);

    if (units == 0 || !mtree_block_fits(state, place)) {
        return units;
    }
    if (address != NULL) {
        memcpy(address + begin * extent, bytes, units * extent);
    } else {
        data->unpack_block(data->arg, mtree_block_peer(state, place), begin, bytes,
                           units);
    }
    return units;
}

char *mtree_block_slice_address(const mtree_stream_state_t *state,
                                const mtree_side_t *side, int place, size_t chunk)
{
    char *address = mtree_block_address(state, side, place);
    size_t begin;

    if (address == NULL) {
        return NULL;
    }
    (void)slice(state, place, chunk, &begin);
    return address + begin * (size_t)state->operation->data.extent;
}
