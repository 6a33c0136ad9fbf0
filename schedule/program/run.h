/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank program (planner/program/program.h) that runs over a transport.  Completions
 * drive it; nothing in it waits.
 */
#ifndef MTREE_SCHEDULE_PROGRAM_RUN_H
#define MTREE_SCHEDULE_PROGRAM_RUN_H

#include "planner/program/program.h"
#include "schedule/operation.h"

/*
 * Run @a program on the buffers @a address [MTREE_BUFFER_LAST]: unit i of one is at its
 * address + i * extent, and each is as long as the program says.  @a data is as of an
 * operation, but for its buffers; pack() and unpack() are of copies out of the result and
 * into it, and steps that fold do nothing without fold().  To those who measure, all is
 * one tree, number 0, and the number of a message among those from one rank to another is
 * that of its chunk.
 *
 * Program and transport stay until the end; *data and the addresses are copied, and @a
 * room (may be NULL) is freed with the run.  All messages have tag 0.  @a func is as
 * of mtree_operation_start().
 */
void mtree_program_start(const mtree_program_t *program, mtree_transport_t *transport,
                         const mtree_operation_data_t *data, void *const *address,
                         void *room, mtree_operation_func_t func, void *arg,
                         mtree_operation_t **operation_p);

/* Run the program of @a layout on the user's buffers in @a data; it allocates
 * mtree_program_scratch() bytes for its others. */
void mtree_program_start_layout(const mtree_layout_t *layout,
                                mtree_transport_t *transport,
                                const mtree_operation_data_t *data,
                                mtree_operation_func_t func, void *arg,
                                mtree_operation_t **operation_p);
size_t mtree_program_scratch(const mtree_layout_t *layout,
                             const mtree_operation_data_t *data);

/* The send or receive that @a operation waits for, which has not ended and has not
 * failed; NULL: it does not run a program. */
const mtree_step_t *mtree_program_waits(const mtree_operation_t *operation);

#endif
