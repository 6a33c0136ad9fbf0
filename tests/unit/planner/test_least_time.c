/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least time of a call: longest paths of the shipped maps, flows against networks
 * expanded in time, what binds and how it is called.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"
#include "tests/unit/planner/time_expanded.h"

#include "planner/bound/least_time.h"

#define MS        1e-3
#define MAX_HOSTS 600

/* The least seconds of @a call between all hosts, by what, and what limits them; NULL:
 * either may be any. */
static double least_time(const mtree_topology_t *topology,
                         const mtree_least_time_call_t *call, const char *by,
                         const char *limit)
{
    UNIT_OWNED(mtree_least_time_clear) mtree_least_time_t time;
    int hosts[MAX_HOSTS];
    const int num_hosts = map_hosts(topology, hosts);

    unit_ok(mtree_least_time(topology, hosts, num_hosts, call, &time));
    ck_assert_ptr_nonnull(time.limit);
    if (by != NULL) {
        ck_assert_str_eq(mtree_bound_name(time.by), by);
    }
    if (limit != NULL) {
        ck_assert_str_eq(time.limit, limit);
    }
    return time.seconds;
}

/* It is so long, by that and limited by that. */
static void expect(const mtree_topology_t *topology, const mtree_least_time_call_t *call,
                   const char *by, const char *limit, double seconds)
{
    unit_near(least_time(topology, call, by, limit), seconds);
}

/* A row for each map: the longest of its shortest paths. */
static const struct {
    const char *map;
    double milliseconds;
    const char *limit;
} paths[] = {
    {TOPOLOGIES "/../examples/sites.dot", 12.04, "the path from berlin1 to rome1"},
    {TOPOLOGIES "/cloud-aws.dot", 175.31, "the path from sa-east-1 to ap-southeast-1"},
    {TOPOLOGIES "/cloud-dtfm.dot", 130.50, "the path from Sydney to London"},
    {TOPOLOGIES "/abilene.dot", 23.53, "the path from WASHng to STTLng"},
    {TOPOLOGIES "/geant.dot", 46.11, "the path from ny1.ny to il1.il"},
    {TOPOLOGIES "/b4.dot", 88.03, "the path from AS2 to EU2"},
};

UNIT_EACH(test_short_sums_take_the_longest_path, paths)
{
    const mtree_least_time_call_t call = {.collective = MTREE_ALLREDUCE, .bytes = 8};
    OWNED(topology) *topology = map_file(paths[_i].map);
    const double seconds = least_time(topology, &call, "latency", paths[_i].limit);

    ck_assert_double_eq_tol(seconds, paths[_i].milliseconds * MS, 0.01 * MS);
}

#define NUM_HOSTS 5

/* The ms after which a flow of @a bits from one host to another has arrived. */
static int steps_of_flow(const mtree_topology_t *topology, int from, int to, double bits)
{
    const time_expanded_end_t begin = {from, INFINITY}, end = {to, INFINITY};
    int steps = 1;

    while (time_expanded_bits(topology, &begin, 1, &end, 1, steps) < bits * (1 - 1e-9)) {
        steps++;
    }
    return steps;
}

/* Of a vector: the slowest of all flows between two hosts. */
UNIT_SHORT_LOOP(test_a_vector_takes_the_slowest_flow, 0, 100)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_REDUCE,
                                                     MTREE_BCAST, MTREE_SCAN};
    const mtree_collective_t collective = collectives[_i % 4];
    const int root = _i % NUM_HOSTS;
    const mtree_least_time_call_t call = {
        .collective = collective, .root = root, .bytes = 200 * (1 + _i % 7)};
    OWNED(topology) *topology = time_expanded_draw(NUM_HOSTS, (unsigned)_i);
    int most = 0;

    for (int from = 0; from < NUM_HOSTS; from++) {
        for (int to = 0; to < NUM_HOSTS; to++) {
            if (from == to || (collective == MTREE_REDUCE && to != root) ||
                (collective == MTREE_BCAST && from != root) ||
                (collective == MTREE_SCAN && from > to)) {
                continue;
            }
            most = (int)fmax(most, steps_of_flow(topology, from, to, 8 * call.bytes));
        }
    }
    /* To the ms. */
    ck_assert_double_eq(ceil(least_time(topology, &call, NULL, NULL) / MS - 1e-6), most);
}

/* The ms after which the blocks of all others can be at a host, or its blocks at them. */
static int steps_of_blocks(const mtree_topology_t *topology, int host, double block,
                           bool leave)
{
    const time_expanded_end_t one = {host, INFINITY};
    time_expanded_end_t others[NUM_HOSTS];
    int num = 0, steps = 0;
    double bits = 0;

    for (int other = 0; other < NUM_HOSTS; other++) {
        if (other != host) {
            others[num++] = (time_expanded_end_t){other, block};
        }
    }
    while (bits < block * num * (1 - 1e-9)) {
        steps++;
        bits = leave ? time_expanded_bits(topology, &one, 1, others, num, steps)
                     : time_expanded_bits(topology, others, num, &one, 1, steps);
    }
    return steps;
}

/* Of blocks: no longer than all blocks of or for a host take; and hardly ever shorter,
 * though of the sets of hosts only those are looked at that are so far away or farther.
 */
UNIT_TEST(test_blocks_take_the_slowest_flow_of_several)
{
    static const mtree_collective_t collectives[] = {
        MTREE_GATHER, MTREE_SCATTER, MTREE_ALLGATHER, MTREE_REDUCE_SCATTER,
        MTREE_ALLTOALL};
    int equal = 0;

    for (unsigned seed = 0; seed < 200; seed++) {
        const mtree_collective_t collective = collectives[seed % 5];
        const mtree_least_time_call_t call = {.collective = collective,
                                              .root = (int)(seed % NUM_HOSTS),
                                              .bytes = 500 * (1 + seed % 7)};
        const double block = 8 * call.bytes / NUM_HOSTS;
        const bool leave = collective != MTREE_GATHER && collective != MTREE_ALLGATHER;
        const bool enter =
            collective != MTREE_SCATTER && collective != MTREE_REDUCE_SCATTER;
        OWNED(topology) *topology = time_expanded_draw(NUM_HOSTS, seed);
        int most = 0, steps;

        for (int host = 0; host < NUM_HOSTS; host++) {
            if (!mtree_collective_has_root(collective) || host == call.root) {
                for (int way = !leave; way <= enter; way++) {
                    steps = steps_of_blocks(topology, host, block, way == 0);
                    most = steps > most ? steps : most;
                }
            }
        }
        steps = (int)ceil(least_time(topology, &call, NULL, NULL) / MS - 1e-6);
        ck_assert_int_le(steps, most);
        equal += steps == most;
    }
    ck_assert_int_ge(equal, 200 * 9 / 10);
}

/* One link of 8 Mb/s and 1 ms between two hosts: what a byte a microsecond takes. */
static mtree_topology_t *one_link(void)
{
    return network_row(NULL, 2, 8e6, MS);
}

/* Each of the four binds where it is the greatest. */
UNIT_TEST(test_the_greatest_binds)
{
    mtree_least_time_call_t call = {.collective = MTREE_ALLREDUCE, .bytes = 1};
    OWNED(topology) *topology = one_link();

    expect(topology, &call, "latency", "the path from h0 to h1", 1.001 * MS);
    call.bytes = 1000;
    expect(topology, &call, "flow", "the flow from h0 to h1", 2 * MS);
    call.cut = 2e6;
    call.limit = "link a-b";
    expect(topology, &call, "cut", "link a-b", 4 * MS);
    /* A message costs its ends 0.5 ms each. */
    call.costs.overhead = 0.5 * MS;
    expect(topology, &call, "cut", "link a-b", 5 * MS);
    /* Each of two ranks adds half of what the other one has. */
    call.costs.fold_rate = 5e4;
    expect(topology, &call, "processor", "adding up 1000 B", 10 * MS);
    call.collective = MTREE_BCAST;
    call.costs.overhead = 10 * MS;
    expect(topology, &call, "processor", "messages between 2 hosts", 24 * MS);
}

/* Of the 4000 bytes 1000 go at once, so 3000 need 3 ms and the last one a ms more. */
UNIT_TEST(test_a_burst_goes_at_once)
{
    mtree_least_time_call_t call = {.collective = MTREE_ALLREDUCE, .bytes = 4000};
    OWNED(topology) *topology = one_link();

    topology->links[0].conditions.burst = 1000;
    expect(topology, &call, "flow", NULL, 4 * MS);
    call.cut = 4e6;
    expect(topology, &call, "cut", NULL, 7 * MS);
    call.bytes = 500;
    ck_assert_double_eq_tol(least_time(topology, &call, "latency", NULL), MS, 1e-6);
}

/* Without latencies a vector gets from host to host by what crosses the tightest of all
 * cuts, each of which is looked at. */
UNIT_SHORT_LOOP(test_bursts_are_no_more_than_cuts_let_through, 0, 100)
{
    OWNED(topology) *topology = time_expanded_draw(NUM_HOSTS, (unsigned)_i);
    mtree_least_time_call_t call = {
        .collective = MTREE_ALLREDUCE, .bytes = 1000 * (1 + _i), .cut = INFINITY};
    double needed = 0.0, without = 0.0, found, burst;

    for (int l = 0; l < topology->num_links; l++) {
        topology->links[l].latency = 0;
        topology->links[l].conditions.burst = 10 * (_i * l % 7);
    }
    for (unsigned set = 1; set < (1u << NUM_HOSTS) - 1; set++) {
        const double rate = network_cut(topology, set, &burst);

        call.cut = fmin(call.cut, rate);
        needed = fmax(needed, (8 * call.bytes - burst) / rate);
    }
    found = least_time(topology, &call, NULL, NULL);
    ck_assert_double_le(found, needed * (1 + 1e-9));
    for (int l = 0; l < topology->num_links; l++) {
        topology->links[l].conditions.burst = -1;
    }
    without = least_time(topology, &call, NULL, NULL);
    ck_assert_double_le(found, without);
    ck_assert_double_ge(found, without - 8 * 60 / 1e6);
}

UNIT_TEST(test_one_host_or_no_bytes_need_no_time)
{
    mtree_least_time_call_t call = {.collective = MTREE_ALLREDUCE, .bytes = 1000};
    OWNED(topology) *topology = one_link();
    mtree_least_time_t time;

    for (int num_hosts = 1; num_hosts <= 2; num_hosts++) {
        unit_ok(mtree_least_time(topology, map_vertices, num_hosts, &call, &time));
        ck_assert_double_eq(time.seconds, 0);
        ck_assert_ptr_null(time.limit);
        call.bytes = 0;
    }
}

#define MOST_TICKS 64

/*
 * The hosts that know by tick t, where each message takes a tick at both ends and
 * `latency` between: those that knew before, and those whose message was begun so long
 * ago, one by each rank of those that knew then.
 */
UNIT_SHORT_LOOP(test_telling_grows_like_fibonacci_numbers, 0, 12)
{
    const int latency = _i % 4, ranks = 1 + _i / 4 % 3, trip = 2 + latency;
    const mtree_processor_costs_t costs = {.overhead = 1, .ranks_per_host = ranks};
    double known[MOST_TICKS];

    for (int t = 0; t < MOST_TICKS; t++) {
        known[t] = t == 0 ? 1 : known[t - 1] + (t < trip ? 0 : ranks * known[t - trip]);
    }
    for (int n = 2; n < 1000; n += 1 + n / 7) {
        int t = 0;

        while (known[t] < n) {
            t++;
        }
        unit_near(mtree_processors_telling(&costs, n, latency), t);
    }
}

UNIT_TEST(test_adding_is_shared)
{
    const mtree_processor_costs_t costs = {.fold_rate = 1e6}, unknown = {0};

    unit_near(mtree_processors_adding(&costs, MTREE_REDUCE, 4e6, 4, 0), 3);
    unit_near(mtree_processors_adding(&costs, MTREE_SCAN, 4e6, 4, 2), 2);
    ck_assert_double_eq(mtree_processors_adding(&costs, MTREE_GATHER, 4e6, 4, 0), 0);
    ck_assert_double_eq(mtree_processors_adding(&unknown, MTREE_REDUCE, 4e6, 4, 0), 0);
    ck_assert_double_eq(mtree_processors_telling(&unknown, 4, 1), 0);
}

/* Of more hosts than are looked at in pairs: a long line, and hosts around a switch of
 * which two have narrow links. */
UNIT_TEST(test_what_is_looked_at_among_many_hosts)
{
    const mtree_least_time_call_t call = {.collective = MTREE_ALLREDUCE, .bytes = 1e6};
    OWNED(topology) *topology = map_shape("mesh:2x300", 1e9, MS);

    expect(topology, &call, "flow", NULL, 304 * MS);
    mtree_topology_destroy(topology);
    topology = map_shape("star:600", 1e9, MS);
    topology->links[123].capacity[0] = 1e6;
    topology->links[321].capacity[1] = 2e6;
    expect(topology, &call, "flow", NULL, 8.002);
}
