/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/listener.h"

#include "base/array.h"
#include "base/memory.h"
#include "tcp/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Connections that one poll accepts, so that a flood of them costs little at a time. */
#define ACCEPTED 16

/* A connection whose greeting has not come yet, or that nobody expects yet. */
typedef struct {
    int socket;
    mtree_tcp_piece_t piece;
    bool is_proved;
    mtree_tcp_greeting_t greeting; /* of one that is */
} pending_t;

struct mtree_tcp_listener {
    int socket;
    uint16_t port;
    int error; /* errno */
    mtree_tcp_secret_t secret;
    pending_t *pending; /* [num_pending], the oldest first */
    int num_pending, capacity;
};

mtree_tcp_listener_t *mtree_tcp_listener_create(const mtree_tcp_ports_t *ports,
                                                const mtree_tcp_secret_t *secret)
{
    mtree_tcp_listener_t *listener = mtree_calloc(1, sizeof(*listener));

    listener->secret = *secret;
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
    for (int i = 0; i < listener->num_pending; i++) {
        (void)close(listener->pending[i].socket);
    }
    (void)close(listener->socket);
    free(listener->pending);
    free(listener);
}

uint16_t mtree_tcp_listener_port(const mtree_tcp_listener_t *listener)
{
    return listener == NULL ? 0 : listener->port;
}

int mtree_tcp_listener_error(const mtree_tcp_listener_t *listener)
{
    return listener == NULL ? 0 : listener->error;
}

/* Forget connection @a i, whose socket is closed or another's. */
static void pending_forget(mtree_tcp_listener_t *listener, int i)
{
    listener->num_pending--;
    memmove(&listener->pending[i], &listener->pending[i + 1],
            (size_t)(listener->num_pending - i) * sizeof(pending_t));
}

static void pending_drop(mtree_tcp_listener_t *listener, int i)
{
    (void)close(listener->pending[i].socket);
    pending_forget(listener, i);
}

/* Drop the oldest of those whose greetings have not come, if there are @a most. */
static void limit_strangers(mtree_tcp_listener_t *listener, int most)
{
    int count = 0, oldest = 0;

    for (int i = listener->num_pending - 1; i >= 0; i--) {
        if (!listener->pending[i].is_proved) {
            count++;
            oldest = i;
        }
    }
    if (count >= most) {
        pending_drop(listener, oldest);
    }
}

/* It stays until its greeting has come, or it is the oldest of too many. */
static void pending_add(mtree_tcp_listener_t *listener, int socket, int most)
{
    limit_strangers(listener, most);
    mtree_array_reserve(&listener->pending, &listener->capacity,
                        listener->num_pending + 1, sizeof(pending_t));
    listener->pending[listener->num_pending++] = (pending_t){.socket = socket};
}

/* Has the greeting of @a pending come before, over another that is pending? */
static bool is_repeated(const mtree_tcp_listener_t *listener, const pending_t *pending)
{
    const mtree_tcp_greeting_t *greeting = &pending->greeting;

    for (int i = 0; i < listener->num_pending; i++) {
        const pending_t *other = &listener->pending[i];

        if (other != pending && other->is_proved &&
            other->greeting.rank == greeting->rank &&
            other->greeting.number == greeting->number &&
            other->greeting.attempt == greeting->attempt) {
            return true;
        }
    }
    return false;
}

/* 1: the connection is admitted; 0: its greeting has not come yet, or is not expected
 * yet; -1: it is a stranger's.
 */
static int pending_receive(mtree_tcp_listener_t *listener, pending_t *pending,
                           mtree_tcp_admit_t admit)
{
    if (!pending->is_proved) {
        int received = mtree_tcp_greeting_receive(pending->socket, &pending->piece,
                                                  &listener->secret, &pending->greeting);

        if (received != 1 || is_repeated(listener, pending)) {
            return received == 0 ? 0 : -1;
        }
        pending->is_proved = true;
    }
    switch (admit(&pending->greeting, pending->socket)) {
    case MTREE_TCP_ADMITTED:
        return 1;
    case MTREE_TCP_UNEXPECTED:
        return 0;
    default:
        return -1;
    }
}

void mtree_tcp_listener_poll(mtree_tcp_listener_t *listener, int num_awaited,
                             mtree_tcp_admit_t admit)
{
    int socket = -1, accepted = 0;

    if (listener == NULL) {
        return;
    }
    while (accepted++ < ACCEPTED &&
           (socket = mtree_tcp_socket_accept(listener->socket)) >= 0) {
        pending_add(listener, socket, num_awaited + MTREE_TCP_STRANGERS);
    }
    listener->error = socket >= 0 || errno == EAGAIN ? 0 : errno;
    /* Of two with the same greeting the first one counts: the other is one who saw it. */
    for (int i = 0; i < listener->num_pending;) {
        int received = pending_receive(listener, &listener->pending[i], admit);

        if (received == 1) {
            pending_forget(listener, i);
        } else if (received < 0) {
            pending_drop(listener, i);
        } else {
            i++;
        }
    }
}
