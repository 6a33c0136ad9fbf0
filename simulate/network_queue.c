/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/container_of.h"
#include "simulate/network_model.h"

#include <math.h>

/* Give @a arc @a seconds of work that is available from @a time on; returns the time at
 * which the work is done. */
static double queue_charge(mtree_network_t *network, int arc, double time, double seconds)
{
    network->free_at[arc] = fmax(network->free_at[arc], time) + seconds;
    network->busy[arc] += seconds;
    return network->free_at[arc];
}

/* The received message is acknowledged in the opposite direction. */
static void queue_acknowledge(const mtree_message_t *message)
{
    const mtree_connection_t *connection = message->connection;
    mtree_network_t *network = connection->network;
    double bits =
        8.0 * network->options.ack_bytes * mtree_network_packets(network, message->bytes);
    int arc, i;

    for (i = 0; i < connection->num_arcs; i++) {
        arc = connection->arcs[i] ^ 1;
        if (network->capacity[arc] > 0.0) {
            queue_charge(network, arc, mtree_event_queue_now(network->queue),
                         bits / network->capacity[arc]);
        }
    }
}

/* The first packet of a message is complete at the vertex before arc number `hop` of its
 * route. */
static void queue_head(mtree_timer_t *event)
{
    mtree_message_t *message = MTREE_CONTAINER_OF(event, mtree_message_t, head);
    mtree_connection_t *connection = message->connection;
    mtree_network_t *network = connection->network;
    const double now = mtree_event_queue_now(network->queue);
    const double first = mtree_network_packet_bits(network, message->bytes);
    const int arc = connection->arcs[message->hop];
    const double capacity = network->capacity[arc];
    const double latency = network->topology->links[arc >> 1].latency;
    const double start = fmax(now, network->free_at[arc]);
    double end;

    end = queue_charge(network, arc, now,
                       mtree_network_wire_bits(network, message->bytes) / capacity);
    if (message->hop > 0) {
        end = fmax(end, message->tail + first / capacity);
    } else {
        mtree_network_set_departure(message, end);
    }
    message->tail = end + latency;
    message->hop++;
    if (message->hop < connection->num_arcs) {
        mtree_event_queue_add(network->queue, event, start + first / capacity + latency);
    } else {
        queue_acknowledge(message);
        connection->last_arrival = fmax(connection->last_arrival, message->tail);
        mtree_network_set_arrival(message, connection->last_arrival);
    }
}

void mtree_network_queue_send(mtree_message_t *message)
{
    mtree_connection_t *connection = message->connection;
    mtree_network_t *network = connection->network;
    double start = fmax(mtree_event_queue_now(network->queue), connection->next_start);

    connection->next_start =
        start + mtree_network_wire_bits(network, message->bytes) / connection->limit;
    if (connection->num_arcs == 0) {
        mtree_network_set_departure(message, connection->next_start);
        mtree_network_set_arrival(message, connection->next_start + connection->latency);
        return;
    }
    message->hop = 0;
    message->head.func = queue_head;
    mtree_event_queue_add(network->queue, &message->head, start);
}
