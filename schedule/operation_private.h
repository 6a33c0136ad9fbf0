/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation, inside, in layers: stream_state.c (steps, errors, the trace, and the two
 * ends of an edge), edge_blocks.c (what the edges of personalized streams carry),
 * receiver.c (receiving and reducing), send_queue.c (sending), batch.c (which streams
 * run), operation.c (life, also that of program/run.c), prefix.c (scans) and
 * arrival/peers.c (open streams).  Only the thread that holds the operation's inbox
 * touches any of it.
 */
#ifndef MTREE_SCHEDULE_OPERATION_PRIVATE_H
#define MTREE_SCHEDULE_OPERATION_PRIVATE_H

#include "base/container_of.h"
#include "schedule/block_slices.h"
#include "schedule/inbox.h"
#include "schedule/operation.h"

/* Bytes; slots begin at addresses at which any datatype may. */
#define MTREE_SLOT_ALIGNMENT 64

typedef struct mtree_stream_state mtree_stream_state_t;
typedef struct mtree_receiver mtree_receiver_t;
typedef struct mtree_send_channel mtree_send_channel_t;
typedef struct mtree_send_queue mtree_send_queue_t;
typedef struct mtree_batch mtree_batch_t;

/* What passes between two ranks, one way, of one stream. */
typedef struct {
    int first, num; /* personalized: the places in `below` of the blocks; else 0 */
    size_t end;     /* chunks that pass, with empty ones */
} mtree_edge_t;

/* The end of an edge whose header is not there yet. */
#define MTREE_END_UNKNOWN SIZE_MAX

/* One receive slot of a receiver. */
typedef struct {
    mtree_event_t event;
    mtree_receiver_t *receiver;
    size_t chunk;
    bool arrived; /* received, not taken yet */
    int unsent;   /* when it is taken: channels that are still to send from it */
    char *memory; /* its address as a vector of units; NULL: straight into the output */
} mtree_slot_t;

/* The chunks of one stream from one peer.  Chunk i is received in slot i % window. */
struct mtree_receiver {
    mtree_stream_state_t *state;
    mtree_edge_t edge;
    int peer;      /* rank */
    bool up;       /* it receives sums, not the result */
    bool credited; /* the sender waits for credit */
    char *memory;  /* personalized: of the slots, or of the header; owned */
    size_t window;
    size_t posted;   /* chunks whose receive was started */
    size_t taken;    /* chunks whose part for this rank is in its place, in order */
    size_t released; /* chunks whose slot is free again, in order */
    size_t arrived;  /* chunks, in any order */
    int step;        /* lockstep; 0: none */
    size_t granted;  /* chunks beyond the first window that the sender may send */
    bool crediting;  /* a credit message is outstanding */
    mtree_event_t credit_event;
    mtree_slot_t *slots;
};

/* The chunks of one stream to one peer, one way. */
struct mtree_send_channel {
    mtree_stream_state_t *state;
    mtree_send_queue_t *send_queue;
    mtree_edge_t edge;
    bool up;
    bool credited;  /* it waits for credit */
    int step;       /* lockstep: nothing is sent before it; 0: none */
    size_t next;    /* next chunk to send */
    size_t sent;    /* chunks whose sending has ended */
    size_t credit;  /* chunks that the receiver has memory for */
    bool crediting; /* the receive of a credit message is outstanding */
    mtree_event_t credit_event;
    mtree_send_channel_t *link;    /* next of the same send queue that is open */
    mtree_send_channel_t *sibling; /* next of the same stream */
};

/* One outstanding send. */
typedef struct mtree_send_op mtree_send_op_t;
struct mtree_send_op {
    mtree_event_t event;
    mtree_send_channel_t *channel;
    size_t chunk;
    size_t bytes; /* counted against the window of the send queue */
    double begin; /* time at which it was sent, where that is traced */
    char *packed; /* the bytes sent, when they had to be packed; owned */
    mtree_send_op_t *link;
};

/* The queue to one peer. */
struct mtree_send_queue {
    int rank;
    size_t window;       /* bytes that may be outstanding now */
    size_t max_window;   /* to which slow start brings it */
    size_t outstanding;  /* bytes */
    double acknowledged; /* bytes, of the call */
    bool dirty; /* since it was last looked at, a channel became ready or a send was done
                 */
    mtree_send_channel_t *channels; /* that are open and have more to send */
    int num_credited;               /* of them that wait for credit */
};

/*
 * Streams that follow one another in the layout and begin at the same time, with the
 * memory of their parts.  Two batches run at a time: a call that gathers the blocks of
 * thousands of ranks needs memory for few of its streams.  All ranks begin them in the
 * same order.  So the first batch that is not done everywhere runs on all ranks, and what
 * a rank has sent of a later one does not keep it from ending.
 */
struct mtree_batch {
    mtree_batch_t *next; /* began after it; of extra memory: added before it */
    size_t left; /* chunks to send and to receive, and messages that are outstanding */
    mtree_stream_state_t *states; /* [num_states] */
    int num_states;
    /* In use up to _end; the memory behind it is for those that are still to be added. */
    mtree_send_channel_t *channels, *channels_end;
    mtree_receiver_t *receivers, *receivers_end;
    mtree_slot_t *slots_end; /* of all receivers, behind these */
    char *scratch, *scratch_end;
};

/* A stream, running. */
struct mtree_stream_state {
    mtree_operation_t *operation;
    mtree_batch_t *batch;
    const mtree_stream_t *stream;
    size_t num_chunks; /* not personalized: of all edges alike */
    ptrdiff_t shift;   /* bytes to add to the addresses of its units */
    size_t folded;   /* chunks that contain the parts of all children and of this rank, in
                        order; of a scan also, at a leaf, those of all ranks before it */
    size_t complete; /* chunks of the result that this rank has, in order */
    int num_receivers;
    mtree_receiver_t *receivers; /* from children, where data flows up */
    mtree_receiver_t *above; /* from the parent, where it flows down and there is one */
    mtree_send_channel_t *channels; /* the newest first: to the parent, where data flows
                                       up, and to the children, where it flows down */
    mtree_block_slices_t *blocks;   /* by place in `below`; NULL: not personalized */
    int num_unknown; /* personalized, on the way up: children whose header is to come */
};

struct mtree_operation {
    mtree_transport_t *transport;
    mtree_operation_data_t data;
    mtree_operation_func_t func;
    void *arg;
    void (*clear)(mtree_operation_t *operation); /* frees what its kind has */
    mtree_status_t status;
    atomic_bool finished;
    bool detached;      /* it ends although messages are outstanding */
    bool orphan;        /* freed by its owner while messages were outstanding */
    bool truncates;     /* it throws away what is longer than its receiver expects */
    size_t outstanding; /* sends, receives and credits that are started and not done */
    unsigned call;      /* its number in the trace */
    mtree_inbox_t inbox;
    mtree_arena_t arena; /* of its records of messages, which are used again */
    /* Over trees; a rank program's has its own instead (schedule/program/run.c). */
    const mtree_layout_t *layout;
    bool held;      /* open streams: peers may still be added */
    double last[2]; /* [up] the least progress of the channels that are sending; infinite:
                       none is */
    int step;       /* lockstep: all steps before it have been sent and received */
    int *step_waits; /* [2 x steps of the layout + 1] channels and receivers that each
                        step waits for */
    mtree_batch_t *oldest, *newest; /* running */
    int next_stream;                /* the first that has not begun */
    size_t *prefix_done; /* [layout->num_in] of a scan: chunks of each incoming stream
                            that are in the output */
    mtree_stream_state_t *states; /* of the first batch, which has the open stream */
    mtree_send_queue_t *send_queues;
    mtree_send_op_t *free_send_ops;
    mtree_batch_t *extra; /* without streams: the memory of peers that were added */
};

/* First unit and number of units of a chunk of a stream. */
static inline size_t mtree_stream_state_offset(const mtree_stream_state_t *state,
                                               size_t chunk)
{
    return state->stream->offset + chunk * state->stream->stride;
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

/* Chunks that a parent grants at a time beyond the first window.  The rest of the window
 * lasts while the credit is on its way. */
static inline size_t mtree_credit_batch(size_t window)
{
    return window > 4 ? window / 4 : 1;
}

/* The tag of @a kind of what passes @a up or down.  Between two ranks sums of an open
 * stream and its result may flow the same way. */
static inline int mtree_stream_state_tag(const mtree_stream_state_t *state, bool up,
                                         int kind)
{
    const mtree_stream_t *stream = state->stream;

    return (stream->open ? up : stream->number % (2 * state->operation->layout->batch)) *
               MTREE_STREAM_TAGS +
           kind;
}

/* edge_blocks.c: units of a chunk on an edge of a personalized stream. */
size_t mtree_edge_blocks_count(const mtree_stream_state_t *state,
                               const mtree_edge_t *edge, size_t chunk);

/* Units of a chunk on an edge of any stream. */
static inline size_t mtree_edge_count(const mtree_stream_state_t *state,
                                      const mtree_edge_t *edge, size_t chunk)
{
    return state->blocks == NULL ? mtree_stream_state_count(state, chunk)
                                 : mtree_edge_blocks_count(state, edge, chunk);
}

/* Is this rank the root of the stream? */
static inline bool mtree_stream_state_is_root(const mtree_stream_state_t *state)
{
    return state->stream->parent < 0;
}

/* Is what comes down sent on from the slot in which it came?  Else from the output. */
static inline bool mtree_stream_state_sends_on(const mtree_stream_state_t *state)
{
    return state->blocks != NULL || state->operation->layout->is_relay;
}

/* receiver.c: start every receive that has a free slot. */
void mtree_receiver_post(mtree_receiver_t *receiver);

/* One more channel has sent @a chunk from its slot of @a receiver; after the last one the
 * slot is free. */
void mtree_receiver_sent(mtree_receiver_t *receiver, size_t chunk);

/* send_queue.c: send what may be sent to every peer whose queue is dirty. */
void mtree_send_queue_pump(mtree_operation_t *operation);

/* @a channel begins: it sends what is ready. */
void mtree_send_channel_open(mtree_send_channel_t *channel);

/* stream_state.c: more chunks of @a state are complete or reduced, so its channels may
 * have work. */
void mtree_stream_state_wake(mtree_stream_state_t *state);

/* A channel or receiver of @a step is done: go on to the first step that waits for
 * another.
 */
void mtree_operation_step(mtree_operation_t *operation, int step);

/* operation.c: what operations of both kinds begin with, in @a operation, which is all
 * zeros but for its data and what its kind has.  @a idle is called after each batch of
 * completions, and returns mtree_operation_is_idle(). */
void mtree_operation_init(mtree_operation_t *operation, mtree_transport_t *transport,
                          mtree_operation_func_t func, void *arg,
                          bool (*idle)(mtree_inbox_t *inbox),
                          void (*clear)(mtree_operation_t *operation));

/*
 * Is nothing outstanding?  A failed operation ends with its last message, if the
 * transport ends all messages, else here.  A detached operation ends here, too.
 * Outstanding messages keep its memory.
 */
bool mtree_operation_is_idle(mtree_operation_t *operation);

static inline mtree_operation_t *mtree_inbox_operation(mtree_inbox_t *inbox)
{
    return MTREE_CONTAINER_OF(inbox, mtree_operation_t, inbox);
}

/* stream_state.c: keep the first error.  Nothing new is started after it. */
void mtree_operation_fail(mtree_operation_t *operation, mtree_status_t status);

/* The transport has answered @a status to a message; its completion is handled later.
 * False: it was not started, and the operation has failed. */
bool mtree_operation_began(mtree_operation_t *operation, mtree_status_t status);

/* The message of @a event has ended.  False: it failed, and so has the operation. */
bool mtree_operation_ended(mtree_operation_t *operation, const mtree_event_t *event);

/* The same of a message of a stream. */
bool mtree_stream_state_began(mtree_stream_state_t *state, mtree_status_t status);
bool mtree_stream_state_ended(mtree_stream_state_t *state, const mtree_event_t *event);

static inline double mtree_operation_now(const mtree_operation_t *operation)
{
    return operation->transport->ops->now(operation->transport);
}

/* The time where it is traced, else 0. */
static inline double mtree_operation_clock(const mtree_operation_t *operation)
{
    return operation->data.trace == NULL ? 0 : mtree_operation_now(operation);
}

/* Add an act on @a units of @a chunk that began at @a begin and ends now to the trace, if
 * there is one. */
void mtree_stream_state_trace(const mtree_stream_state_t *state, mtree_act_t act, bool up,
                              int peer, size_t chunk, size_t units, double begin);

/* Its number among the peers of the layout. */
static inline int mtree_send_queue_number(const mtree_operation_t *operation,
                                          const mtree_send_queue_t *send_queue)
{
    return (int)(send_queue - operation->send_queues);
}

/* prefix.c: chunks of an outgoing stream of a scan that incoming ones have brought. */
size_t mtree_prefix_ready(const mtree_operation_t *operation,
                          const mtree_stream_t *stream);

/* More chunks of an incoming stream are in the output: outgoing ones may have work. */
void mtree_prefix_advance(const mtree_stream_state_t *state);

/* Where results leave out this rank's part: take @a chunk, whose sum has come; and add
 * the part to what is sent on, in @a memory for a chunk, where it lies at the address
 * that is returned. */
void mtree_prefix_take(const mtree_stream_state_t *state, size_t chunk, const char *sum);
char *mtree_prefix_pack(const mtree_stream_state_t *state, size_t chunk, char *memory);

/* The numbers of the parts of an operation. */
typedef struct {
    size_t channels, receivers, slots, scratch;
} mtree_part_counts_t;

/* batch.c: a batch with memory for @a num_states streams and their parts, of which it has
 * none yet. */
mtree_batch_t *mtree_batch_alloc(int num_states, const mtree_part_counts_t *counts);

/* Add the batch of the next streams, which do not begin yet. */
void mtree_batch_add(mtree_operation_t *operation);

/* Begin with the channels and receivers of @a batch. */
void mtree_batch_begin(mtree_batch_t *batch);

/* Begin the next batch when the oldest is done; true: it has begun. */
bool mtree_batches_advance(mtree_operation_t *operation);

/* mtree_operation_scratch() of trees. */
size_t mtree_batches_scratch(const mtree_layout_t *layout,
                             const mtree_operation_data_t *data);

/* Free @a batch and all that follow it; NULL is allowed. */
void mtree_batches_free(mtree_batch_t *batch);

/* stream_state.c: the queue to @a rank. */
mtree_send_queue_t *mtree_operation_send_queue(mtree_operation_t *operation, int rank);

/* Do chunks of a result go through slots, not straight into the output? */
static inline bool mtree_operation_copies_results(const mtree_layout_t *layout,
                                                  const mtree_operation_data_t *data)
{
    return data->unpack != NULL || layout->is_relay;
}

/* Chunks of a stream, those that a receiver of sums, or of the result, has slots for, and
 * the bytes of each slot. */
size_t mtree_stream_num_chunks(const mtree_stream_t *stream);
size_t mtree_stream_slots(const mtree_stream_t *stream, bool up);
size_t mtree_stream_slot_bytes(const mtree_operation_data_t *data,
                               const mtree_stream_t *stream);

/* batch.c: add a channel to child number @a child (-1: to the parent), which is @a rank,
 * or a receiver from it, in memory of @a batch.  NULL: nothing passes. */
mtree_send_channel_t *mtree_stream_state_add_channel(mtree_stream_state_t *state,
                                                     int child, int rank,
                                                     mtree_batch_t *batch);
mtree_receiver_t *mtree_stream_state_add_receiver(mtree_stream_state_t *state, int child,
                                                  int rank, mtree_batch_t *batch);

#endif
