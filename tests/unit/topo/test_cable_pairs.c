/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which interfaces may be the ends of cables: three hosts in a ring beside a LAN.
 */
#include "tests/unit/runner.h"
#include "topo/probe/cable_pairs.h"

#include <stdlib.h>

enum { HOSTS = 3 };

static mtree_host_interfaces_t hosts[HOSTS];

static void add(int host, int device, const char *address, int prefix)
{
    mtree_host_interfaces_t *at = &hosts[host];

    at->list[at->count++] = (mtree_interface_t){
        .address = mtree_address_parse(address), .prefix = prefix, .device = device};
}

/* Cables 0-1, 1-2 and 2-0, the first with IPv6 as well; the LAN is device 1; device 9 is
 * the same on all, as a container's bridge. */
static void start(void)
{
    static const char *const lan[] = {"10.99.0.1", "10.99.0.2", "10.99.0.3"};

    for (int host = 0; host < HOSTS; host++) {
        hosts[host].count = 0;
        add(host, 1, lan[host], 24);
        add(host, 9, "172.17.0.1", 16);
    }
    add(0, 2, "10.88.0.1", 30);
    add(1, 2, "10.88.0.2", 30);
    add(1, 3, "10.88.0.5", 30);
    add(2, 2, "10.88.0.6", 30);
    add(2, 3, "2001:db8::1", 64);
    add(0, 3, "2001:db8::2", 64);
    add(0, 2, "2001:db8:1::1", 64);
    add(1, 2, "2001:db8:1::2", 64);
}

static void expect_pair(const mtree_cable_pair_t *pair, int a, int b, const char *from,
                        const char *to)
{
    char text[MTREE_ADDRESS_LENGTH];

    ck_assert_int_eq(pair->hosts[0], a);
    ck_assert_int_eq(pair->hosts[1], b);
    ck_assert_str_eq(mtree_address_format(&pair->ends[0], text), from);
    ck_assert_str_eq(mtree_address_format(&pair->ends[1], text), to);
}

UNIT_TEST(networks_of_two_hosts_are_cables)
{
    mtree_cable_pair_t *pairs;
    int num;

    ck_assert_int_eq(mtree_cable_pairs_find(hosts, HOSTS, &pairs, &num), MTREE_OK);
    ck_assert_int_eq(num, 3);
    expect_pair(&pairs[0], 0, 1, "10.88.0.1", "10.88.0.2");
    expect_pair(&pairs[1], 0, 2, "2001:db8::2", "2001:db8::1");
    expect_pair(&pairs[2], 1, 2, "10.88.0.5", "10.88.0.6");
    free(pairs);
}

/* A second switch: no host has a neighbour of its own there. */
UNIT_TEST(a_network_of_three_hosts_is_none)
{
    mtree_cable_pair_t *pairs;
    int num;

    for (int host = 0; host < HOSTS; host++) {
        hosts[host].count = 1;
    }
    add(0, 2, "10.1.0.1", 24);
    add(1, 2, "10.1.0.2", 24);
    add(2, 2, "10.1.0.3", 24);
    ck_assert_int_eq(mtree_cable_pairs_find(hosts, HOSTS, &pairs, &num), MTREE_OK);
    ck_assert_int_eq(num, 0);
    free(pairs);
}

/* Between two hosts the LAN is like a cable. */
UNIT_TEST(a_network_of_all_two_hosts_is_one)
{
    mtree_cable_pair_t *pairs;
    int num;

    ck_assert_int_eq(mtree_cable_pairs_find(hosts, 2, &pairs, &num), MTREE_OK);
    ck_assert_int_eq(num, 2);
    expect_pair(&pairs[0], 0, 1, "10.99.0.1", "10.99.0.2");
    expect_pair(&pairs[1], 0, 1, "10.88.0.1", "10.88.0.2");
    free(pairs);
}

UNIT_SUITE(tcase)
{
    tcase_add_checked_fixture(tcase, start, NULL);
}
