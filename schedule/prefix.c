/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans: how far the sum of the ranks before this one has come, and what may be sent on.
 *
 * The streams that bring it cut the vector elsewhere than those that take it on, and end
 * in the output, which has memory for all of it.  So no slot waits for the next rank.
 */
#include "schedule/operation_private.h"

size_t mtree_prefix_ready(const mtree_operation_t *operation,
                          const mtree_stream_t *stream)
{
    const mtree_layout_t *layout = operation->layout;
    size_t at = stream->offset, end = stream->offset + stream->length;

    for (int i = 0; i < layout->num_in; i++) {
        const mtree_stream_t *in = &layout->streams[layout->first_in + i];

        if (at >= in->offset && at < in->offset + operation->prefix_done[i]) {
            at = in->offset + operation->prefix_done[i];
        }
    }
    return at >= end ? mtree_stream_num_chunks(stream)
                     : (at - stream->offset) / stream->chunk;
}

void mtree_prefix_advance(const mtree_stream_state_t *state)
{
    mtree_operation_t *operation = state->operation;
    const mtree_layout_t *layout = operation->layout;
    const mtree_stream_t *in = state->stream;
    int first_out = layout->first_in + layout->num_in;
    size_t units = state->folded * in->chunk;

    operation->prefix_done[in->number - layout->first_in] =
        units < in->length ? units : in->length;
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
