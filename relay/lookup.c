/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/lookup.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
