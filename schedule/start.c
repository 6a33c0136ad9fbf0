/* SPDX-License-Identifier: BSD-3-Clause */
/* How an operation begins: over the trees of its layout, or by its program. */
#include "base/memory.h"
#include "schedule/operation_private.h"
#include "schedule/program/run.h"

#include <math.h>

/* With its queues, and the first two batches. */
static mtree_operation_t *operation_alloc(const mtree_layout_t *layout,
                                          const mtree_operation_data_t *data)
{
    mtree_operation_t *operation =
        mtree_calloc(1, sizeof(mtree_operation_t) +
                            (size_t)layout->num_peers * sizeof(mtree_send_queue_t) +
                            (size_t)layout->num_in * sizeof(size_t) +
                            (2 * (size_t)layout->num_steps + 1) * sizeof(int));

    operation->layout = layout;
    operation->data = *data;
    operation->send_queues = (mtree_send_queue_t *)(operation + 1);
    operation->prefix_done = (size_t *)(operation->send_queues + layout->num_peers);
    operation->step_waits = (int *)(operation->prefix_done + layout->num_in);
    operation->step = layout->num_steps > 0;
    for (int i = 0; i < layout->num_peers; i++) {
        operation->send_queues[i].rank = layout->peers[i].rank;
        operation->send_queues[i].window = layout->peers[i].initial_window;
        operation->send_queues[i].max_window = layout->peers[i].window;
    }
    mtree_batch_add(operation);
    if (operation->next_stream < layout->num_streams) {
        mtree_batch_add(operation);
    }
    return operation;
}

/* Free what an operation over trees has. */
static void operation_clear(mtree_operation_t *operation)
{
    mtree_batches_free(operation->oldest);
    mtree_batches_free(operation->extra);
}

static bool operation_idle(mtree_inbox_t *inbox)
{
    mtree_operation_t *operation = mtree_inbox_operation(inbox);

    if (operation->data.controller.progress != NULL) {
        operation->data.controller.progress(operation, operation->data.controller.arg);
    }
    if (operation->status == MTREE_OK) {
        do {
            mtree_send_queue_pump(operation);
        } while (mtree_batches_advance(operation));
    }
    return mtree_operation_is_idle(operation);
}

void mtree_operation_start(const mtree_layout_t *layout, mtree_transport_t *transport,
                           const mtree_operation_data_t *data,
                           mtree_operation_func_t func, void *arg,
                           mtree_operation_t **operation_p)
{
    mtree_operation_t *operation;

    if (layout->program != NULL) {
        mtree_program_start_layout(layout, transport, data, func, arg, operation_p);
        return;
    }
    operation = operation_alloc(layout, data);
    mtree_operation_init(operation, transport, func, arg, operation_idle,
                         operation_clear);
    operation->last[false] = operation->last[true] = INFINITY;
    /* This rank may have nothing to do in the first steps. */
    operation->step_waits[operation->step]++;
    mtree_operation_step(operation, operation->step);
    /* The operation may end before this returns. */
    *operation_p = operation;
    for (mtree_batch_t *batch = operation->oldest; batch != NULL; batch = batch->next) {
        mtree_batch_begin(batch);
    }
    mtree_inbox_open(&operation->inbox);
}

size_t mtree_operation_scratch(const mtree_layout_t *layout,
                               const mtree_operation_data_t *data)
{
    return layout->program != NULL ? mtree_program_scratch(layout, data)
                                   : mtree_batches_scratch(layout, data);
}

size_t mtree_operation_overlap(const mtree_operation_data_t *data)
{
    return data->extent > 0 && data->span > (size_t)data->extent
               ? (data->span - 1) / (size_t)data->extent
               : 0;
}
