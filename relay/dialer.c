/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/dialer.h"

#include "base/memory.h"
#include "tcp/socket.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that one attempt may take, and from a failed one to the next. */
#define ATTEMPT 2.0
#define PAUSE   0.05

enum { IDLE, CONNECTING, CONNECTED, PROVED, WELCOME, REFUSED };

/* Add the addresses of the host whose name, maybe in brackets, has @a length characters.
 */
static void look_up_host(mtree_relay_found_t *found, const char *name, size_t length,
                         bool looks_up)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = looks_up ? 0 : AI_NUMERICHOST};
    struct addrinfo *all, *at;
    char host[256];

    if (length > 1 && name[0] == '[' && name[length - 1] == ']') {
        name++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof(host)) {
        return;
    }
    memcpy(host, name, length);
    host[length] = '\0';
    if (getaddrinfo(host, NULL, &hints, &all) != 0) {
        return;
    }
    for (at = all; at != NULL && found->count < MTREE_RELAY_ADDRESSES; at = at->ai_next) {
        found->addresses[found->count] = mtree_address_from_sockaddr(at->ai_addr);
        found->count += found->addresses[found->count].family != AF_UNSPEC;
    }
    freeaddrinfo(all);
}

void mtree_relay_look_up(const char *address, bool looks_up, mtree_relay_found_t *found)
{
    const char *colon = strrchr(address, ':');
    char *end;
    long port = colon == NULL ? 0 : strtol(colon + 1, &end, 10);

    *found = (mtree_relay_found_t){.count = 0};
    if (port < 1 || port > UINT16_MAX || *end != '\0') {
        return;
    }
    found->port = (uint16_t)port;
    while (address < colon) {
        size_t length = strcspn(address, ",");

        length = address + length > colon ? (size_t)(colon - address) : length;
        look_up_host(found, address, length, looks_up);
        address += length + 1;
    }
}

void mtree_relay_found_write(const mtree_relay_found_t *found,
                             char text[MTREE_RELAY_ADDRESS])
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < found->count; i++) {
        const bool is_ipv6 = found->addresses[i].family == AF_INET6;
        char one[MTREE_ADDRESS_LENGTH];

        length += (size_t)snprintf(text + length, MTREE_RELAY_ADDRESS - length,
                                   "%s%s%s%s", i > 0 ? "," : "", is_ipv6 ? "[" : "",
                                   mtree_address_format(&found->addresses[i], one),
                                   is_ipv6 ? "]" : "");
    }
    if (length > 0) {
        (void)snprintf(text + length, MTREE_RELAY_ADDRESS - length, ":%d",
                       (int)found->port);
    }
}

mtree_relay_dialer_t *mtree_relay_dialer_create(const char *address,
                                                const mtree_relay_hello_t *hello,
                                                const mtree_relay_key_t *key, double now,
                                                double seconds)
{
    mtree_relay_dialer_t *dialer = mtree_calloc(1, sizeof(*dialer));

    dialer->hello = *hello;
    dialer->greeting.key = *key;
    dialer->deadline = now + seconds;
    dialer->socket = -1;
    mtree_relay_look_up(address, hello->purpose == MTREE_RELAY_CONTROL, &dialer->found);
    dialer->state = dialer->found.count > 0 ? IDLE : REFUSED;
    dialer->reason =
        dialer->found.count > 0 ? "it does not answer" : "its address is not known";
    return dialer;
}

static void attempt_begin(mtree_relay_dialer_t *dialer, double now)
{
    dialer->socket = mtree_tcp_socket_connect(
        NULL, &dialer->found.addresses[dialer->tries++ % dialer->found.count],
        dialer->found.port, 0);
    dialer->state = dialer->socket < 0 ? IDLE : CONNECTING;
    dialer->until = now + (dialer->socket < 0 ? PAUSE : ATTEMPT);
}

static void attempt_fail(mtree_relay_dialer_t *dialer, double now)
{
    mtree_tcp_socket_close(dialer->socket);
    dialer->socket = -1;
    dialer->state = IDLE;
    dialer->until = now + PAUSE;
}

/* 1: it goes on; 0: it waits; -1: the attempt has failed. */
static int send_version(mtree_relay_dialer_t *dialer)
{
    int connected = mtree_tcp_socket_connected(dialer->socket);
    unsigned char magic[MTREE_RELAY_MAGIC];

    if (connected != 1) {
        return connected;
    }
    mtree_relay_magic_write(magic);
    mtree_tcp_piece_expect(&dialer->received, MTREE_RELAY_CHALLENGE);
    dialer->state = CONNECTED;
    return mtree_tcp_socket_send(dialer->socket, magic, sizeof(magic)) ? 1 : -1;
}

/* As mtree_tcp_piece_receive().  A relay of another version says its own, or nothing. */
static int receive_challenge(mtree_relay_dialer_t *dialer)
{
    int received = mtree_tcp_piece_receive(&dialer->received, dialer->socket);

    if (dialer->received.count >= MTREE_RELAY_MAGIC) {
        const char *fault = mtree_relay_magic_fault(dialer->received.bytes);

        if (fault != NULL) {
            dialer->reason = fault;
            dialer->state = REFUSED;
            return -1;
        }
    } else if (received < 0) {
        dialer->reason = "it takes no greeting of this version of mtree";
    }
    return received;
}

/* The rest of the hello, whose version was sent. */
static int send_hello(mtree_relay_dialer_t *dialer)
{
    mtree_relay_greeting_t *greeting = &dialer->greeting;
    unsigned char bytes[MTREE_RELAY_PROVED];
    int received = receive_challenge(dialer);

    if (received != 1) {
        return received;
    }
    if (mtree_crypto_draw(dialer->hello.nonce, MTREE_RELAY_NONCE) != MTREE_OK) {
        return -1;
    }
    memcpy(greeting->nonce, dialer->received.bytes + MTREE_RELAY_MAGIC,
           MTREE_RELAY_NONCE);
    mtree_relay_hello_write(&dialer->hello, greeting->hello);
    mtree_relay_hello_prove(greeting, bytes);
    mtree_relay_tls_key(greeting, false, &dialer->own_key);
    dialer->key = dialer->hello.is_encrypted ? &dialer->own_key : NULL;
    mtree_tcp_piece_expect(&dialer->received, MTREE_RELAY_WELCOME);
    dialer->state = PROVED;
    return mtree_tcp_socket_send(dialer->socket, bytes + MTREE_RELAY_MAGIC,
                                 sizeof(bytes) - MTREE_RELAY_MAGIC)
               ? 1
               : -1;
}

static int read_welcome(mtree_relay_dialer_t *dialer)
{
    int received = mtree_tcp_piece_receive(&dialer->received, dialer->socket);

    if (received != 1) {
        return received;
    }
    dialer->state = REFUSED;
    if (mtree_relay_welcome_read(&dialer->greeting, dialer->received.bytes,
                                 &dialer->welcome) != MTREE_OK) {
        dialer->reason = "it has another secret";
    } else if (dialer->welcome.answer == MTREE_RELAY_WELCOMED) {
        dialer->state = WELCOME;
    } else {
        dialer->reason = dialer->welcome.answer == MTREE_RELAY_FULL
                             ? "it has as many jobs as it may"
                             : "it does not know the job";
    }
    return 1;
}

int mtree_relay_dialer_poll(mtree_relay_dialer_t *dialer, double now)
{
    int result = 0;

    if (dialer->state == IDLE && now >= dialer->until) {
        attempt_begin(dialer, now);
    }
    if (dialer->state == CONNECTING) {
        result = send_version(dialer);
    }
    if (dialer->state == CONNECTED && result >= 0) {
        result = send_hello(dialer);
    }
    if (dialer->state == PROVED && result >= 0) {
        result = read_welcome(dialer);
    }
    if (dialer->state == WELCOME) {
        return 1;
    }
    if (dialer->state == REFUSED || now > dialer->deadline) {
        return -1;
    }
    if (result < 0 || (dialer->state > IDLE && now > dialer->until)) {
        attempt_fail(dialer, now);
    }
    return 0;
}

int mtree_relay_dialer_take(mtree_relay_dialer_t *dialer)
{
    int socket = dialer->socket;

    dialer->socket = -1;
    return socket;
}

void mtree_relay_dialer_destroy(mtree_relay_dialer_t *dialer)
{
    if (dialer != NULL) {
        if (dialer->socket >= 0) {
            mtree_tcp_socket_close(dialer->socket);
        }
        explicit_bzero(&dialer->greeting, sizeof(dialer->greeting));
        explicit_bzero(&dialer->own_key, sizeof(dialer->own_key));
        free(dialer);
    }
}
