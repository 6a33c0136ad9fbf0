/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/peers.h"

#include "base/bytes.h"
#include "base/log.h"
#include "relay/dialer.h"
#include "tcp/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relays that are dialed at a time; a job has no more. */
#define MOST_DIALED 64

typedef struct {
    mtree_list_t link;
    uint32_t number;
    mtree_tcp_peer_t *tcp;
    bool is_connected;
    mtree_relay_dialer_t *dialer; /* NULL: it dials, or is connected */
} peer_t;

void mtree_relay_peers_init(mtree_relay_peers_t *peers, mtree_tcp_t *tcp,
                            const mtree_relay_hello_t *hello,
                            const mtree_relay_key_t *key,
                            const mtree_relay_traffic_t *traffic, size_t most)
{
    *peers = (mtree_relay_peers_t){.tcp = tcp,
                                   .traffic = traffic,
                                   .hello = {.purpose = MTREE_RELAY_DATA,
                                             .number = hello->number,
                                             .is_encrypted = hello->is_encrypted,
                                             .job = hello->job},
                                   .key = *key,
                                   .budget = {.most = most > MTREE_RELAY_LEAST_EARLY
                                                          ? most
                                                          : MTREE_RELAY_LEAST_EARLY}};
    peers->hello.number |= MTREE_RELAY_IS_RELAY;
    (void)snprintf(peers->name, sizeof(peers->name), "job %02x%02x%02x",
                   hello->job.bytes[0], hello->job.bytes[1], hello->job.bytes[2]);
    mtree_list_init(&peers->list);
}

void mtree_relay_peers_cleanup(mtree_relay_peers_t *peers)
{
    mtree_list_t *link;

    while ((link = mtree_list_take(&peers->list)) != NULL) {
        peer_t *peer = MTREE_CONTAINER_OF(link, peer_t, link);

        mtree_relay_dialer_destroy(peer->dialer);
        mtree_tcp_peer_destroy(peer->tcp);
        free(peer);
    }
    explicit_bzero(&peers->key, sizeof(peers->key));
}

/* Peer @a number, created if there is none; NULL: no memory. */
static peer_t *peer_get(mtree_relay_peers_t *peers, uint32_t number)
{
    char name[64];
    mtree_list_t *link;
    peer_t *peer;

    MTREE_LIST_FOR_EACH(link, &peers->list)
    {
        peer = MTREE_CONTAINER_OF(link, peer_t, link);
        if (peer->number == number) {
            return peer;
        }
    }
    peer = calloc(1, sizeof(*peer));
    if (peer == NULL) {
        return NULL;
    }
    (void)snprintf(name, sizeof(name), "%s %u of %s",
                   (number & MTREE_RELAY_IS_RELAY) != 0 ? "relay" : "rank",
                   number & ~MTREE_RELAY_IS_RELAY, peers->name);
    peer->number = number;
    peer->tcp = mtree_tcp_peer_create(peers->tcp, name);
    if (peer->tcp == NULL) {
        free(peer);
        return NULL;
    }
    mtree_tcp_peer_watch(peer->tcp, MTREE_RELAY_SILENCE);
    mtree_tcp_peer_limit(peer->tcp, &peers->budget);
    mtree_list_append(&peers->list, &peer->link);
    peers->count++;
    return peer;
}

mtree_tcp_peer_t *mtree_relay_peers_get(mtree_relay_peers_t *peers, uint32_t number)
{
    peer_t *peer = peer_get(peers, number);

    return peer == NULL ? NULL : peer->tcp;
}

bool mtree_relay_peers_connect(mtree_relay_peers_t *peers, uint32_t number, int socket,
                               const mtree_tls_key_t *key, const char *from)
{
    const int most = peers->traffic->most_peers;
    bool is_full = most > 0 && peers->num_connected >= most;
    peer_t *peer = is_full ? NULL : peer_get(peers, number);

    if (peer == NULL || peer->is_connected) {
        return false;
    }
    peers->num_connected++;
    mtree_info("%s: number %u is %s", peers->name, number & ~MTREE_RELAY_IS_RELAY, from);
    (void)mtree_tcp_socket_tune(socket, peers->traffic->congestion);
    peer->is_connected = true;
    (void)mtree_tcp_peer_connect(peer->tcp, &socket, key, 1, MTREE_TCP_TUNING_NONE);
    return true;
}

/* Has the part's host an edge to @a host in a tree? */
static bool is_neighbour(const mtree_plan_part_t *part, int host)
{
    for (int t = 0; t < part->num_trees; t++) {
        for (int e = 0; e < part->trees[t].num_edges; e++) {
            if (part->trees[t].edges[e].host == host) {
                return true;
            }
        }
    }
    return false;
}

void mtree_relay_peers_dial(mtree_relay_peers_t *peers, const mtree_relay_plan_t *plan,
                            double now)
{
    const double patience = peers->traffic->patience > 0 ? peers->traffic->patience
                                                         : MTREE_RELAY_DIAL_SECONDS;
    int first = plan->part->num_hosts - plan->placement->num_relays;

    for (int i = 0; i < plan->placement->num_relays; i++) {
        uint32_t number = plan->peers[plan->placement->num_ranks + i];
        bool dials = (number & ~MTREE_RELAY_IS_RELAY) >
                         (peers->hello.number & ~MTREE_RELAY_IS_RELAY) &&
                     is_neighbour(plan->part, first + i);
        peer_t *peer = dials ? peer_get(peers, number) : NULL;

        if (peer != NULL && !peer->is_connected && peer->dialer == NULL &&
            peers->num_dialing < MOST_DIALED) {
            peer->dialer = mtree_relay_dialer_create(plan->plan->relays[i], &peers->hello,
                                                     &peers->key, now, patience);
            if (peer->dialer != NULL) {
                mtree_relay_dialer_aside(peer->dialer);
                peers->num_dialing++;
            }
        }
    }
}

static void peer_give_up(peer_t *peer, mtree_relay_channel_t *channel)
{
    unsigned char bytes[MTREE_RELAY_UNREACHED_BYTES];

    mtree_put32(bytes, peer->number & ~MTREE_RELAY_IS_RELAY);
    (void)mtree_relay_channel_send(channel, MTREE_RELAY_UNREACHED, bytes, sizeof(bytes));
    mtree_tcp_peer_fail(peer->tcp, MTREE_ERR_TRANSPORT,
                        mtree_relay_dialer_reason(peer->dialer));
}

/* Continue to dial @a peer. */
static void peer_dial(mtree_relay_peers_t *peers, peer_t *peer,
                      mtree_relay_channel_t *channel, double now)
{
    int answer = mtree_relay_dialer_poll(peer->dialer, now);
    mtree_relay_welcome_t welcome;

    if (answer == 0) {
        return;
    }
    if (answer > 0) {
        int socket = mtree_relay_dialer_take(peer->dialer, &welcome);

        if (!mtree_relay_peers_connect(peers, peer->number, socket,
                                       mtree_relay_dialer_key(peer->dialer), "a relay")) {
            mtree_tcp_socket_close(socket);
        }
    } else {
        peer_give_up(peer, channel);
    }
    mtree_relay_dialer_destroy(peer->dialer);
    peer->dialer = NULL;
    peers->num_dialing--;
}

void mtree_relay_peers_poll(mtree_relay_peers_t *peers, mtree_relay_channel_t *channel,
                            double now)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &peers->list)
    {
        peer_t *peer = MTREE_CONTAINER_OF(link, peer_t, link);

        if (peer->dialer != NULL) {
            peer_dial(peers, peer, channel, now);
        }
    }
}
