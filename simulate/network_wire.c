/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/container_of.h"
#include "simulate/network_model.h"

double mtree_network_packets(const mtree_connection_t *connection, size_t bytes)
{
    const size_t packet = connection->packet_bytes;

    return bytes == 0 ? 1.0 : (double)((bytes + packet - 1) / packet);
}

double mtree_network_wire_bits(const mtree_connection_t *connection, size_t bytes)
{
    return 8.0 * ((double)bytes + mtree_network_packets(connection, bytes) *
                                      (double)connection->network->options.header_bytes);
}

double mtree_network_packet_bits(const mtree_connection_t *connection, size_t bytes)
{
    const size_t packet = connection->packet_bytes;

    return mtree_network_wire_bits(connection, bytes < packet ? bytes : packet);
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

void mtree_network_set_departure(mtree_message_t *message, double time)
{
    if (message->departed != NULL) {
        message->departure.func = departure_event;
        mtree_event_queue_add(message->connection->network->queue, &message->departure,
                              time);
    }
}

void mtree_network_set_arrival(mtree_message_t *message, double time)
{
    message->arrival.func = arrival_event;
    mtree_event_queue_add(message->connection->network->queue, &message->arrival, time);
}

bool mtree_network_acknowledges(const mtree_connection_t *connection)
{
    return connection->num_arcs > 0;
}

mtree_segment_t *mtree_network_segment_get(mtree_network_t *network)
{
    mtree_segment_t *segment = network->free_segments;

    if (segment != NULL) {
        network->free_segments = segment->next;
        return segment;
    }
    if (MTREE_ARENA_ARRAY(&network->arena, segment, 1) == NULL) {
        mtree_event_queue_fail(network->queue, MTREE_ERR_NO_MEMORY);
    }
    return segment;
}

void mtree_network_segment_put(mtree_segment_t *segment)
{
    mtree_network_t *network = segment->connection->network;

    segment->next = network->free_segments;
    network->free_segments = segment;
}
