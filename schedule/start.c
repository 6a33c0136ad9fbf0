/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/start.h"

#include "schedule/program/run.h"

#include <stdalign.h>
#include <stdlib.h>

size_t mtree_schedule_overlap(const mtree_operation_data_t *data)
{
    return data->extent > 0 && data->span > (size_t)data->extent
               ? (data->span - 1) / (size_t)data->extent
               : 0;
}

/* Bytes of memory for @a units, of which the next piece begins where any may. */
static size_t room_of(const mtree_operation_data_t *data, size_t units)
{
    size_t bytes = units == 0 ? 0 : (units - 1) * (size_t)data->extent + data->span;

    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) *
           alignof(max_align_t);
}

/* Is @a buffer none of the user's, whose addresses may all be NULL (MPI_BOTTOM)? */
static bool is_made(const mtree_layout_t *layout, int buffer)
{
    return buffer == MTREE_BUFFER_RESULT ? !layout->has_result
                                         : buffer != MTREE_BUFFER_INPUT;
}

/* Of a program. */
static size_t program_scratch(const mtree_layout_t *layout,
                              const mtree_operation_data_t *data)
{
    size_t bytes = 0;

    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        bytes += is_made(layout, b) ? room_of(data, layout->program->lengths[b]) : 0;
    }
    return bytes;
}

size_t mtree_schedule_scratch(const mtree_layout_t *layout,
                              const mtree_operation_data_t *data)
{
    return layout->program != NULL ? program_scratch(layout, data)
                                   : mtree_operation_scratch(layout, data);
}

mtree_status_t mtree_schedule_start(const mtree_layout_t *layout,
                                    mtree_transport_t *transport,
                                    const mtree_operation_data_t *data,
                                    mtree_operation_func_t func, void *arg,
                                    mtree_operation_t **operation_p)
{
    void *address[MTREE_BUFFER_LAST] = {
        [MTREE_BUFFER_INPUT] = (void *)data->input, [MTREE_BUFFER_RESULT] = data->output};
    size_t bytes;
    char *room, *at;

    if (layout->program == NULL) {
        return mtree_operation_start(layout, transport, data, func, arg, operation_p);
    }
    bytes = program_scratch(layout, data);
    room = at = malloc(bytes);
    if (room == NULL && bytes > 0) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        if (is_made(layout, b)) {
            address[b] = mtree_address(at, -data->gap);
            at += room_of(data, layout->program->lengths[b]);
        }
    }
    return mtree_program_start(layout->program, transport, data, address, room, func, arg,
                               operation_p);
}
