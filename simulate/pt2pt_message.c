/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/pt2pt_private.h"

#include "base/log.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const mtree_endpoint_t *endpoint_of(mtree_transport_t *transport)
{
    return MTREE_CONTAINER_OF(transport, mtree_endpoint_t, transport);
}

/* Units of the data of @a count units of @a end. */
static size_t units_of(const mtree_endpoint_t *end, size_t count)
{
    return end->is_control ? count / end->rank->pt2pt->options.unit_bytes : count;
}

/* The rank handles the message of @a send; returns when that is over. */
static double handle(mtree_rank_t *rank, const mtree_send_t *send)
{
    const mtree_pt2pt_options_t *options = &rank->pt2pt->options;
    const double bytes = (double)(send->count * options->unit_bytes);

    mtree_pt2pt_compute(rank->pt2pt, rank->number,
                        options->cost.message + options->cost.byte * bytes);
    return rank->free_at;
}

/* The pair of ranks @a from and @a to; NULL (logged): one is a schedule's mistake. */
static mtree_pair_t *find_pair(mtree_pt2pt_t *pt2pt, int from, int to)
{
    const int num_ranks = pt2pt->options.num_ranks;

    if (from < 0 || from >= num_ranks || to < 0 || to >= num_ranks) {
        mtree_error("simulator: a message from rank %d to rank %d of %d; the schedule is "
                    "wrong",
                    from, to, num_ranks);
        return NULL;
    }
    return mtree_pt2pt_pair(&pt2pt->ranks[from], to);
}

void mtree_pt2pt_send_free(mtree_send_t *send)
{
    mtree_list_remove(&send->live);
    mtree_list_remove(&send->arrived);
    free(send->copy);
    free(send);
}

void mtree_pt2pt_recv_free(mtree_recv_t *recv)
{
    mtree_list_remove(&recv->live);
    mtree_list_remove(&recv->posted);
    free(recv);
}

static void send_release(mtree_send_t *send)
{
    if (--send->references == 0) {
        mtree_pt2pt_send_free(send);
    }
}

/* One more end of the message is done; its completion is the last use of it here. */
static void send_done(mtree_send_t *send)
{
    mtree_completion_t *done = send->done;

    send->done = NULL;
    send_release(send);
    done->func(done, MTREE_OK);
}

/* A message has been received.  With the last one that is allowed the queue ends. */
static void count_received(mtree_pt2pt_t *pt2pt)
{
    pt2pt->received++;
    if (pt2pt->most > 0 && pt2pt->received == pt2pt->most / 2) {
        pt2pt->half_at = mtree_event_queue_now(pt2pt->queue);
    }
    if (pt2pt->most > 0 && pt2pt->received == pt2pt->most) {
        pt2pt->cut_at = mtree_event_queue_now(pt2pt->queue);
        mtree_event_queue_fail(pt2pt->queue, MTREE_ERR_LIMIT);
    }
}

static void recv_done(mtree_timer_t *event)
{
    mtree_recv_t *recv = MTREE_CONTAINER_OF(event, mtree_recv_t, event);
    mtree_completion_t *done = recv->done;
    mtree_pt2pt_t *pt2pt = recv->pair->from->pt2pt;

    count_received(pt2pt);
    mtree_pt2pt_recv_free(recv);
    done->func(done, MTREE_OK);
}

static void copy_data(const mtree_send_t *send)
{
    if (send->carried > 0) {
        memcpy(send->recv->buffer, send->copy, send->carried);
    }
}

/* The whole message is at the receiver. */
static void deliver(mtree_send_t *send)
{
    mtree_event_queue_add(send->pair->from->pt2pt->queue, &send->recv->event,
                          handle(send->pair->to, send));
    send_release(send);
}

static void rest_departed(mtree_message_t *message)
{
    mtree_send_t *send = MTREE_CONTAINER_OF(message, mtree_send_t, message);

    copy_data(send);
    send_done(send);
}

static void rest_arrived(mtree_message_t *message)
{
    deliver(MTREE_CONTAINER_OF(message, mtree_send_t, message));
}

/* The message was matched: the sender is done, or sends the rest. */
static void acknowledged(mtree_message_t *message)
{
    mtree_send_t *send = MTREE_CONTAINER_OF(message, mtree_send_t, acknowledge);

    if (send->rest_bytes == 0) {
        send_done(send);
        return;
    }
    send->message.bytes = send->rest_bytes;
    send->message.departed = rest_departed;
    send->message.arrived = rest_arrived;
    mtree_network_send(send->pair->connection, &send->message);
}

/* The same of a stream: the message has arrived. */
static void stream_acknowledged(mtree_message_t *message)
{
    send_done(MTREE_CONTAINER_OF(message, mtree_send_t, message));
}

static void match(mtree_send_t *send, mtree_recv_t *recv)
{
    mtree_pt2pt_t *pt2pt = send->pair->from->pt2pt;

    send->recv = recv;
    if (recv->count != send->count) {
        mtree_error("simulator: rank %d sends %zu units with tag %d to rank %d, which "
                    "expects %zu; the schedule is wrong",
                    send->pair->from->number, send->count, send->tag,
                    send->pair->to->number, recv->count);
        mtree_event_queue_fail(pt2pt->queue, MTREE_ERR_TRANSPORT);
        return;
    }
    if ((send->synchronous || send->rest_bytes > 0) &&
        send->message.acknowledged == NULL) {
        const mtree_pair_t *back =
            mtree_pt2pt_pair(send->pair->to, send->pair->from->number);

        send->acknowledge.bytes = pt2pt->options.control_bytes;
        send->acknowledge.arrived = acknowledged;
        mtree_network_send(back->connection, &send->acknowledge);
    }
    if (send->rest_bytes == 0) {
        copy_data(send);
        deliver(send);
    }
}

/* The message, or the first part of it, is at the receiver. */
static void first_arrived(mtree_message_t *message)
{
    mtree_send_t *send = MTREE_CONTAINER_OF(message, mtree_send_t, message);
    mtree_match_queues_t *queues = mtree_pt2pt_queues(send->pair, send->tag);
    mtree_list_t *posted = mtree_list_take(&queues->posted);

    if (posted != NULL) {
        match(send, MTREE_CONTAINER_OF(posted, mtree_recv_t, posted));
    } else {
        mtree_list_append(&queues->arrived, &send->arrived);
    }
}

static void send_start(mtree_timer_t *event)
{
    mtree_send_t *send = MTREE_CONTAINER_OF(event, mtree_send_t, event);

    mtree_network_send(send->pair->connection, &send->message);
    /* The sender waits only until the bytes are in the transport's buffers. */
    if (!send->synchronous && send->rest_bytes == 0) {
        send_done(send);
    }
}

/* Cut the message into the part that is sent at once and the part that waits for the
 * match. */
static void send_cut(mtree_send_t *send, const mtree_pt2pt_options_t *options)
{
    const size_t bytes = send->count * options->unit_bytes;
    const mtree_connection_t *connection = send->pair->connection;
    const bool streams = options->streams && mtree_network_acknowledges(connection);

    send->first_bytes = bytes;
    if (options->eager_bytes > 0 && bytes > options->eager_bytes && !streams) {
        send->first_bytes = options->eager_bytes;
    }
    send->rest_bytes = bytes - send->first_bytes;
    send->message.bytes = send->first_bytes + options->control_bytes;
    send->message.arrived = first_arrived;
    send->message.acknowledged =
        streams && send->synchronous ? stream_acknowledged : NULL;
}

static mtree_status_t pt2pt_send(mtree_transport_t *transport, int peer, int tag,
                                 const void *buffer, size_t count, bool synchronous,
                                 mtree_completion_t *done)
{
    const mtree_endpoint_t *end = endpoint_of(transport);
    mtree_rank_t *rank = end->rank;
    mtree_pt2pt_t *pt2pt = rank->pt2pt;
    mtree_pair_t *pair = find_pair(pt2pt, rank->number, peer);
    mtree_send_t *send;

    if (pair == NULL) {
        return MTREE_ERR_INVALID;
    }
    send = mtree_calloc(1, sizeof(*send));
    send->pair = pair;
    send->tag = tag;
    send->carried = end->is_control ? count : 0;
    send->count = units_of(end, count);
    send->synchronous = synchronous;
    send->references = 2;
    send->done = done;
    send->event.func = send_start;
    send_cut(send, &pt2pt->options);
    if (send->carried > 0) {
        /* The buffer may be reused before the match. */
        send->copy = memcpy(mtree_malloc(send->carried), buffer, send->carried);
    }
    mtree_list_init(&send->arrived);
    mtree_list_append(&pt2pt->sends, &send->live);
    pt2pt->messages++;
    mtree_event_queue_add(pt2pt->queue, &send->event, handle(rank, send));
    return MTREE_OK;
}

static mtree_status_t pt2pt_recv(mtree_transport_t *transport, int peer, int tag,
                                 void *buffer, size_t count, mtree_completion_t *done)
{
    const mtree_endpoint_t *end = endpoint_of(transport);
    mtree_rank_t *rank = end->rank;
    mtree_pt2pt_t *pt2pt = rank->pt2pt;
    mtree_pair_t *pair = find_pair(pt2pt, peer, rank->number);
    mtree_match_queues_t *queues;
    mtree_recv_t *recv;
    mtree_list_t *arrived;

    if (pair == NULL) {
        return MTREE_ERR_INVALID;
    }
    queues = mtree_pt2pt_queues(pair, tag);
    recv = mtree_calloc(1, sizeof(*recv));
    recv->pair = pair;
    recv->buffer = buffer;
    recv->count = units_of(end, count);
    recv->done = done;
    recv->event.func = recv_done;
    mtree_list_init(&recv->posted);
    mtree_list_append(&pt2pt->recvs, &recv->live);
    arrived = mtree_list_take(&queues->arrived);
    if (arrived != NULL) {
        match(MTREE_CONTAINER_OF(arrived, mtree_send_t, arrived), recv);
    } else {
        mtree_list_append(&queues->posted, &recv->posted);
    }
    return MTREE_OK;
}

static double pt2pt_now(mtree_transport_t *transport)
{
    return mtree_event_queue_now(endpoint_of(transport)->rank->pt2pt->queue);
}

const mtree_transport_ops_t mtree_pt2pt_ops = {
    .send = pt2pt_send, .recv = pt2pt_recv, .now = pt2pt_now};
