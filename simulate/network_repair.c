/* SPDX-License-Identifier: BSD-3-Clause */
/* How TCP repairs what a network loses: selective acknowledgements (RFC 2018), packets
 * known as lost by what was sent later and arrived (RFC 8985), and a timeout. */
#include "base/container_of.h"
#include "simulate/network_model.h"

#include <math.h>

static mtree_segment_t *gap_of(mtree_list_t *link)
{
    return MTREE_CONTAINER_OF(link, mtree_segment_t, gap);
}

static void release(mtree_segment_t *segment)
{
    if (--segment->references == 0) {
        mtree_network_segment_put(segment);
    }
}

/* Have the timer wait for the first gap. */
static void set_timeout(mtree_connection_t *connection)
{
    mtree_event_queue_t *queue = connection->network->queue;

    if (mtree_list_is_empty(&connection->gaps)) {
        mtree_event_queue_remove(queue, &connection->timeout);
    } else {
        mtree_event_queue_add(queue, &connection->timeout,
                              gap_of(connection->gaps.next)->due);
    }
}

/* Send @a packets of those that @a segment has lost again; the rest stays unknown. */
static void send_again(mtree_segment_t *segment, int packets)
{
    mtree_segment_t *again = mtree_network_segment_get(segment->connection->network);
    const size_t bytes =
        packets == segment->lost
            ? segment->lost_bytes
            : segment->lost_bytes / (size_t)segment->lost * (size_t)packets;

    *again = (mtree_segment_t){.connection = segment->connection,
                               .bytes = bytes,
                               .packets = packets,
                               .origin = segment->origin};
    segment->connection->in_flight -= bytes;
    segment->lost -= packets;
    segment->lost_bytes -= bytes;
    if (segment->lost == 0) {
        mtree_list_remove(&segment->gap);
        release(segment);
    }
    mtree_network_queue_emit(again);
}

/* What the sender takes for lost when nothing was acknowledged for so long: all that was
 * not. */
static void timeout_event(mtree_timer_t *timer)
{
    mtree_connection_t *connection =
        MTREE_CONTAINER_OF(timer, mtree_connection_t, timeout);
    const uint64_t last = connection->num_sent;

    while (!mtree_list_is_empty(&connection->gaps) &&
           gap_of(connection->gaps.next)->number < last) {
        mtree_segment_t *segment = gap_of(connection->gaps.next);

        send_again(segment, segment->lost);
    }
    set_timeout(connection);
}

void mtree_network_repair_init(mtree_connection_t *connection)
{
    connection->undelivered_p = &connection->undelivered;
    connection->unacknowledged_p = &connection->unacknowledged;
    connection->timeout.func = timeout_event;
    mtree_list_init(&connection->gaps);
}

void mtree_network_repair_message(mtree_message_t *message)
{
    mtree_connection_t *connection = message->connection;

    connection->given += message->bytes;
    message->end = connection->given;
    if (message->acknowledged != NULL) {
        message->next_unacknowledged = NULL;
        *connection->unacknowledged_p = message;
        connection->unacknowledged_p = &message->next_unacknowledged;
    }
}

void mtree_network_repair_sends(mtree_segment_t *segment)
{
    mtree_connection_t *connection = segment->connection;

    segment->number = connection->num_sent++;
    /* Its way, and its timer at the sender: what is lost may be sent again before the
     * whole segment has left. */
    segment->references = 2;
    mtree_list_init(&segment->gap);
    if (segment->origin == NULL) {
        segment->origin = segment;
        segment->missing = (int)segment->packets;
        segment->references++;
        segment->next = NULL;
        *connection->undelivered_p = segment;
        connection->undelivered_p = &segment->next;
    }
}

void mtree_network_repair_left(mtree_segment_t *segment)
{
    release(segment);
}

/* Put @a segment among those that have lost packets, which are sent again when @a due in
 * any case. */
static void add_gap(mtree_segment_t *segment, double due)
{
    mtree_connection_t *connection = segment->connection;
    mtree_list_t *before = connection->gaps.previous;

    if (!mtree_list_is_empty(&segment->gap)) {
        return;
    }
    segment->due = due;
    while (before != &connection->gaps && gap_of(before)->number > segment->number) {
        before = before->previous;
    }
    segment->references++;
    mtree_list_append(before->next, &segment->gap);
    set_timeout(connection);
}

bool mtree_network_repair_passed(mtree_segment_t *segment, int arc)
{
    const mtree_connection_t *connection = segment->connection;
    const mtree_network_t *network = connection->network;
    const int packets = (int)segment->packets;
    int last, lost = mtree_loss_draw(&network->loss[arc], packets, &last);
    size_t bytes;

    if (lost == 0) {
        return true;
    }
    bytes = lost == packets ? segment->bytes
                            : segment->bytes / (size_t)packets * (size_t)lost;
    segment->lost += lost;
    segment->last = lost == packets ? segment->lost : segment->last + last;
    segment->lost_bytes += bytes;
    segment->bytes -= bytes;
    segment->bits -= segment->bits / packets * lost;
    segment->packets -= lost;
    add_gap(segment,
            network->free_at[arc] + 2.0 * connection->latency + network->options.timeout);
    if (lost == packets) {
        release(segment);
    }
    return lost < packets;
}

void mtree_network_repair_arrived(mtree_segment_t *segment)
{
    mtree_connection_t *connection = segment->connection;

    segment->origin->missing -= (int)segment->packets;
    while (connection->undelivered != NULL && connection->undelivered->missing == 0) {
        mtree_segment_t *first = connection->undelivered;
        mtree_message_t *message = first->message;

        connection->undelivered = first->next;
        if (connection->undelivered == NULL) {
            connection->undelivered_p = &connection->undelivered;
        }
        release(first);
        if (message != NULL) {
            message->arrived(message);
        }
    }
}

/* Tell the senders of messages that as many bytes have arrived. */
static void tell(mtree_connection_t *connection)
{
    mtree_message_t *message;

    while ((message = connection->unacknowledged) != NULL &&
           message->end <= connection->acknowledged) {
        connection->unacknowledged = message->next_unacknowledged;
        if (connection->unacknowledged == NULL) {
            connection->unacknowledged_p = &connection->unacknowledged;
        }
        message->acknowledged(message);
    }
}

void mtree_network_repair_acknowledged(mtree_segment_t *segment)
{
    mtree_connection_t *connection = segment->connection;
    const uint64_t number = segment->number;

    while (!mtree_list_is_empty(&connection->gaps) &&
           gap_of(connection->gaps.next)->number < number) {
        mtree_segment_t *before = gap_of(connection->gaps.next);

        send_again(before, before->lost);
    }
    if (segment->lost > segment->last) {
        send_again(segment, segment->lost - segment->last);
    }
    set_timeout(connection);
    connection->acknowledged += segment->bytes;
    release(segment);
    tell(connection);
}
