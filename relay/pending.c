/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/pending.h"

#include "tcp/socket.h"

#include <string.h>

/* Bytes of an IPv6 address that name a network. */
#define NETWORK_BYTES 8

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

bool mtree_relay_pending_init(mtree_relay_pending_t *pending, int socket, double now)
{
    unsigned char bytes[MTREE_RELAY_CHALLENGE];

    *pending = (mtree_relay_pending_t){.socket = socket,
                                       .from = source_of(socket),
                                       .deadline = now + MTREE_RELAY_PENDING_SECONDS};
    mtree_tcp_piece_expect(&pending->received, MTREE_RELAY_PROVED);
    if (mtree_crypto_draw(pending->greeting.nonce, MTREE_RELAY_NONCE) != MTREE_OK) {
        return false;
    }
    mtree_relay_magic_write(bytes);
    memcpy(bytes + MTREE_RELAY_MAGIC, pending->greeting.nonce, MTREE_RELAY_NONCE);
    return mtree_tcp_socket_send(socket, bytes, sizeof(bytes));
}

/* What is wrong with the first bytes of @a pending, as far as they have come; NULL:
 * nothing. */
static const char *fault_of(const mtree_relay_pending_t *pending)
{
    return pending->received.count < MTREE_RELAY_MAGIC
               ? NULL
               : mtree_relay_magic_fault(pending->received.bytes);
}

int mtree_relay_pending_greet(mtree_relay_pending_t *pending,
                              const mtree_relay_key_t *secret, double now,
                              const char **reason_p)
{
    mtree_relay_greeting_t *greeting = &pending->greeting;
    const unsigned char *bytes = pending->received.bytes;
    const unsigned char no_welcome[MTREE_RELAY_WELCOME] = {0};
    int received = mtree_tcp_piece_receive(&pending->received, pending->socket);

    *reason_p = fault_of(pending);
    if (*reason_p != NULL) {
        return -1;
    }
    if (received <= 0) {
        *reason_p = received == 0
                        ? "its greeting did not come in time"
                        : "it closed the connection before its greeting was complete";
        return received < 0 || now > pending->deadline ? -1 : 0;
    }
    if (mtree_relay_hello_read(bytes, &pending->hello) != MTREE_OK) {
        *reason_p = "it sent no greeting of mtree";
        return -1;
    }
    memcpy(greeting->hello, bytes, MTREE_RELAY_HELLO);
    mtree_relay_job_key(secret, &pending->hello.job, &greeting->key);
    if (!mtree_relay_hello_is_proved(greeting, bytes)) {
        *reason_p = "it has another secret";
        (void)mtree_tcp_socket_send(pending->socket, no_welcome, sizeof(no_welcome));
        return -1;
    }
    return 1;
}

bool mtree_relay_pending_welcome(const mtree_relay_pending_t *pending,
                                 mtree_relay_answer_t what, uint64_t memory)
{
    const mtree_relay_welcome_t welcome = {what, memory};
    unsigned char bytes[MTREE_RELAY_WELCOME];

    mtree_relay_welcome_write(&pending->greeting, &welcome, bytes);
    return mtree_tcp_socket_send(pending->socket, bytes, sizeof(bytes));
}

static int count_from(const mtree_relay_pending_t *pending, int num,
                      const mtree_address_t *from)
{
    int count = 0;

    for (int i = 0; i < num; i++) {
        count += mtree_address_equals(&pending[i].from, from);
    }
    return count;
}

int mtree_relay_pending_dispensable(const mtree_relay_pending_t *pending, int num)
{
    int most = -1, dispensable = 0;

    for (int i = 0; i < num; i++) {
        int count = count_from(pending, num, &pending[i].from);

        if (count > most) {
            most = count;
            dispensable = i;
        }
    }
    return dispensable;
}
