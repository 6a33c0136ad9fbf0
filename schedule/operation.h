/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation: one collective call of one rank, running.
 *
 * It starts receives ahead, folds what comes up in a fixed order, and keeps a queue a
 * neighbour from which the chunk of the stream that is furthest behind goes next.
 * Completions of the transport drive it; nothing in it waits.  See docs/design.md for
 * a picture of the flow.
 */
#ifndef MTREE_SCHEDULE_OPERATION_H
#define MTREE_SCHEDULE_OPERATION_H

#include "schedule/goodput.h"
#include "schedule/stream.h"
#include "schedule/trace.h"
#include "schedule/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mtree_operation mtree_operation_t;

/* The user's data, as the operation needs to see it.  Unit i of a vector is at base + i *
 * extent. */
typedef struct {
    const void *input; /* what this rank contributes; may equal output (in place) */
    void *output;      /* where the result goes; NULL where this rank gets none */
    ptrdiff_t extent;  /* bytes from a unit to the next; > 0 */
    ptrdiff_t gap;     /* bytes from a unit's address to its first data byte */
    size_t span;       /* bytes that the data of one unit covers from there */

    /*
     * Where the blocks of an allgather do not follow one another: [ranks] bytes to add to
     * the addresses of the units of each rank's block.  NULL: none; stays the caller's.
     */
    const ptrdiff_t *shift;

    /* out[i] = a[i] op b[i] for @a count units; out may be b.  Needed when a stream
     * reduces. */
    void (*fold)(void *arg, const void *a, const void *b, void *out, size_t count);

    /*
     * For data that is not contiguous (broadcast streams only): copy bytes [offset,
     * offset + length) of the packed image out of or into the user's buffer.  NULL: the
     * vectors are used in place.
     */
    void (*pack)(void *arg, size_t offset, void *bytes, size_t length);
    void (*unpack)(void *arg, size_t offset, const void *bytes, size_t length);
    void *arg; /* passed to the three */

    mtree_trace_t *trace;     /* what is done is added to it; NULL: none */
    mtree_goodput_t *goodput; /* of the layout: what the call did; NULL: not wanted */
} mtree_operation_data_t;

/*
 * The address @a offset bytes from @a base, which need not be in the same object: data
 * that is told of by absolute addresses (MPI_BOTTOM) has gaps as long as those, and C
 * lets no pointer go so far.
 */
static inline void *mtree_address(const void *base, ptrdiff_t offset)
{
    return (void *)((uintptr_t)base + (uintptr_t)offset);
}

/* Called once, when the operation has come to its end; the operation may be freed in it.
 */
typedef void (*mtree_operation_func_t)(mtree_operation_t *operation,
                                       mtree_status_t status, void *arg);

/*
 * Whoever steers an operation whose stream is open (schedule/dynamic_peers.h); all zero:
 * nobody.
 */
typedef struct {
    /* After each batch of completions, until the end: what is to be done now? */
    void (*turn)(mtree_operation_t *operation, void *arg);

    /* The operation's memory is about to be freed: nothing of it is under way any more,
     * which may be long after its end. */
    void (*released)(void *arg);
    void *arg;
} mtree_operation_controller_t;

/*
 * Start the operation that @a layout describes.  Layout and transport must stay until the
 * end, *data is copied.  @a func (may be NULL) may be called before this returns. Scratch
 * memory is at most what mtree_operation_scratch() tells.  MTREE_ERR_NO_MEMORY: nothing
 * was sent and @a func is not called.
 */
mtree_status_t mtree_operation_start(const mtree_layout_t *layout,
                                     mtree_transport_t *transport,
                                     const mtree_operation_data_t *data,
                                     mtree_operation_func_t func, void *arg,
                                     mtree_operation_t **operation_p);

/* The same with a @a controller, which is copied; an operation with open streams needs
 * one. */
mtree_status_t mtree_operation_start_controlled(
    const mtree_layout_t *layout, mtree_transport_t *transport,
    const mtree_operation_data_t *data, const mtree_operation_controller_t *controller,
    mtree_operation_func_t func, void *arg, mtree_operation_t **operation_p);

/* True when the operation has come to its end; *status_p (may be NULL) is how. */
bool mtree_operation_done(const mtree_operation_t *operation, mtree_status_t *status_p);

/* Free a finished operation; NULL is allowed. */
void mtree_operation_free(mtree_operation_t *operation);

/*
 * Bytes of receive slots that the operation of @a layout takes on this rank: a window of
 * chunks for each child of each reducing stream, and for each incoming stream whose data
 * must be unpacked.
 */
size_t mtree_operation_scratch(const mtree_layout_t *layout,
                               const mtree_operation_data_t *data);

#endif
