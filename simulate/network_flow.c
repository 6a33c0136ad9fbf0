/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/container_of.h"
#include "simulate/network_model.h"

#include <float.h>
#include <math.h>

/* A message whose remaining bits take less time than this (seconds) has been sent: the
 * rest is rounding. */
#define TIME_TOLERANCE 1e-12

/* Count down the bits of the first message that were sent since the last count. */
static void flow_count(mtree_connection_t *connection)
{
    mtree_network_t *network = connection->network;
    const mtree_fair_share_flow_t *flow = &connection->flow;
    const double now = mtree_event_queue_now(network->queue);
    const double bits = connection->rate * (now - connection->counted);
    int i;

    connection->counted = now;
    if (bits == 0.0) {
        return;
    }
    connection->first->bits -= bits;
    for (i = 0; i < flow->num_uses; i++) {
        network->busy[flow->uses[i].arc] +=
            bits * flow->uses[i].weight / network->capacity[flow->uses[i].arc];
    }
}

/* Set the time at which the first message is sent at the present rate. */
static void flow_schedule(mtree_connection_t *connection)
{
    mtree_event_queue_add(connection->network->queue, &connection->completion,
                          connection->counted +
                              connection->first->bits / connection->rate);
}

/* Rates are computed once, after everything else that is due now. */
static void flow_changed(mtree_network_t *network)
{
    mtree_event_queue_add(network->queue, &network->timer,
                          mtree_event_queue_now(network->queue));
}

void mtree_network_flow_complete(mtree_timer_t *event)
{
    mtree_connection_t *connection =
        MTREE_CONTAINER_OF(event, mtree_connection_t, completion);
    mtree_network_t *network = connection->network;
    mtree_message_t *message = connection->first;
    const double now = mtree_event_queue_now(network->queue);

    flow_count(connection);
    connection->first = message->next;
    if (connection->first != NULL) {
        flow_schedule(connection);
    } else {
        connection->last_p = &connection->first;
        connection->rate = 0.0;
        mtree_fair_share_leave(network->flows, &connection->flow);
        flow_changed(network);
    }
    connection->last_arrival =
        fmax(connection->last_arrival,
             now + connection->latency +
                 connection->forwarding *
                     mtree_network_packet_bits(connection, message->bytes));
    mtree_network_set_departure(message, now);
    mtree_network_set_arrival(message, connection->last_arrival);
}

/* End messages whose end differs from now by rounding only, before the arcs are shared
 * anew. */
static void flow_complete_touched(mtree_fair_share_flow_t *const *touched,
                                  int num_touched)
{
    mtree_connection_t *connection;
    double remaining, now;
    int i;

    for (i = 0; i < num_touched; i++) {
        connection = MTREE_CONTAINER_OF(touched[i], mtree_connection_t, flow);
        now = mtree_event_queue_now(connection->network->queue);
        remaining = connection->completion.time - now;
        if (connection->rate > 0.0 && remaining <= TIME_TOLERANCE + now * DBL_EPSILON) {
            mtree_event_queue_remove(connection->network->queue, &connection->completion);
            mtree_network_flow_complete(&connection->completion);
        }
    }
}

void mtree_network_flow_timer(mtree_timer_t *event)
{
    mtree_network_t *network = MTREE_CONTAINER_OF(event, mtree_network_t, timer);
    mtree_fair_share_flow_t *const *touched;
    mtree_connection_t *connection;
    int num_touched = mtree_fair_share_touched(network->flows, &touched), i;

    flow_complete_touched(touched, num_touched);
    mtree_fair_share_share(network->flows);
    for (i = 0; i < num_touched; i++) {
        connection = MTREE_CONTAINER_OF(touched[i], mtree_connection_t, flow);
        if (touched[i]->joined && touched[i]->rate != connection->rate) {
            flow_count(connection);
            connection->rate = touched[i]->rate;
            flow_schedule(connection);
        }
    }
    /* The rates include what was completed here. */
    mtree_event_queue_remove(network->queue, event);
}

void mtree_network_flow_send(mtree_message_t *message)
{
    mtree_connection_t *connection = message->connection;
    mtree_network_t *network = connection->network;

    message->bits = mtree_network_wire_bits(connection, message->bytes);
    message->next = NULL;
    *connection->last_p = message;
    connection->last_p = &message->next;
    if (connection->flow.joined) {
        return;
    }
    connection->counted = mtree_event_queue_now(network->queue);
    if (mtree_fair_share_join(network->flows, &connection->flow) != MTREE_OK) {
        mtree_event_queue_fail(network->queue, MTREE_ERR_NO_MEMORY);
        return;
    }
    flow_changed(network);
}
