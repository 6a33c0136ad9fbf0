/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/runner.h"
#include "topo/host/traceroute.h"

#include <net/if.h>
#include <unistd.h>

/* All on the loopback device, which every machine has. */
#define NUM_PROBES 40

static void expect_text(const char *text, const char *expected)
{
    char buffer[MTREE_ADDRESS_LENGTH];
    mtree_address_t address = mtree_address_parse(text);

    ck_assert_str_eq(mtree_address_format(&address, buffer), expected);
}

UNIT_TEST(test_address_text)
{
    expect_text("192.0.2.7", "192.0.2.7");
    expect_text("2001:db8:0:0::1", "2001:db8::1");
    expect_text("192.0.2", "*");
    expect_text("host", "*");
    expect_text("", "*");
}

/* The system's form and back; an IPv4 address is none of IPv6, and none equals none. */
UNIT_TEST(test_address_forms)
{
    static const char *const texts[] = {"192.0.2.7", "2001:db8::1"};
    mtree_address_t none = mtree_address_parse("*");
    struct sockaddr_storage form = {.ss_family = AF_UNIX};
    mtree_address_t address[2], back;

    for (int i = 0; i < 2; i++) {
        address[i] = mtree_address_parse(texts[i]);
        ck_assert_uint_gt(mtree_address_to_sockaddr(&address[i], 80, &form), 0);
        back = mtree_address_from_sockaddr((struct sockaddr *)&form);
        ck_assert(mtree_address_equals(&back, &address[i]));
        ck_assert(!mtree_address_equals(&back, &none));
    }
    ck_assert(!mtree_address_equals(&address[0], &address[1]));
    ck_assert(!mtree_address_equals(&none, &none));
    form.ss_family = AF_UNIX;
    back = mtree_address_from_sockaddr((struct sockaddr *)&form);
    ck_assert_int_eq(back.family, AF_UNSPEC);
}

/* Who is on this machine is reached without a gateway. */
UNIT_TEST(test_first_hop)
{
    mtree_address_t here = mtree_address_parse("127.0.0.1");
    mtree_address_t none = mtree_address_parse("*");
    mtree_kernel_route_t first_hop;

    unit_ok(mtree_kernel_route_find(&here, &first_hop));
    ck_assert_int_eq(first_hop.device, (int)if_nametoindex("lo"));
    ck_assert_int_eq(first_hop.gateway.family, AF_UNSPEC);
    first_hop.device = -7;
    ck_assert_int_eq(mtree_kernel_route_find(&none, &first_hop), MTREE_ERR_IO);
    ck_assert_int_eq(first_hop.device, -7);
}

/* Every probe is told apart from the others and finds its target. */
static void check_targets(const char *own, const char *const *targets, int num_targets)
{
    mtree_address_t here = mtree_address_parse(own);
    mtree_traceroute_probe_t probes[NUM_PROBES];
    mtree_traceroute_t *hops;
    int polls = 0;

    for (int i = 0; i < NUM_PROBES; i++) {
        probes[i] = (mtree_traceroute_probe_t){
            .to = mtree_address_parse(targets[i % num_targets]), .limit = 1 + i % 3};
    }
    unit_ok(mtree_traceroute_start(&here, probes, NUM_PROBES, 30, &hops));
    while (!mtree_traceroute_advance(hops)) {
        ck_assert_int_lt(polls++, 30000);
        usleep(1000);
    }
    for (int i = 0; i < NUM_PROBES; i++) {
        ck_assert_int_eq(probes[i].answer, MTREE_HOP_TARGET);
        ck_assert(mtree_address_equals(&probes[i].from, &probes[i].to));
    }
    mtree_traceroute_destroy(hops);
}

UNIT_TEST(test_hops)
{
    static const char *const targets[] = {"127.0.0.1", "127.0.0.2", "127.1.2.3"};

    check_targets("127.0.0.1", targets, 3);
}

/* What has no socket behind it: an address that is not of this machine, and too many. */
UNIT_TEST(test_hops_refused)
{
    mtree_address_t elsewhere = mtree_address_parse("192.0.2.77");
    mtree_address_t here = mtree_address_parse("127.0.0.1");
    mtree_traceroute_probe_t probe = {.to = here, .limit = 1};
    mtree_traceroute_t *hops = NULL;

    ck_assert_int_eq(mtree_traceroute_start(&elsewhere, &probe, 1, 1, &hops),
                     MTREE_ERR_IO);
    ck_assert_int_eq(
        mtree_traceroute_start(&here, &probe, MTREE_HOPS_MAX_PROBES + 1, 1, &hops),
        MTREE_ERR_LIMIT);
    ck_assert_ptr_null(hops);
    mtree_traceroute_destroy(hops);
}
