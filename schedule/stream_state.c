/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/operation_private.h"

void mtree_operation_fail(mtree_operation_t *operation, mtree_status_t status)
{
    if (operation->status == MTREE_OK) {
        operation->status = status;
    }
}

void mtree_stream_state_trace(const mtree_stream_state_t *state, mtree_act_t act, bool up,
                              int peer, size_t chunk, size_t units, double begin)
{
    mtree_operation_t *operation = state->operation;
    mtree_trace_event_t event = {.begin = begin,
                                 .end = begin,
                                 .chunk = chunk,
                                 .call = operation->call,
                                 .stream = state->stream->number,
                                 .peer = peer,
                                 .act = act,
                                 .up = up};

    if (operation->data.trace == NULL) {
        return;
    }
    event.bytes = units * (size_t)operation->data.extent;
    if (act != MTREE_TRACE_RECEIVE) {
        event.end = mtree_operation_clock(operation);
    }
    mtree_trace_add(operation->data.trace, &event);
}

void mtree_operation_step(mtree_operation_t *operation, int step)
{
    const mtree_layout_t *layout = operation->layout;

    if (step == 0 || --operation->step_waits[step] > 0 || step != operation->step) {
        return;
    }
    while (operation->step < 2 * layout->num_steps &&
           operation->step_waits[operation->step] == 0) {
        operation->step++;
    }
    for (int i = 0; i < layout->num_peers; i++) {
        operation->send_queues[i].dirty = true;
    }
}

void mtree_stream_state_wake(mtree_stream_state_t *state)
{
    for (mtree_send_channel_t *channel = state->channels; channel != NULL;
         channel = channel->sibling) {
        channel->send_queue->dirty = true;
    }
}
