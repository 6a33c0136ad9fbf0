/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/nic.h"

#include "topo/host/interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SYSTEM_NETWORK "/sys/class/net/"
#define SYSTEM_FABRIC  "/sys/class/infiniband/"
#define PATH_LENGTH    160

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

bool mtree_nic_is_listed(const char *name, const mtree_address_t *address,
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

/* True when @a upper is the interface @a name or lies on it. */
static bool carries(const char *name, const char *upper)
{
    char path[PATH_LENGTH];
    struct stat is;

    snprintf(path, sizeof(path), SYSTEM_NETWORK "%s/upper_%s", name, upper);
    return strcmp(name, upper) == 0 || lstat(path, &is) == 0;
}

static bool tcp_uses(const struct ifaddrs *one, const char *include, const char *exclude)
{
    mtree_address_t address;

    if (one->ifa_addr == NULL || (one->ifa_flags & IFF_UP) == 0) {
        return false;
    }
    address = mtree_address_from_sockaddr(one->ifa_addr);
    if (address.family == AF_UNSPEC) {
        return false;
    }
    if (include != NULL && include[0] != '\0') {
        return mtree_nic_is_listed(one->ifa_name, &address, include);
    }
    return exclude == NULL || !mtree_nic_is_listed(one->ifa_name, &address, exclude);
}

void mtree_nics_keep_tcp(mtree_nic_t *nics, int *num_p, const char *include,
                         const char *exclude)
{
    struct ifaddrs *all = NULL;
    int kept = 0;

    if (getifaddrs(&all) != 0) {
        all = NULL;
    }
    for (int i = 0; i < *num_p; i++) {
        const struct ifaddrs *one = all;

        while (one != NULL && !(tcp_uses(one, include, exclude) &&
                                carries(nics[i].name, one->ifa_name))) {
            one = one->ifa_next;
        }
        if (one != NULL) {
            nics[kept++] = nics[i];
        }
    }
    *num_p = kept;
    freeifaddrs(all);
}

void mtree_nics_keep_kind(mtree_nic_t *nics, int *num_p, mtree_nic_kind_t kind)
{
    int kept = 0;

    for (int i = 0; i < *num_p; i++) {
        if (nics[i].kind == kind) {
            nics[kept++] = nics[i];
        }
    }
    *num_p = kept;
}

void mtree_nics_keep_best(mtree_nic_t *nics, int *num_p)
{
    double fastest = 0;
    int kept = 0;

    for (int i = 0; i < *num_p; i++) {
        fastest = nics[i].speed > fastest ? nics[i].speed : fastest;
    }
    for (int i = 0; i < *num_p; i++) {
        bool placed = nics[i].package >= 0 || nics[i].numa >= 0;

        if (placed && nics[i].speed >= fastest / 2) {
            nics[kept++] = nics[i];
        }
    }
    *num_p = kept;
}

double mtree_nic_read_speed(const char *name, mtree_nic_kind_t kind)
{
    bool network = kind == MTREE_NIC_NETWORK;
    char path[PATH_LENGTH], line[ENTRY_LENGTH];
    double speed = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s%s%s", network ? SYSTEM_NETWORK : SYSTEM_FABRIC, name,
             network ? "/speed" : "/ports/1/rate");
    file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    /* "10000", in Mb/s and -1 when the link is down; or "100 Gb/sec (4X EDR)". */
    if (fgets(line, sizeof(line), file) != NULL) {
        speed = strtod(line, NULL) * (network ? 1e6 : 1e9);
    }
    fclose(file);
    return speed > 0 ? speed : 0;
}
