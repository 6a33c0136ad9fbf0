/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/operation_private.h"

#include <stdlib.h>

static void operation_release(mtree_operation_t *operation)
{
    mtree_operation_controller_t controller = operation->data.controller;

    operation->clear(operation);
    mtree_arena_cleanup(&operation->arena);
    free(operation);
    if (controller.released != NULL) {
        controller.released(controller.arg);
    }
}

static void operation_finish(mtree_operation_t *operation)
{
    mtree_operation_func_t func = operation->func;

    if (operation->truncates) {
        mtree_operation_fail(operation, MTREE_ERR_INVALID);
    }
    /* An owner without a callback polls, and may free the operation from here on. */
    atomic_store(&operation->finished, true);
    if (func != NULL) {
        func(operation, operation->status, operation->arg);
    }
}

bool mtree_operation_is_idle(mtree_operation_t *operation)
{
    if ((operation->detached ||
         (operation->status != MTREE_OK && !operation->transport->ends_all)) &&
        !operation->finished && operation->outstanding > 0) {
        operation_finish(operation);
    }
    return operation->outstanding == 0;
}

static void operation_last(mtree_inbox_t *inbox)
{
    mtree_operation_t *operation = mtree_inbox_operation(inbox);

    if (!operation->finished) {
        operation_finish(operation);
    } else if (operation->orphan) {
        operation_release(operation);
    }
}

void mtree_operation_init(mtree_operation_t *operation, mtree_transport_t *transport,
                          mtree_operation_func_t func, void *arg,
                          bool (*idle)(mtree_inbox_t *inbox),
                          void (*clear)(mtree_operation_t *operation))
{
    mtree_operation_data_t *data = &operation->data;

    operation->transport = transport;
    operation->func = func;
    operation->arg = arg;
    operation->clear = clear;
    if (data->trace != NULL) {
        operation->call = atomic_fetch_add(&data->trace->calls, 1);
    }
    if (data->goodput != NULL) {
        mtree_goodput_begin(data->goodput);
    }
    mtree_inbox_init(&operation->inbox, idle, operation_last);
}

bool mtree_operation_done(const mtree_operation_t *operation, mtree_status_t *status_p)
{
    if (!atomic_load(&operation->finished)) {
        return false;
    }
    if (status_p != NULL) {
        *status_p = operation->status;
    }
    return true;
}

bool mtree_operation_has_failed(const mtree_operation_t *operation)
{
    return operation->status != MTREE_OK;
}

void mtree_operation_free(mtree_operation_t *operation)
{
    if (operation == NULL) {
        return;
    }
    if (operation->outstanding > 0) {
        operation->orphan = true;
        return;
    }
    operation_release(operation);
}
