/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/listener.h"

#include "tcp/socket.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Connections that one poll accepts, so that a flood of them costs little at a time. */
#define ACCEPTED 16

/* Who has not said the secret yet. */
typedef struct {
    int socket;
    double deadline;
    mtree_tcp_greeting_reader_t reader;
} guest_t;

struct mtree_tcp_listener {
    int socket;
    uint16_t port;
    mtree_tcp_secret_t secret;
    mtree_tcp_admit_t admit;
    void *arg;
    guest_t guests[MTREE_TCP_GUESTS]; /* [num_guests], the oldest first */
    int num_guests;
};

mtree_tcp_listener_t *mtree_tcp_listener_create(const mtree_tcp_ports_t *ports,
                                                const mtree_tcp_secret_t *secret,
                                                mtree_tcp_admit_t admit, void *arg)
{
    mtree_tcp_listener_t *listener = calloc(1, sizeof(*listener));

    if (listener == NULL) {
        return NULL;
    }
    listener->secret = *secret;
    listener->admit = admit;
    listener->arg = arg;
    listener->socket = mtree_tcp_socket_listen(ports, &listener->port);
    if (listener->socket < 0) {
        free(listener);
        return NULL;
    }
    return listener;
}

void mtree_tcp_listener_destroy(mtree_tcp_listener_t *listener)
{
    if (listener == NULL) {
        return;
    }
    for (int i = 0; i < listener->num_guests; i++) {
        (void)close(listener->guests[i].socket);
    }
    (void)close(listener->socket);
    free(listener);
}

uint16_t mtree_tcp_listener_port(const mtree_tcp_listener_t *listener)
{
    return listener->port;
}

/* Forget guest @a i, whose socket is closed or another's. */
static void forget_guest(mtree_tcp_listener_t *listener, int i)
{
    listener->num_guests--;
    memmove(&listener->guests[i], &listener->guests[i + 1],
            (size_t)(listener->num_guests - i) * sizeof(guest_t));
}

static void drop_guest(mtree_tcp_listener_t *listener, int i)
{
    (void)close(listener->guests[i].socket);
    forget_guest(listener, i);
}

/* 1: the guest is admitted; 0: it has not said all yet; -1: it is a stranger. */
static int hear_guest(mtree_tcp_listener_t *listener, guest_t *guest)
{
    mtree_tcp_greeting_t greeting;
    int heard = mtree_tcp_greeting_receive(guest->socket, &guest->reader, &greeting);

    if (heard != 1) {
        return heard;
    }
    return mtree_tcp_secret_equals(&greeting.secret, &listener->secret) &&
                   listener->admit(listener->arg, &greeting, guest->socket)
               ? 1
               : -1;
}

void mtree_tcp_listener_poll(mtree_tcp_listener_t *listener, double now)
{
    int socket, accepted = 0;

    while (accepted++ < ACCEPTED &&
           (socket = mtree_tcp_socket_accept(listener->socket)) >= 0) {
        if (listener->num_guests == MTREE_TCP_GUESTS) {
            drop_guest(listener, 0);
        }
        listener->guests[listener->num_guests++] =
            (guest_t){.socket = socket, .deadline = now + MTREE_TCP_GUEST_SECONDS};
    }
    for (int i = listener->num_guests - 1; i >= 0; i--) {
        int heard = hear_guest(listener, &listener->guests[i]);

        if (heard == 1) {
            forget_guest(listener, i);
        } else if (heard < 0 || now > listener->guests[i].deadline) {
            drop_guest(listener, i);
        }
    }
}
