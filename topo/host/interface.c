/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any name or address with its length. */
#define ENTRY_LENGTH 64

/* True when @a entry is address/length and @a address is in it. */
static bool network_holds(const char *entry, const mtree_address_t *address)
{
    char text[ENTRY_LENGTH];
    mtree_interface_t network;
    unsigned long bits;
    char *slash, *end;

    snprintf(text, sizeof(text), "%s", entry);
    slash = strchr(text, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    network.address = mtree_address_parse(text);
    bits = strtoul(slash + 1, &end, 10);
    network.prefix = (int)bits;
    return end != slash + 1 && *end == '\0' && network.address.family != AF_UNSPEC &&
           bits <= 8 * mtree_address_bytes(network.address.family) &&
           mtree_interface_reaches(&network, address);
}

bool mtree_interface_is_listed(const char *name, const mtree_address_t *address,
                               const char *list)
{
    const char *at = list;

    while (*at != '\0') {
        size_t length = strcspn(at, ",");
        char entry[ENTRY_LENGTH];

        snprintf(entry, sizeof(entry), "%.*s", (int)length, at);
        if (strcmp(entry, name) == 0 || network_holds(entry, address)) {
            return true;
        }
        at += length;
        at += *at == ',';
    }
    return false;
}

/* Bits that are set in @a mask. */
static int prefix_of(const mtree_address_t *mask)
{
    int bits = 0;

    for (size_t i = 0; i < sizeof(mask->bytes); i++) {
        bits += __builtin_popcount(mask->bytes[i]);
    }
    return bits;
}

/* The interface of @a entry; true: it is up, its address holds beyond one link, and it is
 * one of @a include, or none of @a exclude. */
static bool read_interface(const struct ifaddrs *entry, const char *include,
                           const char *exclude, mtree_interface_t *interface)
{
    const bool chooses = include != NULL && include[0] != '\0';
    mtree_address_t *address = &interface->address, mask;

    *interface =
        (mtree_interface_t){.address = mtree_address_from_sockaddr(entry->ifa_addr),
                            .device = (int)if_nametoindex(entry->ifa_name)};
    /* The kernel may leave the family of the mask out. */
    entry->ifa_netmask->sa_family = address->family;
    mask = mtree_address_from_sockaddr(entry->ifa_netmask);
    interface->prefix = prefix_of(&mask);
    (void)snprintf(interface->name, sizeof(interface->name), "%s", entry->ifa_name);
    return (entry->ifa_flags & IFF_UP) != 0 && !mtree_address_is_link_local(address) &&
           (chooses ? mtree_interface_is_listed(interface->name, address, include)
                    : (entry->ifa_flags & IFF_LOOPBACK) == 0 &&
                          (exclude == NULL || !mtree_interface_is_listed(
                                                  interface->name, address, exclude)));
}

int mtree_interfaces_list(mtree_interface_t list[MTREE_HOST_INTERFACES],
                          const char *include, const char *exclude)
{
    static const sa_family_t families[] = {AF_INET, AF_INET6};
    struct ifaddrs *all;
    int count = 0;

    if (getifaddrs(&all) != 0) {
        return 0;
    }
    for (int f = 0; f < 2; f++) {
        for (const struct ifaddrs *entry = all;
             entry != NULL && count < MTREE_HOST_INTERFACES; entry = entry->ifa_next) {
            if (entry->ifa_addr != NULL && entry->ifa_netmask != NULL &&
                entry->ifa_addr->sa_family == families[f]) {
                count += read_interface(entry, include, exclude, &list[count]);
            }
        }
    }
    freeifaddrs(all);
    return count;
}

bool mtree_interface_reaches(const mtree_interface_t *interface,
                             const mtree_address_t *address)
{
    const mtree_address_t *own = &interface->address;
    const int bytes = interface->prefix / 8, rest = interface->prefix % 8;

    return own->family == address->family &&
           memcmp(own->bytes, address->bytes, (size_t)bytes) == 0 &&
           (rest == 0 || (own->bytes[bytes] ^ address->bytes[bytes]) >> (8 - rest) == 0);
}
