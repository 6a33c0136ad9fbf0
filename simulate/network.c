/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/network_model.h"

#include "base/log.h"

#include <math.h>
#include <stdlib.h>

/* Packets, headers and acknowledgements of TCP over Ethernet with jumbo frames. */
void mtree_network_default_options(mtree_network_options_t *options)
{
    *options = (mtree_network_options_t){.model = MTREE_NETWORK_QUEUE,
                                         .packet_bytes = 8948,
                                         .header_bytes = 66,
                                         .ack_bytes = 66,
                                         .window_bytes = 0.0,
                                         .local_rate = 40e9,
                                         .local_latency = 1e-6};
}

static mtree_status_t check_options(const mtree_network_options_t *options)
{
    if (options->packet_bytes == 0) {
        mtree_error("simulator: packets of 0 bytes; give a packet size of 1 or more");
        return MTREE_ERR_INVALID;
    }
    if (!(options->ack_bytes >= 0.0) || !(options->window_bytes >= 0.0) ||
        !(options->local_rate > 0.0) || !(options->local_latency >= 0.0)) {
        mtree_error("simulator: a negative size or time in the network's options; sizes "
                    "and times must be 0 or more, the rate inside a host more than 0");
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

mtree_status_t mtree_network_create(mtree_event_queue_t *queue,
                                    const mtree_topology_t *topology, const int *hosts,
                                    int num_hosts, const mtree_network_options_t *options,
                                    mtree_network_t **network_p)
{
    mtree_network_t *network;
    mtree_status_t status;
    size_t num_arcs = 2 * (size_t)topology->num_links;

    status = check_options(options);
    if (status != MTREE_OK) {
        return status;
    }
    network = calloc(1, sizeof(*network));
    if (network == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    network->queue = queue;
    network->topology = topology;
    network->options = *options;
    network->num_arcs = (int)num_arcs;
    network->timer.func = mtree_network_flow_timer;
    MTREE_ARENA_ARRAY(&network->arena, network->capacity, num_arcs);
    MTREE_ARENA_ARRAY(&network->arena, network->free_at, num_arcs);
    MTREE_ARENA_ARRAY(&network->arena, network->busy, num_arcs);
    status = network->arena.status;
    for (int arc = 0; arc < network->num_arcs && status == MTREE_OK; arc++) {
        network->capacity[arc] = mtree_arc_capacity(topology, arc);
    }
    if (status == MTREE_OK) {
        status = mtree_fair_share_create(network->num_arcs, network->capacity,
                                         &network->flows);
    }
    network->routes = options->routes;
    if (status == MTREE_OK && network->routes == NULL) {
        status = mtree_routes_create(topology, hosts, num_hosts, &network->found);
        network->routes = network->found;
    }
    if (status != MTREE_OK) {
        mtree_network_destroy(network);
        return status;
    }
    *network_p = network;
    return MTREE_OK;
}

void mtree_network_destroy(mtree_network_t *network)
{
    if (network == NULL) {
        return;
    }
    mtree_routes_destroy(network->found);
    mtree_fair_share_destroy(network->flows);
    mtree_arena_cleanup(&network->arena);
    free(network);
}

/* The flow of a connection loads its route with its bits, and the opposite direction with
 * its acknowledgements. */
static mtree_status_t set_flow(mtree_connection_t *connection)
{
    mtree_network_t *network = connection->network;
    mtree_fair_share_flow_t *flow = &connection->flow;
    const double ack_share =
        network->options.ack_bytes /
        (double)(network->options.packet_bytes + network->options.header_bytes);

    MTREE_ARENA_ARRAY(&network->arena, flow->uses, 2 * (size_t)connection->num_arcs);
    if (flow->uses == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int i = 0; i < connection->num_arcs; i++) {
        const int arc = connection->arcs[i];

        flow->uses[flow->num_uses++] =
            (mtree_fair_share_use_t){.arc = arc, .weight = 1.0};
        if (ack_share > 0.0 && network->capacity[arc ^ 1] > 0.0) {
            flow->uses[flow->num_uses++] =
                (mtree_fair_share_use_t){.arc = arc ^ 1, .weight = ack_share};
        }
    }
    flow->limit = connection->limit;
    return MTREE_OK;
}

static void set_route(mtree_connection_t *connection, int from, int to)
{
    const mtree_network_t *network = connection->network;
    const mtree_network_options_t *options = &network->options;
    int i;

    connection->arcs = mtree_routes_get(network->routes, from, to, &connection->num_arcs);
    connection->limit = INFINITY;
    connection->window = options->window_bytes > 0.0 ? options->window_bytes : INFINITY;
    if (connection->num_arcs == 0) {
        connection->latency = options->local_latency;
        connection->limit = options->local_rate;
        return;
    }
    connection->latency = mtree_routes_latency(network->routes, from, to);
    for (i = 1; i < connection->num_arcs; i++) {
        connection->forwarding += 1.0 / network->capacity[connection->arcs[i]];
    }
    if (options->window_bytes > 0.0 && connection->latency > 0.0) {
        connection->limit = 8.0 * options->window_bytes / (2.0 * connection->latency);
    }
}

mtree_status_t mtree_network_connect(mtree_network_t *network, int from, int to,
                                     mtree_connection_t **connection_p)
{
    mtree_connection_t *connection = MTREE_ARENA_ARRAY(&network->arena, *connection_p, 1);

    if (connection == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    connection->network = network;
    connection->last_p = &connection->first;
    connection->completion.func = mtree_network_flow_complete;
    set_route(connection, from, to);
    return set_flow(connection);
}

double mtree_network_busy(const mtree_network_t *network, int arc)
{
    return network->busy[arc];
}

void mtree_network_send(mtree_connection_t *connection, mtree_message_t *message)
{
    message->connection = connection;
    message->arrival.place = 0;
    message->departure.place = 0;
    if (connection->network->options.model == MTREE_NETWORK_FLOW) {
        mtree_network_flow_send(message);
    } else {
        mtree_network_queue_send(message);
    }
}
