/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/listener.h"

#include "base/address.h"
#include "base/array.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Connections that one poll accepts, so that a flood of them costs little at a time. */
#define ACCEPTED 16

/* Seconds until the next connection is accepted after the system has refused one: without
 * descriptors it refuses at once, again and again. */
#define REFUSED_PAUSE 0.1

/* Seconds that any greeting may take then. */
#define SCARCE_SECONDS 5.0

/* Bytes of an IPv6 address that name a network. */
#define NETWORK_BYTES 8

/* A connection whose greeting has not come yet, or that nobody expects yet. */
typedef struct {
    int socket;
    mtree_address_t from; /* of IPv6 the network, since a host there has many addresses */
    double began;
    bool is_proved;
    int alike; /* of those that have proved nothing, how many come from there */
    mtree_tcp_piece_t received;
    mtree_tcp_greeting_t greeting;
} pending_t;

struct mtree_tcp_listener {
    int socket;
    uint16_t port;
    int error;          /* errno */
    double accepts;     /* clock from which on connections are accepted */
    pending_t *pending; /* [num_pending], the oldest first */
    int num_pending, capacity;
};

mtree_tcp_listener_t *mtree_tcp_listener_create(const mtree_tcp_ports_t *ports)
{
    mtree_tcp_listener_t *listener = mtree_calloc(1, sizeof(*listener));

    listener->socket = mtree_tcp_socket_listen(ports, &listener->port);
    if (listener->socket < 0) {
        free(listener);
        return NULL;
    }
    return listener;
}

/* @a pending, which has proved nothing, has come (@a change 1), or is no such one any
 * more (-1). */
static void count_alike(mtree_tcp_listener_t *listener, pending_t *pending, int change)
{
    for (int i = 0; i < listener->num_pending; i++) {
        pending_t *other = &listener->pending[i];

        if (other != pending && !other->is_proved &&
            mtree_address_equals(&other->from, &pending->from)) {
            other->alike += change;
            pending->alike += change;
        }
    }
}

/* Forget connection @a i, whose socket is closed or another's, and its secret. */
static void pending_forget(mtree_tcp_listener_t *listener, int i)
{
    if (!listener->pending[i].is_proved) {
        count_alike(listener, &listener->pending[i], -1);
    }
    listener->num_pending--;
    memmove(&listener->pending[i], &listener->pending[i + 1],
            (size_t)(listener->num_pending - i) * sizeof(pending_t));
    explicit_bzero(&listener->pending[listener->num_pending], sizeof(pending_t));
}

void mtree_tcp_listener_destroy(mtree_tcp_listener_t *listener)
{
    if (listener == NULL) {
        return;
    }
    while (listener->num_pending > 0) {
        const int last = listener->num_pending - 1;

        mtree_tcp_socket_close(listener->pending[last].socket);
        pending_forget(listener, last);
    }
    mtree_tcp_socket_close(listener->socket);
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

int mtree_tcp_listener_pending(const mtree_tcp_listener_t *listener)
{
    return listener == NULL ? 0 : listener->num_pending;
}

/* Where connections of a socket come from that count together. */
static mtree_address_t source_of(int socket)
{
    mtree_address_t address = mtree_tcp_socket_peer(socket);
    struct in6_addr in;

    memcpy(&in, address.bytes, sizeof(in));
    if (address.family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&in)) {
        memset(address.bytes + NETWORK_BYTES, 0, sizeof(address.bytes) - NETWORK_BYTES);
    }
    return address;
}

/* Turn connection @a i away, for @a reason (NULL: it has heard why). */
static void pending_drop(mtree_tcp_listener_t *listener, int i,
                         const mtree_tcp_reception_t *reception, const char *reason)
{
    const int socket = listener->pending[i].socket;

    if (reason != NULL && reception->turn_away != NULL) {
        reception->turn_away(reception->arg, socket, reason);
    }
    mtree_tcp_socket_close(socket);
    pending_forget(listener, i);
}

/* Of the connections that have proved nothing, the oldest one from where most of them
 * come; -1: there are fewer than @a most. */
static int find_dispensable(const mtree_tcp_listener_t *listener, int most)
{
    int strangers = 0, most_alike = 0, dispensable = -1;

    for (int i = 0; i < listener->num_pending; i++) {
        const pending_t *pending = &listener->pending[i];

        strangers += !pending->is_proved;
        if (!pending->is_proved && pending->alike > most_alike) {
            dispensable = i;
            most_alike = pending->alike;
        }
    }
    return strangers < most ? -1 : dispensable;
}

/* Challenge who connects over @a socket. */
static void pending_add(mtree_tcp_listener_t *listener, int socket,
                        const mtree_tcp_reception_t *reception, double now)
{
    int dispensable =
        find_dispensable(listener, reception->num_awaited + MTREE_TCP_STRANGERS);
    pending_t *pending;

    if (dispensable >= 0) {
        pending_drop(listener, dispensable, reception,
                     "too many connections have sent no greeting");
    }
    mtree_array_reserve(&listener->pending, &listener->capacity,
                        listener->num_pending + 1, sizeof(pending_t));
    pending = &listener->pending[listener->num_pending++];
    *pending = (pending_t){
        .socket = socket, .from = source_of(socket), .began = now, .alike = 1};
    count_alike(listener, pending, 1);
    mtree_tcp_piece_expect(&pending->received, MTREE_TCP_HELLO);
    if (!mtree_tcp_challenge_send(&pending->greeting, socket)) {
        pending_drop(listener, listener->num_pending - 1, reception,
                     "it takes no challenge");
    }
}

static bool lacks_descriptors(const mtree_tcp_listener_t *listener)
{
    return listener->error == EMFILE || listener->error == ENFILE;
}

static void accept_some(mtree_tcp_listener_t *listener,
                        const mtree_tcp_reception_t *reception, double now)
{
    int socket = 0, accepted = 0;

    if (now < listener->accepts) {
        return;
    }
    while (accepted++ < ACCEPTED &&
           (socket = mtree_tcp_socket_accept(listener->socket)) >= 0) {
        pending_add(listener, socket, reception, now);
    }
    listener->error = socket >= 0 || errno == EAGAIN ? 0 : errno;
    if (lacks_descriptors(listener)) {
        listener->accepts = now + REFUSED_PAUSE;
    }
}

/* Read what has come.  1: the greeting of @a pending is proved; 0: not yet; -1: it will
 * not be, for *reason_p, and who has another secret was sent an answer of zeros: it hears
 * nothing from which the secret could be guessed. */
static int pending_receive(pending_t *pending, const mtree_tcp_reception_t *reception,
                           bool is_late, const char **reason_p)
{
    const unsigned char no_answer[MTREE_TCP_ANSWER] = {0};
    mtree_tcp_greeting_t *greeting = &pending->greeting;
    const unsigned char *bytes = pending->received.bytes;
    int received = mtree_tcp_piece_receive(&pending->received, pending->socket);

    *reason_p =
        pending->received.count < MTREE_TCP_MAGIC ? NULL : mtree_tcp_magic_fault(bytes);
    if (*reason_p == NULL && received < 0) {
        *reason_p = "it closed the connection before its greeting was complete";
    } else if (*reason_p == NULL && received == 0 && is_late) {
        *reason_p = "its greeting did not come in time";
    }
    if (*reason_p != NULL || received == 0) {
        return *reason_p == NULL ? 0 : -1;
    }
    mtree_tcp_hello_read(greeting, bytes);
    if (reception->secret != NULL) {
        greeting->secret = *reception->secret;
    } else {
        reception->find_secret(reception->arg, greeting->said, &greeting->secret);
    }
    if (!mtree_tcp_hello_is_proved(greeting, bytes)) {
        *reason_p = "it has another secret";
        (void)mtree_tcp_socket_send(pending->socket, no_answer, sizeof(no_answer));
        return -1;
    }
    return 1;
}

/* May somebody have connection @a i?  *reason_p is set where it is refused before it is
 * proved. */
static mtree_tcp_admission_t pending_poll(mtree_tcp_listener_t *listener, int i,
                                          const mtree_tcp_reception_t *reception,
                                          double now, const char **reason_p)
{
    pending_t *pending = &listener->pending[i];
    const double seconds = reception->seconds > 0        ? reception->seconds
                           : lacks_descriptors(listener) ? SCARCE_SECONDS
                                                         : INFINITY;

    if (!pending->is_proved) {
        int received =
            pending_receive(pending, reception, now > pending->began + seconds, reason_p);

        if (received != 1) {
            return received == 0 ? MTREE_TCP_UNEXPECTED : MTREE_TCP_REFUSED;
        }
        count_alike(listener, pending, -1);
        pending->is_proved = true;
    }
    return reception->admit(reception->arg, &pending->greeting, pending->socket);
}

void mtree_tcp_listener_poll(mtree_tcp_listener_t *listener,
                             const mtree_tcp_reception_t *reception, double now)
{
    if (listener == NULL) {
        return;
    }
    for (int i = 0; i < listener->num_pending;) {
        const char *reason = NULL;

        switch (pending_poll(listener, i, reception, now, &reason)) {
        case MTREE_TCP_ADMITTED:
            pending_forget(listener, i);
            break;
        case MTREE_TCP_REFUSED:
            pending_drop(listener, i, reception, reason);
            break;
        default:
            i++;
        }
    }
    /* Whose hello has come by now makes no room for others. */
    accept_some(listener, reception, now);
}

int mtree_tcp_listener_wait(const mtree_tcp_listener_t *listener, double now,
                            struct pollfd *fds, bool *is_timed_p)
{
    const bool accepts = now >= listener->accepts;
    int count = 0;

    *is_timed_p = listener->num_pending > 0 || !accepts;
    fds[count++] =
        (struct pollfd){.fd = accepts ? listener->socket : -1, .events = POLLIN};
    for (int i = 0; i < listener->num_pending; i++) {
        fds[count++] =
            (struct pollfd){.fd = listener->pending[i].socket, .events = POLLIN};
    }
    return count;
}
