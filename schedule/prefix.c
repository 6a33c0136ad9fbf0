/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans: how far the sum of the ranks before this one has come, and what may be sent on.
 *
 * The streams that bring it cut the vector elsewhere than those that take it on, and end
 * in the output, which has memory for all of it.  So no slot waits for the next rank.
 */
#include "schedule/operation_private.h"

#include <stdint.h>

/* The first unit of the vector that is still to come from the ranks before; SIZE_MAX: all
 * are there. */
static size_t first_missing(const mtree_operation_t *operation)
{
    const mtree_layout_t *layout = operation->layout;
    size_t first = SIZE_MAX;

    for (int i = 0; i < layout->num_in; i++) {
        const mtree_stream_t *in = &layout->streams[layout->first_in + i];
        size_t next = in->offset + operation->prefix_done[i] * in->stride;

        if (operation->prefix_done[i] < mtree_stream_num_chunks(in) && next < first) {
            first = next;
        }
    }
    return first;
}

size_t mtree_prefix_ready(const mtree_operation_t *operation,
                          const mtree_stream_t *stream)
{
    size_t missing = first_missing(operation), chunks = mtree_stream_num_chunks(stream);
    size_t end = stream->offset + stream->chunk, ready;

    if (missing == SIZE_MAX) {
        return chunks;
    }
    ready = missing < end ? 0 : (missing - end) / stream->stride + 1;
    return ready < chunks ? ready : chunks;
}

void mtree_prefix_advance(const mtree_stream_state_t *state)
{
    mtree_operation_t *operation = state->operation;
    const mtree_layout_t *layout = operation->layout;
    int first_out = layout->first_in + layout->num_in;

    operation->prefix_done[state->stream->number - layout->first_in] = state->folded;
    for (mtree_batch_t *batch = operation->oldest; batch != NULL; batch = batch->next) {
        for (int i = 0; i < layout->num_out; i++) {
            int place = first_out + i - batch->states[0].stream->number;

            if (place >= 0 && place < batch->num_states) {
                mtree_stream_state_t *out = &batch->states[place];

                out->folded = mtree_prefix_ready(operation, out->stream);
                mtree_stream_state_wake(out);
            }
        }
    }
}

void mtree_prefix_take(const mtree_stream_state_t *state, size_t chunk, const char *sum)
{
    const mtree_operation_data_t *data = &state->operation->data;

    data->copy(data->arg, sum, mtree_stream_state_address(state, data->output, chunk),
               mtree_stream_state_count(state, chunk));
}

char *mtree_prefix_pack(const mtree_stream_state_t *state, size_t chunk, char *memory)
{
    const mtree_operation_data_t *data = &state->operation->data;
    char *sum = mtree_address(memory, -data->gap);

    data->fold(data->arg, mtree_stream_state_address(state, data->output, chunk),
               mtree_stream_state_address(state, data->input, chunk), sum,
               mtree_stream_state_count(state, chunk));
    return sum;
}
