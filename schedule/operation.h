/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation: one running collective call of one rank.
 *
 * It starts receives ahead, reduces in a fixed order, and keeps a send queue per
 * neighbour. Each queue sends next the chunk of the stream that is furthest behind.
 * Completions of the transport drive the operation; nothing in it waits.  docs/design.md
 * shows the flow.
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

/* The blocks that a rank sends, or receives, in a personalized call, by the rank at the
 * other end.  That of the rank itself is not touched. */
typedef struct {
    const size_t *units;  /* [ranks] of each block, of which less may come; NULL where
                             all ranks know them */
    char *const *address; /* [ranks] where it lies packed in memory; NULL, or an entry
                             that is: it is copied by pack() or unpack() */
} mtree_side_t;

/*
 * The controller of an operation whose stream is open (schedule/arrival/private.h); all
 * zero: none.
 */
typedef struct {
    /* Called after each batch of completions, until the end: make the decisions that can
     * be made now. */
    void (*progress)(mtree_operation_t *operation, void *arg);

    /* Called before the operation's memory is freed.  Nothing of it is outstanding then,
     * which may be long after its end. */
    void (*released)(void *arg);
    void *arg;
} mtree_operation_controller_t;

/* The user's data.  Unit i of a vector is at base + i * extent. */
typedef struct {
    const void *input; /* what this rank contributes; may equal output (in place) */
    void *output;      /* where the result goes; NULL where this rank gets none.  A relay
                          has neither, and does not pack or unpack */
    ptrdiff_t extent;  /* bytes from a unit to the next; > 0 */
    ptrdiff_t gap;     /* bytes from a unit's address to its first data byte */
    size_t span;       /* bytes that the data of one unit covers from there */

    /*
     * [ranks] bytes to add to the addresses of the units of each rank's block, where the
     * blocks of an allgather do not follow one another.  NULL: none.  The caller's.
     */
    const ptrdiff_t *shift;

    /* out[i] = a[i] op b[i] for @a count units; out may be b.  Needed when a stream
     * reduces. */
    void (*fold)(void *arg, const void *a, const void *b, void *out, size_t count);

    /* Copy @a count units.  NULL: they have no gaps. */
    void (*copy)(void *arg, const void *from, void *to, size_t count);

    /* Of a scan: results leave out each rank's own part, and `input` is memory of its
     * own.  Else the output of rank 0 is its input from the beginning. */
    bool is_exclusive;

    /* Personalized calls have nothing of the above but `extent`, and these.  What is sent
     * and what is received does not overlap. */
    mtree_side_t send, recv;

    /*
     * Copy units [offset, offset + length) out of the user's buffer, or into it: of a
     * personalized call those of the block for @a rank, or from it; of others, where they
     * only broadcast data that is not contiguous, bytes of the packed data, and @a rank
     * is of no matter.  NULL in these: the vectors are used in place.
     */
    void (*pack)(void *arg, int rank, size_t offset, void *bytes, size_t length);
    void (*unpack)(void *arg, int rank, size_t offset, const void *bytes, size_t length);
    void *arg; /* passed to all of them */

    mtree_trace_t *trace;     /* where events are added; NULL: none */
    mtree_goodput_t *goodput; /* of the layout, to be filled in; NULL: not wanted */
    double *tree_ends;        /* [trees of the plan] time at which the last chunk of each
                                 arrived, to be filled in; NULL: not wanted */
    mtree_operation_controller_t controller; /* with an open stream; else all zero */
} mtree_operation_data_t;

/*
 * The address @a offset bytes from @a base, which may be in another object.  Data with
 * absolute addresses (MPI_BOTTOM) has gaps as long as these, and C does not define
 * pointer arithmetic over them.
 */
static inline void *mtree_address(const void *base, ptrdiff_t offset)
{
    return (void *)((uintptr_t)base + (uintptr_t)offset);
}

/* Called once, when the operation has ended; it may free the operation.
 * MTREE_ERR_INVALID: a block was longer than this rank has room for, and was thrown away;
 * the others are there. */
typedef void (*mtree_operation_func_t)(mtree_operation_t *operation,
                                       mtree_status_t status, void *arg);

/*
 * Start the operation that @a layout describes, over trees or by a program.  Layout and
 * transport stay until the end; *data is copied.  @a func (may be NULL) may be called
 * before this returns.  It takes mtree_operation_scratch() bytes of scratch memory.
 */
void mtree_operation_start(const mtree_layout_t *layout, mtree_transport_t *transport,
                           const mtree_operation_data_t *data,
                           mtree_operation_func_t func, void *arg,
                           mtree_operation_t **operation_p);

/* Has the operation ended, and with which *status_p (may be NULL)? */
bool mtree_operation_done(const mtree_operation_t *operation, mtree_status_t *status_p);

/* Has it failed, though messages of it may be under way? */
bool mtree_operation_has_failed(const mtree_operation_t *operation);

/* Free a finished operation; NULL is allowed. */
void mtree_operation_free(mtree_operation_t *operation);

/*
 * Bytes of receive slots of an operation: a window of chunks for each child of each
 * reducing stream, for each incoming stream whose data must be unpacked or, on a relay,
 * is sent on, and for each edge of a personalized stream with blocks that this rank
 * forwards, or copies; an estimate where these are unequal.  Of a program: of the buffers
 * that are not the user's.
 */
size_t mtree_operation_scratch(const mtree_layout_t *layout,
                               const mtree_operation_data_t *data);

/* Units by which a vector of @a data reaches beyond its last unit: data of units whose
 * extent is less than what they cover. */
size_t mtree_operation_overlap(const mtree_operation_data_t *data);

#endif
