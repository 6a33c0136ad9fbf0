/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/peers.h"

#include "base/log.h"
#include "base/memory.h"
#include "relay/dialer.h"
#include "tcp/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a relay has to answer. */
#define DIAL_SECONDS 4.0

typedef struct {
    mtree_list_t link;
    uint32_t number;
    mtree_tcp_peer_t *tcp;
    bool is_connected;
    bool is_unreached;            /* it was dialed in vain */
    mtree_relay_dialer_t *dialer; /* NULL: it dials, is connected, or will not be */
} peer_t;

void mtree_relay_peers_init(mtree_relay_peers_t *peers, mtree_tcp_t *tcp,
                            const mtree_relay_hello_t *hello,
                            const mtree_tcp_secret_t *key,
                            const mtree_relay_traffic_t *traffic, size_t most)
{
    *peers = (mtree_relay_peers_t){.tcp = tcp,
                                   .traffic = traffic,
                                   .hello = *hello,
                                   .key = *key,
                                   .budget = {.most = most}};
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

/* NULL: there is none. */
static peer_t *peer_find(const mtree_relay_peers_t *peers, uint32_t number)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &peers->list)
    {
        peer_t *peer = MTREE_CONTAINER_OF(link, peer_t, link);

        if (peer->number == number) {
            return peer;
        }
    }
    return NULL;
}

/* Peer @a number, created if there is none, a relay at @a address (NULL: which is not
 * known); NULL: there are as many as there may be. */
static peer_t *peer_get(mtree_relay_peers_t *peers, uint32_t number, const char *address)
{
    const int most = peers->traffic->most_peers;
    peer_t *peer = peer_find(peers, number);
    char name[64];

    if (peer != NULL || (most > 0 && peers->count >= most)) {
        return peer;
    }
    peer = mtree_calloc(1, sizeof(*peer));
    if (address != NULL) {
        (void)snprintf(name, sizeof(name), "relay %.50s", address);
    } else {
        (void)snprintf(name, sizeof(name), "%s %u of %s",
                       (number & MTREE_RELAY_IS_RELAY) != 0 ? "relay" : "rank",
                       number & ~MTREE_RELAY_IS_RELAY, peers->name);
    }
    peer->number = number;
    peer->tcp = mtree_tcp_peer_create(peers->tcp, name, MTREE_RELAY_SILENCE,
                                      peers->budget.most > 0 ? &peers->budget : NULL);
    mtree_list_append(&peers->list, &peer->link);
    peers->count++;
    return peer;
}

mtree_tcp_peer_t *mtree_relay_peers_get(mtree_relay_peers_t *peers, uint32_t number)
{
    peer_t *peer = peer_get(peers, number, NULL);

    return peer == NULL ? NULL : peer->tcp;
}

/* It has no connection yet. */
static void peer_connect(mtree_relay_peers_t *peers, peer_t *peer, int socket,
                         const mtree_tls_key_t *key)
{
    (void)mtree_tcp_socket_tune(socket, peers->traffic->congestion);
    peer->is_connected = true;
    mtree_tcp_peer_connect(peer->tcp, socket, key);
}

bool mtree_relay_peers_connect(mtree_relay_peers_t *peers, uint32_t number, int socket,
                               const mtree_tls_key_t *key, const char *from)
{
    peer_t *peer = peer_get(peers, number, NULL);

    if (peer == NULL || peer->is_connected) {
        return false;
    }
    mtree_info("%s: number %u is %s", peers->name, number & ~MTREE_RELAY_IS_RELAY, from);
    peer_connect(peers, peer, socket, key);
    return true;
}

mtree_tcp_peer_t *mtree_relay_peers_dial(mtree_relay_peers_t *peers, uint32_t number,
                                         const char *address, double now)
{
    peer_t *peer = peer_get(peers, number, address);

    if (peer == NULL) {
        return NULL;
    }
    if (!peer->is_connected && !peer->is_unreached && peer->dialer == NULL &&
        peers->num_dialing < MTREE_RELAY_RELAYS) {
        peer->dialer = mtree_relay_dialer_create(address, &peers->hello, &peers->key, now,
                                                 DIAL_SECONDS);
        peers->num_dialing++;
    }
    return peer->tcp;
}

/* Continue to dial @a peer. */
static void peer_dial(mtree_relay_peers_t *peers, peer_t *peer,
                      mtree_relay_unreached_t tell, void *arg, double now)
{
    int answer = mtree_relay_dialer_poll(peer->dialer, now);

    if (answer == 0) {
        return;
    }
    if (answer < 0) {
        peer->is_unreached = true;
        if (tell != NULL) {
            tell(arg, peer->number);
        }
        mtree_tcp_peer_fail(peer->tcp, peer->dialer->reason);
    } else if (!peer->is_connected) {
        peer_connect(peers, peer, mtree_tcp_dialer_take(&peer->dialer->attempts),
                     peer->dialer->key);
    }
    mtree_relay_dialer_destroy(peer->dialer);
    peer->dialer = NULL;
    peers->num_dialing--;
}

void mtree_relay_peers_poll(mtree_relay_peers_t *peers, mtree_relay_unreached_t tell,
                            void *arg, double now)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &peers->list)
    {
        peer_t *peer = MTREE_CONTAINER_OF(link, peer_t, link);

        if (peer->dialer != NULL) {
            peer_dial(peers, peer, tell, arg, now);
        }
    }
}

bool mtree_relay_peers_is_unreached(const mtree_relay_peers_t *peers, uint32_t number)
{
    const peer_t *peer = peer_find(peers, number);

    return peer != NULL && peer->is_unreached;
}
