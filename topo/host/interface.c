/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

/* Bits that are set at the beginning of @a mask. */
static int prefix_of(const mtree_address_t *mask)
{
    const int most = 8 * (int)mtree_address_bytes(mask->family);
    int bits = 0;

    while (bits < most && (mask->bytes[bits / 8] & (0x80 >> (bits % 8))) != 0) {
        bits++;
    }
    return bits;
}

static bool is_wanted(const struct ifaddrs *entry, sa_family_t family)
{
    return entry->ifa_addr != NULL && entry->ifa_netmask != NULL &&
           (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_LOOPBACK) == 0 &&
           entry->ifa_addr->sa_family == family;
}

static void add_family(const struct ifaddrs *all, sa_family_t family,
                       mtree_interface_t *list, int *count)
{
    for (const struct ifaddrs *entry = all;
         entry != NULL && *count < MTREE_HOST_INTERFACES; entry = entry->ifa_next) {
        mtree_interface_t *interface = &list[*count];
        mtree_address_t mask;

        if (!is_wanted(entry, family)) {
            continue;
        }
        *interface =
            (mtree_interface_t){.address = mtree_address_from_sockaddr(entry->ifa_addr),
                                .device = (int)if_nametoindex(entry->ifa_name)};
        /* The kernel may leave the family of the mask out. */
        entry->ifa_netmask->sa_family = family;
        mask = mtree_address_from_sockaddr(entry->ifa_netmask);
        interface->prefix = prefix_of(&mask);
        (void)snprintf(interface->name, sizeof(interface->name), "%s", entry->ifa_name);
        *count += !mtree_address_is_link_local(&interface->address);
    }
}

int mtree_interfaces_list(mtree_interface_t list[MTREE_HOST_INTERFACES])
{
    struct ifaddrs *all;
    int count = 0;

    if (getifaddrs(&all) == 0) {
        add_family(all, AF_INET, list, &count);
        add_family(all, AF_INET6, list, &count);
        freeifaddrs(all);
    }
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
