/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which interfaces are in networks that all hosts share: the second of four hosts in a
 * ring with networks 10.88.0 to 10.88.3, beside a LAN, 10.99.0.
 */
#include "coll_mtree/control/shared_network.h"
#include "tests/unit/runner.h"

#include <stdio.h>

static coll_mtree_shared_networks_t networks;
static char names[64];

static void add(const char *name, int device, const char *address)
{
    mtree_interface_t *own = &networks.own[networks.count++];

    *own = (mtree_interface_t){
        .address = mtree_address_parse(address), .prefix = 24, .device = device};
    (void)snprintf(own->name, sizeof(own->name), "%s", name);
}

static void meet(const char *a, const char *b, const char *c)
{
    const mtree_address_t addresses[] = {mtree_address_parse(a), mtree_address_parse(b),
                                         mtree_address_parse(c)};

    coll_mtree_shared_networks_meet(&networks, addresses, 3);
}

static void start(void)
{
    networks.count = 0;
    add("lan", 2, "10.99.0.2");
    add("c1", 3, "10.88.0.2");
    add("c0", 4, "10.88.1.1");
}

UNIT_TEST(cables_are_left_out)
{
    coll_mtree_shared_networks_begin(&networks);
    meet("10.88.0.1", "10.88.3.2", "10.99.0.1");
    meet("10.99.0.3", "10.88.1.2", "10.88.2.1");
    meet("10.99.0.4", "10.88.2.2", "10.88.3.1");
    ck_assert(coll_mtree_shared_networks_name(&networks, names, sizeof(names)));
    ck_assert_str_eq(names, "lan");
}

/* Each interface is named once, whatever its addresses. */
UNIT_TEST(several_networks_may_be_shared)
{
    add("fast", 5, "10.77.0.2");
    add("lan", 2, "10.66.0.2");
    coll_mtree_shared_networks_begin(&networks);
    meet("10.99.0.1", "10.77.0.1", "10.66.0.1");
    ck_assert(coll_mtree_shared_networks_name(&networks, names, sizeof(names)));
    ck_assert_str_eq(names, "lan,fast");
}

/* Open MPI would connect from a cable. */
UNIT_TEST(the_first_one_is_shared)
{
    networks.count = 0;
    add("c1", 3, "10.88.0.2");
    add("lan", 4, "10.99.0.2");
    coll_mtree_shared_networks_begin(&networks);
    meet("10.99.0.1", "10.88.3.2", "10.88.2.1");
    ck_assert(!coll_mtree_shared_networks_name(&networks, names, sizeof(names)));
}

UNIT_TEST(all_are_used_where_all_are_shared)
{
    coll_mtree_shared_networks_begin(&networks);
    meet("10.99.0.1", "10.88.0.1", "10.88.1.9");
    ck_assert(!coll_mtree_shared_networks_name(&networks, names, sizeof(names)));
}

UNIT_TEST(all_are_used_where_none_is_shared)
{
    coll_mtree_shared_networks_begin(&networks);
    meet("10.1.0.1", "10.2.0.1", "10.3.0.9");
    ck_assert(!coll_mtree_shared_networks_name(&networks, names, sizeof(names)));
}

UNIT_FIXTURE(start, NULL)
