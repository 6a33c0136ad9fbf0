/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which networks there are between three hosts in a ring beside a LAN, and between hosts
 * with interfaces at several switches; and the links that follow from what was measured.
 */
#include "tests/unit/maps.h"
#include "topo/probe/networks.h"
#include "topo/probe/state.h"

enum { HOSTS = 3, MANY = 9 };

static mtree_host_interfaces_t hosts[MANY];
static mtree_networks_t networks;
static mtree_probe_findings_t findings;

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
        hosts[host].own = mtree_address_parse(lan[host]);
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

static void stop(void)
{
    mtree_networks_cleanup(&networks);
    mtree_probe_findings_clear(&findings);
}

static void find(int num_hosts)
{
    mtree_networks_find(hosts, num_hosts, &networks);
}

static void expect_trial(int number, int a, int b, const char *from, const char *to)
{
    const mtree_network_trial_t *trial = &networks.trials[number];
    char text[MTREE_ADDRESS_LENGTH];

    ck_assert_int_eq(trial->hosts[0], a);
    ck_assert_int_eq(trial->hosts[1], b);
    ck_assert_str_eq(mtree_address_format(&trial->ends[0], text), from);
    ck_assert_str_eq(mtree_address_format(&trial->ends[1], text), to);
}

/* What is known without networks: a switch "lan" and links of 20 Mb/s to it. */
static void know_lan(int num_hosts)
{
    char text[1024] = "graph g {\n";

    for (int host = 0; host < num_hosts; host++) {
        (void)sprintf(text + strlen(text), "h%d;\n", host);
    }
    (void)strcat(text, "lan [kind=switch];\n");
    for (int host = 0; host < num_hosts; host++) {
        (void)sprintf(text + strlen(text),
                      "h%d -- lan [capacity=\"20Mbps\" latency=\"10us\"];\n", host);
    }
    (void)strcat(text, "}\n");
    findings.topology = map_text(text);
    findings.links =
        calloc((size_t)findings.topology->num_links, sizeof(*findings.links));
}

/* A LAN as device 1, and what comes with it. */
static void start_lan(int num_hosts)
{
    for (int host = 0; host < num_hosts; host++) {
        char text[MTREE_ADDRESS_LENGTH];

        hosts[host].count = 0;
        (void)snprintf(text, sizeof(text), "10.99.0.%d", host + 1);
        hosts[host].own = mtree_address_parse(text);
        add(host, 1, text, 24);
    }
    know_lan(num_hosts);
}

/* Hosts from @a first to @a last have device @a device in a network. */
static void add_lan(int first, int last, int device, const char *format)
{
    for (int host = first; host <= last; host++) {
        char text[MTREE_ADDRESS_LENGTH];

        (void)snprintf(text, sizeof(text), format, host + 1);
        add(host, device, text, strchr(text, ':') == NULL ? 24 : 64);
    }
}

/* Networks of a LAN and of a second one of the hosts from @a first on. */
static void find_two(int num_hosts, int first)
{
    start_lan(num_hosts);
    add_lan(first, num_hosts - 1, 2, "10.1.0.%d");
    find(num_hosts);
}

/* What trials of @a network find where interfaces carry @a rate from a host, and half of
 * it to one, which is shared by those of a turn. */
static void measure(int network, double rate, double latency)
{
    for (int t = 0; t < networks.num_trials; t++) {
        mtree_network_trial_t *trial = &networks.trials[t];
        int sharing = 0;

        for (int u = 0; u < networks.num_trials; u++) {
            const mtree_network_trial_t *other = &networks.trials[u];

            sharing += other->network == network && other->round == trial->round &&
                       other->hosts[0] == trial->hosts[0];
        }
        if (trial->network == network) {
            trial->rate[0] = rate / sharing;
            trial->rate[1] = rate / 2 / sharing;
            trial->latency = latency;
        }
    }
}

static void expect_map(const char *expected)
{
    UNIT_FREED char *text = NULL;

    unit_ok(mtree_networks_add(&networks, &findings));
    text = map_written(findings.topology);
    ck_assert_msg(strstr(text, expected) != NULL, "%s\nis not in\n%s", expected, text);
}

UNIT_TEST(networks_of_two_hosts_are_cables)
{
    find(HOSTS);
    ck_assert_int_eq(networks.num_trials, 6);
    expect_trial(0, 0, 1, "10.88.0.1", "10.88.0.2");
    expect_trial(1, 1, 0, "10.88.0.2", "10.88.0.1");
    expect_trial(2, 1, 2, "10.88.0.5", "10.88.0.6");
    expect_trial(4, 0, 2, "2001:db8::2", "2001:db8::1");
    know_lan(HOSTS);
    measure(networks.trials[2].network, 100e6, 1e-6);
    networks.trials[3].rate[0] = 0;
    expect_map(
        "\"h1\" -- \"h2\" [capacity=\"100Mbps\" capacity_back=\"50Mbps\" "
        "latency=\"1us\" from_address=\"10.88.0.5\" to_address=\"10.88.0.6\"];\n}\n");
}

/* It is no longer way than the one without it. */
UNIT_TEST(a_cable_whose_latency_is_not_known_has_one)
{
    find(HOSTS);
    know_lan(HOSTS);
    measure(networks.trials[2].network, 100e6, INFINITY);
    expect_map("\"h1\" -- \"h2\" [capacity=\"100Mbps\" latency=\"19.6us\" from_address");
}

/* Between two hosts the LAN is like a cable. */
UNIT_TEST(a_network_of_all_two_hosts_is_one)
{
    find(2);
    ck_assert_int_eq(networks.num_trials, 4);
    expect_trial(0, 0, 1, "10.99.0.1", "10.99.0.2");
    expect_trial(2, 0, 1, "10.88.0.1", "10.88.0.2");
}

/* With IPv6 as well; no host has several turns at a time. */
UNIT_TEST(each_host_has_a_turn)
{
    int turns[MANY] = {0};

    start_lan(MANY);
    add_lan(2, 8, 2, "10.1.0.%d");
    add_lan(2, 8, 2, "2001:db8::%d");
    find(MANY);
    ck_assert_int_eq(networks.num_trials, 7 * 3);
    for (int t = 0; t < networks.num_trials; t++) {
        const mtree_network_trial_t *trial = &networks.trials[t];

        turns[trial->hosts[0]] |= 1 << trial->round;
        for (int u = 0; u < t; u++) {
            ck_assert(networks.trials[u].round != trial->round ||
                      networks.trials[u].hosts[0] == trial->hosts[0]);
        }
    }
    ck_assert_int_eq(turns[2], 1);
    ck_assert_int_eq(turns[8], 1 << 6);
}

/* The LAN alone is measured by streams. */
UNIT_TEST(what_all_hosts_share_is_not_tried)
{
    start_lan(4);
    find(4);
    ck_assert_int_eq(networks.num_trials, 0);
}

UNIT_TEST(a_network_of_some_hosts_is_a_switch)
{
    find_two(5, 1);
    measure(1, 100e6, 50e-6);
    expect_map("\"h1\" -- \"network1\" [capacity=\"100Mbps\" capacity_back=\"50Mbps\" "
               "latency=\"9.8us\" from_address=\"10.1.0.2\"];\n");
    ck_assert_int_eq(findings.topology->num_links, 9);
}

/* No route leads over it. */
UNIT_TEST(a_slow_network_of_some_hosts_is_left_out)
{
    find_two(5, 1);
    measure(1, 20e6, 1e-6);
    expect_map("\"h4\" -- \"lan\" [capacity=\"20Mbps\" latency=\"10us\"];\n}\n");
}

/* Each host has an interface in both. */
UNIT_TEST(networks_of_all_hosts_are_one_switch)
{
    find_two(4, 0);
    measure(0, 20e6, 10e-6);
    measure(1, 100e6, 10e-6);
    expect_map("    \"h0\" -- \"lan\" [capacity=\"20Mbps\" capacity_back=\"10Mbps\" "
               "latency=\"10us\" from_address=\"10.99.0.1\"];\n"
               "    \"h0\" -- \"lan\" [capacity=\"100Mbps\" capacity_back=\"50Mbps\" "
               "latency=\"10us\" from_address=\"10.1.0.1\"];\n");
    ck_assert_double_eq(findings.topology->links[0].capacity[0], 120e6);
}

UNIT_TEST(a_hub_keeps_its_latency_where_that_of_a_network_is_not_known)
{
    find_two(4, 0);
    measure(0, 20e6, INFINITY);
    measure(1, 100e6, INFINITY);
    expect_map("    \"h0\" -- \"lan\" [capacity=\"100Mbps\" capacity_back=\"50Mbps\" "
               "latency=\"10us\" from_address=\"10.1.0.1\"];\n");
}

/* A tunnel over the LAN carries nothing beside it. */
UNIT_TEST(networks_that_share_interfaces_are_left_out)
{
    find_two(4, 0);
    measure(0, 50e6, 10e-6);
    measure(1, 50e6, 10e-6);
    for (int t = 0; t < networks.num_trials; t++) {
        networks.trials[t].rate[0] *= networks.trials[t].is_alone ? 2 : 1;
    }
    expect_map("\"h3\" -- \"lan\" [capacity=\"20Mbps\" latency=\"10us\"];\n}\n");
}

/* Two switches, or cables, have the same addresses. */
UNIT_TEST(what_is_apart_is_no_network)
{
    find_two(4, 0);
    measure(1, 100e6, 10e-6);
    for (int t = 0; t < networks.num_trials; t++) {
        mtree_network_trial_t *trial = &networks.trials[t];

        if (trial->hosts[0] / 2 != trial->hosts[1] / 2) {
            trial->rate[0] = trial->rate[1] = 0;
        }
    }
    expect_map("\"h3\" -- \"lan\" [capacity=\"20Mbps\" latency=\"10us\"];\n}\n");
}

UNIT_FIXTURE(start, stop)

/* What failed has no latency; it is tried again, and what that tells counts. */
UNIT_TEST(a_trial_that_failed_has_no_latency)
{
    const mtree_probe_result_t failed = {.failed = true};
    const mtree_probe_result_t answered = {.rate = {1e8, 1e8}, .latency = 3e-3};
    mtree_network_trial_t trial = {.latency = INFINITY};
    mtree_probe_t probe = {
        .networks = {.num_trials = 1, .num_rounds = 1, .trials = &trial},
        .num_network_rounds = 1};

    mtree_probe_keep_networks(&probe, &failed);
    ck_assert_double_eq(trial.rate[0], 0);
    mtree_probe_keep_networks(&probe, &answered);
    ck_assert_double_eq(trial.rate[0], 1e8);
    ck_assert_double_eq(trial.latency, 3e-3);
}
