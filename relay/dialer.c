/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/dialer.h"

#include "base/memory.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a relay may take to greet. */
#define GREETING 2.0

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
                                                const mtree_tcp_secret_t *key, double now,
                                                double seconds)
{
    mtree_relay_dialer_t *dialer = mtree_calloc(1, sizeof(*dialer));

    dialer->secret = *key;
    dialer->is_encrypted = hello->is_encrypted;
    mtree_relay_hello_write(hello, dialer->hello);
    dialer->deadline = now + seconds;
    dialer->attempts.socket = -1;
    mtree_relay_look_up(address, hello->purpose == MTREE_RELAY_CONTROL, &dialer->found);
    dialer->reason =
        dialer->found.count > 0 ? "it does not answer" : "its address is not known";
    return dialer;
}

/* The addresses have their turns. */
static void attempt_begin(mtree_relay_dialer_t *dialer, double now)
{
    const mtree_address_t *address =
        &dialer->found.addresses[dialer->attempts.tries % dialer->found.count];

    mtree_tcp_dialer_begin(&dialer->attempts,
                           mtree_tcp_socket_connect(NULL, address, dialer->found.port, 0),
                           0, now);
}

/* The relay has answered: has it welcomed the dialer? */
static int read_welcome(mtree_relay_dialer_t *dialer)
{
    const bool is_welcome = mtree_relay_welcome_read(dialer->attempts.greeting.answer,
                                                     &dialer->welcome) == MTREE_OK;

    if (is_welcome && dialer->welcome.answer == MTREE_RELAY_WELCOMED) {
        dialer->key = mtree_tcp_greeting_key(
            &dialer->attempts.greeting, dialer->is_encrypted ? &dialer->secret : NULL,
            true, &dialer->own_key);
        return 1;
    }
    dialer->reason = is_welcome && dialer->welcome.answer == MTREE_RELAY_FULL
                         ? "it has as many jobs as it may"
                         : "it does not know the job";
    return -1;
}

int mtree_relay_dialer_poll(mtree_relay_dialer_t *dialer, double now)
{
    mtree_tcp_dialer_t *attempts = &dialer->attempts;

    if (dialer->found.count == 0) {
        return -1;
    }
    if (attempts->socket < 0 && now >= attempts->until) {
        attempt_begin(dialer, now);
    }
    if (attempts->socket >= 0 &&
        mtree_tcp_dialer_poll(attempts, &dialer->secret, dialer->hello, now) == 1) {
        return read_welcome(dialer);
    }
    dialer->reason = attempts->reason == NULL ? dialer->reason : attempts->reason;
    if (attempts->is_other || now > dialer->deadline) {
        return -1;
    }
    if (attempts->is_connected && now > attempts->until + GREETING) {
        mtree_tcp_dialer_fail(attempts, ETIMEDOUT, now);
    }
    return 0;
}

void mtree_relay_dialer_destroy(mtree_relay_dialer_t *dialer)
{
    if (dialer != NULL) {
        mtree_tcp_dialer_end(&dialer->attempts);
        explicit_bzero(dialer, sizeof(*dialer));
        free(dialer);
    }
}
