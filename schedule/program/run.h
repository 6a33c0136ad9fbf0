/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank program (planner/program/program.h) that runs over a transport.  Completions
 * drive it; nothing in it waits.
 */
#ifndef MTREE_SCHEDULE_PROGRAM_RUN_H
#define MTREE_SCHEDULE_PROGRAM_RUN_H

#include "planner/program/program.h"
#include "schedule/goodput.h"
#include "schedule/trace.h"
#include "schedule/transport.h"

typedef struct mtree_program_run mtree_program_run_t;

/* A rank's buffers.  Unit i of one is at its address + i * extent; each is as long as the
 * program says. */
typedef struct {
    void *address[MTREE_BUFFER_LAST];
    ptrdiff_t extent; /* bytes from a unit to the next; > 0 */

    /* out[i] = a[i] op b[i] for @a count units; out may be b.  NULL: there is nothing to
     * add up, and such steps do nothing. */
    void (*fold)(void *arg, const void *a, const void *b, void *out, size_t count);

    /* Copy @a count units.  NULL: they have no gaps. */
    void (*copy)(void *arg, const void *from, void *to, size_t count);
    /* As of an operation (schedule/operation.h), of copies out of the result or into it.
     */
    void (*pack)(void *arg, size_t offset, void *bytes, size_t length);
    void (*unpack)(void *arg, size_t offset, const void *bytes, size_t length);
    const ptrdiff_t *shift; /* [ranks] */
    void (*pack_block)(void *arg, int rank, size_t offset, void *bytes, size_t length);
    void (*unpack_block)(void *arg, int rank, size_t offset, const void *bytes,
                         size_t length);
    void *arg; /* passed to all of them */

    /* As of an operation (schedule/operation.h), with one tree, number 0.  The number of
     * a message among those from one rank to another is that of its chunk. */
    mtree_trace_t *trace;
    mtree_goodput_t *goodput;
} mtree_program_data_t;

/* Called once, when the run has ended; it may free the run. */
typedef void (*mtree_program_func_t)(mtree_program_run_t *run, mtree_status_t status,
                                     void *arg);

/*
 * Run @a program.  Program and transport stay until the end; *data is copied, and @a room
 * (may be NULL) is freed with the run.  All messages have tag 0.  @a func may be called
 * before this returns.  MTREE_ERR_NO_MEMORY: nothing was sent, @a func is not called, and
 * the room is freed.
 */
mtree_status_t mtree_program_start(const mtree_program_t *program,
                                   mtree_transport_t *transport,
                                   const mtree_program_data_t *data, void *room,
                                   mtree_program_func_t func, void *arg,
                                   mtree_program_run_t **run_p);

/* The send or receive that a run waits for, which has not ended and has not failed. */
const mtree_step_t *mtree_program_run_waits(const mtree_program_run_t *run);

/* Free a run that has ended; NULL is allowed.  Messages that are under way after a
 * failure keep its memory. */
void mtree_program_run_free(mtree_program_run_t *run);

#endif
