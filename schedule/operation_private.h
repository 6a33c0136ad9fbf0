/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation, inside, in layers: stream_state.c (steps, errors and the trace),
 * receiver.c (receiving and reducing), send_queue.c (sending), operation.c (life) and
 * dynamic_peers.c (open streams).  Only the thread that holds the operation's inbox
 * touches any of it.
 */
#ifndef MTREE_SCHEDULE_OPERATION_PRIVATE_H
#define MTREE_SCHEDULE_OPERATION_PRIVATE_H

#include "base/container_of.h"
#include "schedule/inbox.h"
#include "schedule/operation.h"

/* Slots start where any datatype may. */
#define MTREE_SLOT_ALIGNMENT 64

typedef struct mtree_stream_state mtree_stream_state_t;
typedef struct mtree_receiver mtree_receiver_t;
typedef struct mtree_send_channel mtree_send_channel_t;
typedef struct mtree_send_queue mtree_send_queue_t;

/* One receive slot of an inlet. */
typedef struct {
    mtree_event_t event;
    mtree_receiver_t *receiver;
    size_t chunk;
    bool arrived; /* received, not yet folded or delivered */
    bool sent;    /* the sum gathered in it was sent up */
    bool blank;   /* what arrived was empty: its source has stopped */
    char *memory; /* its address as a vector of units; NULL: straight into the output */
} mtree_slot_t;

/* What comes from one peer for one stream.  Chunk i lands in slot i % window. */
struct mtree_receiver {
    mtree_stream_state_t *state;
    int peer; /* rank */
    int tag;
    size_t window;
    size_t posted;   /* chunks whose receive was started */
    size_t taken;    /* chunks folded, or delivered, in order */
    size_t released; /* chunks whose slot is free again, in order */
    size_t arrived;  /* chunks, in any order */
    int step;        /* lockstep; 0: none */
    size_t credited; /* chunks beyond the first window that the sender was told of */
    bool crediting;  /* a credit message is on its way */
    mtree_event_t credit_event;
    mtree_slot_t *slots;
};

/* The chunks of one stream to one peer, one way. */
struct mtree_send_channel {
    mtree_stream_state_t *state;
    mtree_send_queue_t *send_queue;
    bool up;
    int step;      /* lockstep: nothing is sent before it; 0: none */
    size_t next;   /* next chunk to send */
    size_t sent;   /* chunks whose sending has ended */
    size_t blank;  /* empty messages go out instead of this chunk and those after it */
    size_t end;    /* chunks in all, with these */
    size_t credit; /* chunks that the receiver has room for */
    mtree_event_t credit_event;
    mtree_send_channel_t *link;    /* next lane of the same outlet */
    mtree_send_channel_t *sibling; /* next lane of the same flow */
};

/* One send under way. */
typedef struct mtree_send_op mtree_send_op_t;
struct mtree_send_op {
    mtree_event_t event;
    mtree_send_channel_t *channel;
    size_t chunk;
    size_t bytes; /* counted against the outlet's window */
    double begin; /* when it was sent, where that is traced */
    char *packed; /* the bytes sent, when they had to be packed */
    mtree_send_op_t *link;
};

/* The queue to one peer. */
struct mtree_send_queue {
    int rank;
    size_t window;      /* bytes */
    size_t outstanding; /* bytes */
    bool dirty; /* a lane became ready or a send was done since it was last looked at */
    mtree_send_channel_t *channels;
};

/* A stream, running. */
struct mtree_stream_state {
    mtree_operation_t *operation;
    const mtree_stream_t *stream;
    size_t num_chunks;
    ptrdiff_t shift; /* bytes to add to the addresses of its units */
    size_t folded;   /* chunks that all children and this rank are in, in order */
    size_t complete; /* chunks of the result that this rank has, in order */
    size_t awaited;  /* receives of the result that are under way */
    bool stopped;    /* what is not complete does not come from `above` */
    mtree_receiver_t *receivers; /* [num_children], where the stream reduces */
    mtree_receiver_t *above; /* from the parent, where it broadcasts and there is one */
    mtree_send_channel_t *channels; /* to the children, before them, where it reduces, to
                            the parent; of an open stream, the newest first */
};

/* Memory of what was attached while the operation ran. */
typedef struct mtree_extra_buffer mtree_extra_buffer_t;
struct mtree_extra_buffer {
    mtree_extra_buffer_t *link;
    char *scratch;
};

struct mtree_operation {
    const mtree_layout_t *layout;
    mtree_transport_t *transport;
    mtree_operation_data_t data;
    mtree_operation_func_t func;
    void *arg;
    mtree_status_t status;
    atomic_bool finished;
    mtree_operation_controller_t controller;
    bool held;           /* open streams: something may still be attached */
    bool detached;       /* its owner need not wait for what is under way */
    bool orphan;         /* freed by its owner while something was under way */
    size_t outstanding;  /* sends, receives and credits started and not done */
    unsigned call;       /* its number in the trace */
    size_t packed_bytes; /* of the largest chunk, where data must be packed; else 0 */
    mtree_inbox_t inbox;
    double last[2]; /* [up] the least progress of the lanes that send; infinite: none has
                       begun */
    int step;       /* lockstep: all before it has been sent and received */
    int *unstepped; /* [2 x steps of the layout + 1] lanes and inlets that each step waits
                       for */
    mtree_stream_state_t *states;
    mtree_send_queue_t *send_queues;
    mtree_send_channel_t *channels;
    mtree_receiver_t *receivers;
    mtree_slot_t *slots;
    mtree_send_op_t *free_send_ops;
    char *scratch;
    mtree_extra_buffer_t *extra_buffers;
};

/* First unit and number of units of a chunk of a flow. */
static inline size_t mtree_stream_state_offset(const mtree_stream_state_t *state,
                                               size_t chunk)
{
    return state->stream->offset + chunk * state->stream->chunk;
}

static inline size_t mtree_stream_state_count(const mtree_stream_state_t *state,
                                              size_t chunk)
{
    const mtree_stream_t *stream = state->stream;
    size_t left = stream->length - chunk * stream->chunk;

    return left < stream->chunk ? left : stream->chunk;
}

static inline char *mtree_stream_state_address(const mtree_stream_state_t *state,
                                               const void *base, size_t chunk)
{
    return mtree_address(base, state->shift +
                                   (ptrdiff_t)mtree_stream_state_offset(state, chunk) *
                                       state->operation->data.extent);
}

/* Chunks that a parent grants at a time beyond the first window. */
static inline size_t mtree_credit_batch(size_t window)
{
    return window > 1 ? window / 2 : 1;
}

/* Does the result come in here, and no sums? */
static inline bool mtree_receiver_is_above(const mtree_receiver_t *receiver)
{
    return receiver->tag == receiver->state->stream->tag + MTREE_TAG_DOWN;
}

/* Units of the next message of a lane. */
static inline size_t mtree_send_channel_count(const mtree_send_channel_t *channel)
{
    return channel->next < channel->blank
               ? mtree_stream_state_count(channel->state, channel->next)
               : 0;
}

/* True where the sum of a reducing flow ends; elsewhere it goes on up. */
static inline bool mtree_stream_state_is_root(const mtree_stream_state_t *state)
{
    return state->stream->parent < 0;
}

/* Start every receive that has a free slot. */
void mtree_receiver_post(mtree_receiver_t *receiver);

/* The slots up to those of chunk @a released - 1 are free: receive into them and tell the
 * sender. */
void mtree_receiver_release(mtree_receiver_t *receiver, size_t released);

/* Fold all that can be, in order, and pass on what is complete. */
void mtree_stream_state_reduce(mtree_stream_state_t *state);

/* Chunk @a chunk of a reducing inner rank was sent up: its slot is free. */
void mtree_stream_state_sent_up(mtree_stream_state_t *state, size_t chunk);

/* More chunks of @a state are complete or folded: its lanes may have work. */
void mtree_stream_state_wake(mtree_stream_state_t *state);

/* Send what may be sent to every peer whose state changed. */
void mtree_send_queue_pump(mtree_operation_t *operation);

/* Wait for the next credit of a lane whose receiver keeps less room than there are
 * chunks. */
void mtree_send_channel_await_credit(mtree_send_channel_t *channel);

/* A lane or inlet of @a step is done: go on to the first step that waits for another. */
void mtree_operation_step(mtree_operation_t *operation, int step);

static inline double mtree_operation_now(const mtree_operation_t *operation)
{
    return operation->transport->ops->now(operation->transport);
}

/* The time where it is traced, else 0. */
static inline double mtree_operation_clock(const mtree_operation_t *operation)
{
    return operation->data.trace == NULL ? 0 : mtree_operation_now(operation);
}

/* Add to the trace, where there is one, what began at @a begin and ends now. */
void mtree_stream_state_trace(const mtree_stream_state_t *state, mtree_act_t act, bool up,
                              int peer, size_t chunk, double begin);

/* Which peer and which stream of the layout these are. */
static inline int mtree_send_queue_number(const mtree_operation_t *operation,
                                          const mtree_send_queue_t *send_queue)
{
    return (int)(send_queue - operation->send_queues);
}

static inline int mtree_stream_state_number(const mtree_stream_state_t *state)
{
    return (int)(state - state->operation->states);
}

/* Bytes of data of a chunk of a flow. */
static inline double mtree_stream_state_bytes(const mtree_stream_state_t *state,
                                              size_t chunk)
{
    return (double)mtree_stream_state_count(state, chunk) *
           (double)state->operation->data.extent;
}

/* Where the next parts are taken from while an operation, or an annex, is put together.
 */
typedef struct {
    mtree_send_channel_t *channel;
    mtree_receiver_t *receiver;
    mtree_slot_t *slot;
    char *scratch;
} mtree_cursor_t;

/* Chunks of a stream that a receiver keeps room for, and the bytes of one of these. */
size_t mtree_stream_slots(const mtree_stream_t *stream);
size_t mtree_stream_slot_bytes(const mtree_operation_data_t *data,
                               const mtree_stream_t *stream);

/* Add a lane to @a rank, or an inlet from it on tag @a tag of the stream with @a window
 * slots, of its own @a memory, taken from @a at; @a step as in the layout. */
mtree_send_channel_t *mtree_stream_state_add_channel(mtree_stream_state_t *state,
                                                     int rank, int step, bool up,
                                                     mtree_cursor_t *at);
mtree_receiver_t *mtree_stream_state_add_receiver(mtree_stream_state_t *state, int rank,
                                                  int step, int tag, size_t window,
                                                  bool memory, mtree_cursor_t *at);

/* Remember the first error; nothing new is started after it. */
void mtree_operation_fail(mtree_operation_t *operation, mtree_status_t status);

#endif
