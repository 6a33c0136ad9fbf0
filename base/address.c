/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

size_t mtree_address_bytes(sa_family_t family)
{
    return family == AF_INET    ? sizeof(struct in_addr)
           : family == AF_INET6 ? sizeof(struct in6_addr)
                                : 0;
}

mtree_address_t mtree_address_parse(const char *text)
{
    mtree_address_t address = {.family = AF_UNSPEC};

    if (inet_pton(AF_INET, text, address.bytes) == 1) {
        address.family = AF_INET;
    } else if (inet_pton(AF_INET6, text, address.bytes) == 1) {
        address.family = AF_INET6;
    }
    return address;
}

const char *mtree_address_format(const mtree_address_t *address, char *buffer)
{
    if (address->family == AF_UNSPEC || inet_ntop(address->family, address->bytes, buffer,
                                                  MTREE_ADDRESS_LENGTH) == NULL) {
        snprintf(buffer, MTREE_ADDRESS_LENGTH, "*");
    }
    return buffer;
}

bool mtree_address_equals(const mtree_address_t *a, const mtree_address_t *b)
{
    return a->family != AF_UNSPEC && a->family == b->family &&
           memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool mtree_address_is_link_local(const mtree_address_t *address)
{
    return address->family == AF_INET6 && address->bytes[0] == 0xfe &&
           (address->bytes[1] & 0xc0) == 0x80;
}

mtree_address_t mtree_address_from_sockaddr(const struct sockaddr *from)
{
    mtree_address_t address = {.family = AF_UNSPEC};

    if (from->sa_family == AF_INET) {
        memcpy(address.bytes, &((const struct sockaddr_in *)from)->sin_addr,
               sizeof(struct in_addr));
    } else if (from->sa_family == AF_INET6) {
        memcpy(address.bytes, &((const struct sockaddr_in6 *)from)->sin6_addr,
               sizeof(struct in6_addr));
    } else {
        return address;
    }
    address.family = from->sa_family;
    return address;
}

socklen_t mtree_address_to_sockaddr(const mtree_address_t *address, int port,
                                    struct sockaddr_storage *to)
{
    memset(to, 0, sizeof(*to));
    to->ss_family = address->family;
    if (address->family == AF_INET) {
        struct sockaddr_in *in = (struct sockaddr_in *)to;

        in->sin_port = htons((uint16_t)port);
        memcpy(&in->sin_addr, address->bytes, sizeof(in->sin_addr));
        return sizeof(*in);
    } else {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;

        in6->sin6_port = htons((uint16_t)port);
        memcpy(&in6->sin6_addr, address->bytes, sizeof(in6->sin6_addr));
        return sizeof(*in6);
    }
}
