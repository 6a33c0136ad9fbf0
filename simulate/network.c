/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/network_model.h"

#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Packets, headers and acknowledgements of TCP over Ethernet with jumbo frames. */
void mtree_network_default_options(mtree_network_options_t *options)
{
    *options = (mtree_network_options_t){.packet_bytes = 8948,
                                         .header_bytes = 66,
                                         .ack_bytes = 66,
                                         .timeout = 0.2,
                                         .local_rate = 40e9,
                                         .local_latency = 1e-6};
}

/* Of Ethernet, which no MTU counts. */
#define FRAME_BYTES 14

static mtree_status_t check_options(const mtree_network_options_t *options)
{
    if (options->packet_bytes == 0) {
        mtree_error("simulator: packets of 0 bytes; give a packet size of 1 or more");
        return MTREE_ERR_INVALID;
    }
    if (!(options->ack_bytes >= 0.0) || !(options->local_rate > 0.0) ||
        !(options->local_latency >= 0.0) || !(options->timeout > 0.0)) {
        mtree_error("simulator: a negative size or time in the network's options; sizes "
                    "and times must be 0 or more, the rate inside a host and the timeout "
                    "more than 0");
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

/* What each arc loses, where any link does. */
static void set_losses(mtree_network_t *network)
{
    const mtree_topology_t *topology = network->topology;
    bool loses = false;

    for (int l = 0; l < topology->num_links; l++) {
        loses = loses || topology->links[l].conditions.loss > 0.0;
    }
    if (!loses) {
        return;
    }
    MTREE_ARENA_ARRAY(&network->arena, network->loss, (size_t)network->num_arcs);
    for (int arc = 0; arc < network->num_arcs; arc++) {
        mtree_loss_init(&network->loss[arc],
                        fmax(0.0, topology->links[arc >> 1].conditions.loss),
                        (uint64_t)arc);
    }
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
    network = mtree_calloc(1, sizeof(*network));
    network->queue = queue;
    network->topology = topology;
    network->options = *options;
    network->num_arcs = (int)num_arcs;
    MTREE_ARENA_ARRAY(&network->arena, network->capacity, num_arcs);
    MTREE_ARENA_ARRAY(&network->arena, network->free_at, num_arcs);
    MTREE_ARENA_ARRAY(&network->arena, network->burst, num_arcs);
    MTREE_ARENA_ARRAY(&network->arena, network->busy, num_arcs);
    set_losses(network);
    for (int arc = 0; arc < network->num_arcs; arc++) {
        network->capacity[arc] = mtree_arc_capacity(topology, arc);
        network->burst[arc] = mtree_arc_burst(topology, arc);
        /* Nothing was sent before: all of the burst is there. */
        network->free_at[arc] = -network->burst[arc];
    }
    network->routes = options->routes;
    if (network->routes == NULL) {
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
    mtree_arena_cleanup(&network->arena);
    free(network);
}

/* The payload of a full packet: what the least MTU of the route leaves. */
static size_t route_packet(const mtree_connection_t *connection)
{
    const mtree_network_options_t *options = &connection->network->options;
    double mtu = INFINITY;

    for (int i = 0; i < connection->num_arcs; i++) {
        const mtree_link_t *link =
            &connection->network->topology->links[connection->arcs[i] >> 1];

        mtu = link->conditions.mtu > 0.0 ? fmin(mtu, link->conditions.mtu) : mtu;
    }
    if (isinf(mtu)) {
        return options->packet_bytes;
    }
    return (size_t)fmax(1.0, mtu + FRAME_BYTES - (double)options->header_bytes);
}

/* What losses over the route leave of the window of a connection that backs off. */
static double lossy_window(const mtree_connection_t *connection)
{
    const mtree_network_t *network = connection->network;
    const double trip = 2.0 * connection->latency;
    double passed = 1.0;

    for (int i = 0; i < connection->num_arcs && network->loss != NULL; i++) {
        passed *= 1.0 - network->loss[connection->arcs[i]].probability;
    }
    return network->options.backs_off
               ? mtree_loss_window(1.0 - passed, connection->packet_bytes, trip,
                                   trip + network->options.timeout)
               : INFINITY;
}

static void set_route(mtree_connection_t *connection, int from, int to)
{
    const mtree_network_t *network = connection->network;
    const mtree_network_options_t *options = &network->options;

    connection->num_arcs = mtree_routes_list(network->routes, from, to, connection->arcs);
    connection->packet_bytes = route_packet(connection);
    connection->window =
        options->window_bytes > 0 ? (double)options->window_bytes : INFINITY;
    if (connection->num_arcs == 0) {
        connection->latency = options->local_latency;
        return;
    }
    connection->latency = mtree_routes_latency(network->routes, from, to);
    connection->window = fmin(connection->window, lossy_window(connection));
}

mtree_connection_t *mtree_network_connect(mtree_network_t *network, int from, int to)
{
    mtree_connection_t *connection = MTREE_ARENA_ARRAY(&network->arena, connection, 1);

    MTREE_ARENA_ARRAY(&network->arena, connection->arcs,
                      (size_t)mtree_routes_links(network->routes, from, to));
    connection->network = network;
    connection->last_p = &connection->first;
    set_route(connection, from, to);
    mtree_network_repair_init(connection);
    return connection;
}

bool mtree_network_loses(const mtree_network_t *network)
{
    return network->loss != NULL;
}

bool mtree_network_acknowledges(const mtree_connection_t *connection)
{
    return connection->num_arcs > 0;
}

void mtree_network_pace(mtree_connection_t *connection, double rate)
{
    connection->pace = rate;
}

double mtree_network_busy(const mtree_network_t *network, int arc)
{
    return network->busy[arc];
}
