/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/container_of.h"
#include "simulate/network_model.h"

#include <math.h>

/* Packets that TCP hands over at once (where an MTU makes them short, as many more), and
 * how many such segments of a connection wait before its first arc at most (TCP small
 * queues).  So the connections of a host take turns. */
#define SEGMENT_PACKETS  2
#define WAITING_SEGMENTS 2

static void queue_pump(mtree_connection_t *connection);

/* The packets that a message of @a bytes is on the wire. */
static double count_packets(const mtree_connection_t *connection, size_t bytes)
{
    const size_t packet = connection->packet_bytes;

    return bytes == 0 ? 1.0 : (double)((bytes + packet - 1) / packet);
}

/* Its bits with headers. */
static double wire_bits(const mtree_connection_t *connection, size_t bytes)
{
    return 8.0 * ((double)bytes + count_packets(connection, bytes) *
                                      (double)connection->network->options.header_bytes);
}

/* Those of its first packet, which an inner vertex receives completely before it forwards
 * any. */
static double first_bits(const mtree_connection_t *connection, size_t bytes)
{
    const size_t packet = connection->packet_bytes;

    return wire_bits(connection, bytes < packet ? bytes : packet);
}

static void arrival_event(mtree_timer_t *event)
{
    mtree_message_t *message = MTREE_CONTAINER_OF(event, mtree_message_t, arrival);

    message->arrived(message);
}

static void departure_event(mtree_timer_t *event)
{
    mtree_message_t *message = MTREE_CONTAINER_OF(event, mtree_message_t, departure);

    message->departed(message);
}

/* Set the time at which the last byte of @a message leaves the sender. */
static void set_departure(mtree_message_t *message, double time)
{
    if (message->departed != NULL) {
        message->departure.func = departure_event;
        mtree_event_queue_add(message->connection->network->queue, &message->departure,
                              time);
    }
}

/* The same of its arrival at the receiver. */
static void set_arrival(mtree_message_t *message, double time)
{
    message->arrival.func = arrival_event;
    mtree_event_queue_add(message->connection->network->queue, &message->arrival, time);
}

/* The time at which @a arc, without its burst, begins what is there at @a time. */
static double queue_start(const mtree_network_t *network, int arc, double time)
{
    return fmax(network->free_at[arc], time - network->burst[arc]);
}

/* Give @a arc @a seconds of work that is available from @a time on; returns the time at
 * which the work is done. */
static double queue_charge(mtree_network_t *network, int arc, double time, double seconds)
{
    network->free_at[arc] = queue_start(network, arc, time) + seconds;
    network->busy[arc] += seconds;
    return fmax(network->free_at[arc], time);
}

static void segment_acknowledged(mtree_timer_t *timer)
{
    mtree_segment_t *segment = MTREE_CONTAINER_OF(timer, mtree_segment_t, timer);
    mtree_connection_t *connection = segment->connection;
    mtree_message_t *message = segment->acknowledges ? segment->message : NULL;

    connection->in_flight -= segment->bytes;
    if (mtree_network_repairs(connection)) {
        mtree_network_repair_acknowledged(segment);
    } else {
        mtree_network_segment_put(segment);
        if (message != NULL) {
            message->acknowledged(message);
        }
    }
    queue_pump(connection);
}

/* Does its acknowledgement change anything but the queues that it waits in? */
static bool is_awaited(const mtree_segment_t *segment)
{
    return segment->acknowledges || mtree_network_repairs(segment->connection) ||
           isfinite(segment->connection->window);
}

/*
 * The received segment is acknowledged in the opposite direction.  The acknowledgement
 * waits behind what is queued there now; it takes next to nothing of an idle arc.
 */
static void queue_acknowledge(mtree_segment_t *segment)
{
    mtree_connection_t *connection = segment->connection;
    mtree_network_t *network = connection->network;
    const double bits = 8.0 * network->options.ack_bytes * segment->packets;
    double time = mtree_event_queue_now(network->queue);

    for (int i = connection->num_arcs - 1; i >= 0; i--) {
        const int arc = connection->arcs[i] ^ 1;

        if (network->capacity[arc] > 0.0) {
            const double seconds = bits / network->capacity[arc];

            if (network->free_at[arc] >= time) {
                time = queue_charge(network, arc, time, seconds);
            } else {
                network->busy[arc] += seconds;
                time += seconds;
            }
        }
        time += network->topology->links[arc >> 1].latency;
    }
    segment->timer.func = segment_acknowledged;
    if (is_awaited(segment)) {
        mtree_event_queue_add(network->queue, &segment->timer, time);
    } else {
        connection->in_flight -= segment->bytes;
        mtree_network_segment_put(segment);
    }
}

static void segment_arrived(mtree_timer_t *timer)
{
    mtree_segment_t *segment = MTREE_CONTAINER_OF(timer, mtree_segment_t, timer);
    mtree_message_t *message = segment->message;
    const bool repairs = mtree_network_repairs(segment->connection);

    queue_acknowledge(segment);
    if (repairs) {
        mtree_network_repair_arrived(segment);
    } else if (message != NULL) {
        message->arrived(message);
    }
}

/* The first packet of a segment is complete at the vertex before arc number `hop` of its
 * route. */
static void segment_head(mtree_timer_t *timer)
{
    mtree_segment_t *segment = MTREE_CONTAINER_OF(timer, mtree_segment_t, timer);
    mtree_connection_t *connection = segment->connection;
    mtree_network_t *network = connection->network;
    const double now = mtree_event_queue_now(network->queue);
    const int arc = connection->arcs[segment->hop];
    const double capacity = network->capacity[arc];
    const double latency = network->topology->links[arc >> 1].latency;
    const double first = segment->first / capacity;
    const double start = queue_start(network, arc, now);
    double end = queue_charge(network, arc, now, segment->bits / capacity);

    if (segment->hop == 0) {
        mtree_event_queue_add(network->queue, &segment->left, end);
    } else {
        end = fmax(end, segment->tail + fmax(0.0, first - network->burst[arc]));
    }
    segment->tail = end + latency;
    if (network->loss != NULL && !mtree_network_repair_passed(segment, arc)) {
        return;
    }
    if (++segment->hop < connection->num_arcs) {
        mtree_event_queue_add(network->queue, timer, fmax(now, start + first) + latency);
    } else {
        timer->func = segment_arrived;
        connection->last_arrival = fmax(connection->last_arrival, segment->tail);
        mtree_event_queue_add(network->queue, timer, connection->last_arrival);
    }
}

/* A segment has left the sender: another one of its connection takes its place. */
static void segment_left(mtree_timer_t *timer)
{
    mtree_segment_t *segment = MTREE_CONTAINER_OF(timer, mtree_segment_t, left);
    mtree_connection_t *connection = segment->connection;

    connection->num_waiting--;
    if (segment->message != NULL) {
        set_departure(segment->message,
                      mtree_event_queue_now(connection->network->queue));
    }
    if (mtree_network_repairs(connection)) {
        mtree_network_repair_left(segment);
    }
    queue_pump(connection);
}

void mtree_network_queue_emit(mtree_segment_t *segment)
{
    mtree_connection_t *connection = segment->connection;

    segment->timer.func = segment_head;
    segment->left.func = segment_left;
    segment->bits =
        8.0 * ((double)segment->bytes +
               segment->packets * (double)connection->network->options.header_bytes);
    segment->first = first_bits(connection, segment->bytes);
    connection->in_flight += segment->bytes;
    connection->num_waiting++;
    if (mtree_network_repairs(connection)) {
        mtree_network_repair_sends(segment);
    }
    segment_head(&segment->timer);
}

/* Bytes of the longest segment: whole packets. */
static size_t most_bytes(const mtree_connection_t *connection)
{
    const size_t packet = connection->packet_bytes;
    const size_t most = SEGMENT_PACKETS * connection->network->options.packet_bytes;

    return most < SEGMENT_PACKETS * packet ? SEGMENT_PACKETS * packet
                                           : most / packet * packet;
}

/* Cut the next segment off the first message. */
static void segment_cut(mtree_connection_t *connection, mtree_segment_t *segment)
{
    mtree_message_t *message = connection->first;
    const size_t most = most_bytes(connection);
    const size_t rest = message->bytes - connection->cut;

    *segment =
        (mtree_segment_t){.connection = connection, .bytes = rest < most ? rest : most};
    segment->packets = count_packets(connection, segment->bytes);
    connection->cut += segment->bytes;
    if (connection->cut == message->bytes) {
        segment->message = message;
        segment->acknowledges = message->acknowledged != NULL;
        connection->cut = 0;
        connection->first = message->next;
        if (connection->first == NULL) {
            connection->last_p = &connection->first;
        }
    }
}

static bool is_within_window(const mtree_connection_t *connection)
{
    return connection->in_flight == 0 ||
           (double)connection->in_flight < connection->window;
}

/* It may send again. */
static void queue_paced(mtree_timer_t *timer)
{
    queue_pump(MTREE_CONTAINER_OF(timer, mtree_connection_t, paced));
}

/* Send what the connection may send now. */
static void queue_pump(mtree_connection_t *connection)
{
    mtree_network_t *network = connection->network;

    while (connection->first != NULL && connection->num_waiting < WAITING_SEGMENTS &&
           is_within_window(connection)) {
        mtree_segment_t *segment;

        if (connection->paced.place > 0) {
            return;
        }
        segment = mtree_network_segment_get(network);
        segment_cut(connection, segment);
        if (connection->pace > 0.0) {
            connection->paced.func = queue_paced;
            mtree_event_queue_add(network->queue, &connection->paced,
                                  mtree_event_queue_now(network->queue) +
                                      8.0 * (double)segment->bytes / connection->pace);
        }
        mtree_network_queue_emit(segment);
    }
}

/* Between ranks of one host. */
static void queue_send_locally(mtree_connection_t *connection, mtree_message_t *message)
{
    mtree_network_t *network = connection->network;
    const double start =
        fmax(mtree_event_queue_now(network->queue), connection->next_start);

    connection->next_start = start + wire_bits(connection, message->bytes) /
                                         connection->network->options.local_rate;
    set_departure(message, connection->next_start);
    set_arrival(message, connection->next_start + connection->latency);
}

void mtree_network_send(mtree_connection_t *connection, mtree_message_t *message)
{
    message->connection = connection;
    message->arrival.place = 0;
    message->departure.place = 0;
    if (connection->num_arcs == 0) {
        queue_send_locally(connection, message);
        return;
    }
    message->next = NULL;
    *connection->last_p = message;
    connection->last_p = &message->next;
    if (mtree_network_repairs(connection)) {
        mtree_network_repair_message(message);
    }
    queue_pump(connection);
}

mtree_segment_t *mtree_network_segment_get(mtree_network_t *network)
{
    mtree_segment_t *segment = network->free_segments;

    if (segment != NULL) {
        network->free_segments = segment->next;
        return segment;
    }
    return MTREE_ARENA_ARRAY(&network->arena, segment, 1);
}

void mtree_network_segment_put(mtree_segment_t *segment)
{
    mtree_network_t *network = segment->connection->network;

    segment->next = network->free_segments;
    network->free_segments = segment;
}
