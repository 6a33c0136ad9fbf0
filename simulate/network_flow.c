#include "simulate/network_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A message that lacks less than this many seconds of its rate has been sent: the rest is
 * rounding. */
#define TIME_TOLERANCE 1e-12

/* Count down the bits that the flows have sent since the last time. */
static void flow_advance(mtree_network_t *network)
{
    const double now = mtree_clock_now(network->clock);
    const double seconds = now - network->updated;
    const mtree_fair_flow_t *flow;
    double bits;
    int f, i;

    network->updated = now;
    if (seconds == 0.0) {
        return;
    }
    for (f = 0; f < network->num_active; f++) {
        flow = &network->active[f]->flow;
        bits = flow->rate * seconds;
        network->active[f]->first->bits -= bits;
        for (i = 0; i < flow->num_arcs; i++) {
            network->busy[flow->arcs[i]] +=
                bits * flow->weights[i] / network->capacity[flow->arcs[i]];
        }
    }
}

/* Take the first message off a connection; its place among the active ones goes to the
 * last of them when nothing is left. */
static void flow_pop(mtree_connection_t *connection)
{
    mtree_network_t *network = connection->network;
    mtree_connection_t *moved;

    connection->first = connection->first->next;
    if (connection->first != NULL) {
        return;
    }
    connection->last_p = &connection->first;
    moved = network->active[--network->num_active];
    network->active[connection->place] = moved;
    moved->place = connection->place;
    connection->place = -1;
}

static void flow_complete(mtree_network_t *network)
{
    const double now = mtree_clock_now(network->clock);
    mtree_connection_t *connection;
    mtree_message_t *message;
    int f = 0;

    while (f < network->num_active) {
        connection = network->active[f];
        message = connection->first;
        if (message->bits >
            connection->flow.rate * (TIME_TOLERANCE + now * DBL_EPSILON)) {
            f++;
            continue;
        }
        flow_pop(connection);
        if (connection->place == f) {
            f++;
        }
        mtree_network_set_departure(message, now);
        mtree_network_set_arrival(message,
                                  now + connection->latency + connection->forwarding);
    }
}

void mtree_network_flow_timer(mtree_clock_event_t *event)
{
    mtree_network_t *network =
        (mtree_network_t *)((char *)event - offsetof(mtree_network_t, timer));
    double next = INFINITY;
    int f;

    flow_advance(network);
    flow_complete(network);
    for (f = 0; f < network->num_active; f++) {
        network->flows[f] = &network->active[f]->flow;
        network->flows[f]->rate = 0.0;
    }
    mtree_flows_share(network->flows, network->num_active, network->capacity,
                      network->left, network->load);
    for (f = 0; f < network->num_active; f++) {
        next =
            fmin(next, network->active[f]->first->bits / network->active[f]->flow.rate);
    }
    if (network->num_active > 0) {
        mtree_clock_add(network->clock, event, mtree_clock_now(network->clock) + next);
    }
}

static mtree_status_t flow_reserve(mtree_network_t *network)
{
    int room = network->active_room == 0 ? 64 : 2 * network->active_room;
    mtree_connection_t **active;
    mtree_fair_flow_t **flows;

    if (network->num_active < network->active_room) {
        return MTREE_OK;
    }
    active = realloc(network->active, (size_t)room * sizeof(mtree_connection_t *));
    if (active == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    network->active = active;
    flows = realloc(network->flows, (size_t)room * sizeof(mtree_fair_flow_t *));
    if (flows == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    network->flows = flows;
    network->active_room = room;
    return MTREE_OK;
}

void mtree_network_flow_send(mtree_message_t *message)
{
    mtree_connection_t *connection = message->connection;
    mtree_network_t *network = connection->network;

    message->bits = mtree_network_wire_bits(network, message->bytes);
    message->next = NULL;
    *connection->last_p = message;
    connection->last_p = &message->next;
    if (connection->place >= 0) {
        return;
    }
    if (flow_reserve(network) != MTREE_OK) {
        mtree_clock_fail(network->clock, MTREE_ERR_NO_MEMORY);
        return;
    }
    /* Bits sent so far are counted at the rates that held before this flow came. */
    flow_advance(network);
    connection->flow.rate = 0.0;
    connection->place = network->num_active;
    network->active[network->num_active++] = connection;
    mtree_clock_add(network->clock, &network->timer, mtree_clock_now(network->clock));
}
