/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/host.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/locality.h"

#include "topo/host/nic.h"

#include "ompi/mca/pml/base/base.h"

#include <ifaddrs.h>
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

/* Does Open MPI's TCP transport use an interface with this address? */
static bool is_used(const struct ifaddrs *entry, const mtree_address_t *address)
{
    const char *include = coll_mtree_params_btl_tcp("if_include");
    const char *exclude = coll_mtree_params_btl_tcp("if_exclude");

    if (include != NULL) {
        return mtree_nic_is_listed(entry->ifa_name, address, include);
    }
    return (entry->ifa_flags & IFF_LOOPBACK) == 0 &&
           (exclude == NULL || !mtree_nic_is_listed(entry->ifa_name, address, exclude));
}

/* Add the addresses of @a family of the interfaces that are used; their speed, where that
 * is more than *speed. */
static void add_interfaces(mtree_address_t *addresses, int *count, double *speed,
                           const struct ifaddrs *all, sa_family_t family)
{
    for (const struct ifaddrs *entry = all; entry != NULL; entry = entry->ifa_next) {
        mtree_address_t address;

        if (entry->ifa_addr == NULL || (entry->ifa_flags & IFF_UP) == 0 ||
            entry->ifa_addr->sa_family != family || *count == COLL_MTREE_HOST_ADDRESSES) {
            continue;
        }
        address = mtree_address_from_sockaddr(entry->ifa_addr);
        if (!mtree_address_is_link_local(&address) && is_used(entry, &address)) {
            addresses[(*count)++] = address;
            *speed =
                fmax(*speed, mtree_nic_read_speed(entry->ifa_name, MTREE_NIC_NETWORK));
        }
    }
}

static void describe_interfaces(mtree_address_t *addresses, double *speed)
{
    struct ifaddrs *all;
    int count = 0;

    memset(addresses, 0, COLL_MTREE_HOST_ADDRESSES * sizeof(*addresses));
    *speed = 0;
    if (getifaddrs(&all) == 0) {
        add_interfaces(addresses, &count, speed, all, AF_INET);
        add_interfaces(addresses, &count, speed, all, AF_INET6);
        freeifaddrs(all);
    }
}

void coll_mtree_host_addresses(mtree_address_t addresses[COLL_MTREE_HOST_ADDRESSES])
{
    double speed;

    describe_interfaces(addresses, &speed);
}

bool coll_mtree_host_name(char name[COLL_MTREE_NAME_LENGTH])
{
    size_t length;
    const char *replaced =
        coll_mtree_seat_host(coll_mtree_params.hosts, coll_mtree_world_rank(), &length);

    if (replaced != NULL) {
        (void)snprintf(name, COLL_MTREE_NAME_LENGTH, "%.*s", (int)length, replaced);
    } else {
        (void)snprintf(name, COLL_MTREE_NAME_LENGTH, "%s", coll_mtree_nodename());
    }
    return replaced != NULL;
}

coll_mtree_seat_t coll_mtree_host_seat(void)
{
    return coll_mtree_seat_find(
        coll_mtree_params.hosts, coll_mtree_world_rank(),
        (coll_mtree_seat_t){opal_process_info.my_local_rank,
                            (int)opal_process_info.num_local_peers + 1});
}

const char *coll_mtree_host_fabric(void)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    return strcmp(pml, "ob1") == 0 && coll_mtree_params_btl("tcp", "links") != NULL
               ? "tcp"
               : pml;
}

void coll_mtree_host_describe(coll_mtree_host_t *host)
{
    memset(host, 0, sizeof(*host));
    host->locality = coll_mtree_locality_own();
    describe_interfaces(host->addresses, &host->speed);
    host->is_replaced = coll_mtree_host_name(host->name);
}
