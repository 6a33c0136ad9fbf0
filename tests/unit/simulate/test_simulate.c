/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/planner.h"
#include "simulate/simulate.h"
#include "tcp/width.h"
#include "tests/unit/given.h"

/* Eight hosts of 50 Mb/s around a switch; four of 100 Mb/s, two of 50 and two of 25. */
static const int even[] = {50, 50, 50, 50, 50, 50, 50, 50};
static const int unequal[] = {100, 100, 100, 100, 50, 50, 25, 25};

static mtree_topology_t *b4(void)
{
    return map_file(TOPOLOGIES "/b4.dot");
}

/* A plan of one tree, a chain over the hosts from the first to the last; an all-to-all
 * has one from each host. */
static mtree_plan_t *chain(mtree_collective_t collective, int num_hosts, double rate,
                           double latency)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    mtree_plan_t *plan = mtree_plan_create(collective, "chain", num_hosts, names,
                                           collective == MTREE_ALLTOALL ? num_hosts : 1);

    plan->root = mtree_collective_has_root(collective) ? 0 : -1;
    plan->bound = rate;
    for (int t = 0; t < plan->num_trees; t++) {
        plan->trees[t].root = t;
        plan->trees[t].rate = rate;
        plan->trees[t].share = 1.0;
        for (int h = 0; h < num_hosts; h++) {
            plan->trees[t].parent[h] = h == t ? -1 : h < t ? h + 1 : h - 1;
            plan->trees[t].latency[h] = h == t ? 0.0 : latency;
        }
    }
    return plan;
}

static mtree_simulate_options_t usual(size_t bytes)
{
    mtree_simulate_options_t options;

    mtree_simulate_default_options(&options);
    options.bytes = bytes;
    return options;
}

/* No header, no overhead: what is left can be computed by hand. */
static mtree_simulate_options_t bare(size_t bytes)
{
    mtree_simulate_options_t options = usual(bytes);

    options.overhead = 0.0;
    options.fold_rate = 0.0;
    options.control_bytes = 0;
    options.network.header_bytes = 0;
    options.network.ack_bytes = 0;
    options.network.packet_bytes = 1000;
    return options;
}

/* Simulate @a plan between the first hosts, as many as it has. */
static mtree_simulate_result_t simulate(const mtree_plan_t *plan,
                                        mtree_collective_t collective,
                                        const mtree_simulate_options_t *options)
{
    mtree_simulate_result_t result = {0};

    unit_ok(mtree_simulate_plan(topology, hosts, plan->num_hosts, plan, collective,
                                options, &result));
    ck_assert_int_eq(result.num_trees, plan->num_trees);
    return result;
}

static double seconds_of(const mtree_plan_t *plan, mtree_collective_t collective,
                         const mtree_simulate_options_t *options)
{
    UNIT_OWNED(mtree_simulate_result_clear)
    mtree_simulate_result_t result = simulate(plan, collective, options);

    return result.seconds;
}

static mtree_plan_t *plan_for(const mtree_plan_request_t *request)
{
    mtree_plan_t *plan = NULL;

    unit_ok(mtree_planner_run(topology, hosts, num_hosts, request, &plan));
    return plan;
}

/* The plan on @a network, for a request with these members. */
#define PLANNED(network, ...)                                                            \
    (given(network), plan_for(&(const mtree_plan_request_t){__VA_ARGS__}))

/* Hosts a, b and c in a row. */
static mtree_topology_t *row(void)
{
    return map_chain("hhh", (const double[]){8e6, 8e6}, 0.010);
}

/*
 * A broadcast of 40000 bytes in 10 chunks over two links of a byte a microsecond and 10
 * ms: what the second host has whole it sends on, so the end is 40 ms + one chunk of 4 ms
 * + 20 ms.
 */
UNIT_TEST(test_chain)
{
    mtree_simulate_options_t options = bare(40000);
    OWNED(plan) *plan = chain(MTREE_BCAST, 3, 8e6, 0.010);
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result = {0};

    given(row());
    options.chunk_bytes = 4000;
    result = simulate(plan, MTREE_BCAST, &options);
    unit_near(result.seconds, 0.064);
    ck_assert_uint_eq(result.messages, 20);
    unit_near(result.tree_seconds[0], 0.064);
    ck_assert_double_eq_tol(result.busy[0], 0.040 / 0.064, 1e-6);
    ck_assert_double_eq_tol(result.busy[1], 0.0, 1e-6);
    ck_assert_double_eq_tol(result.busy[2], 0.040 / 0.064, 1e-6);
}

/* A message of 4000 bytes over a link of a byte a microsecond and 10 ms; at both ends it
 * costs a ms, and its bytes a tenth of what they take on the link. */
UNIT_TEST(test_costs_of_the_topology)
{
    mtree_simulate_options_t options = bare(4000);
    OWNED(plan) *plan = chain(MTREE_BCAST, 2, 8e6, 0.010);

    given(map_text("graph g { message_cost=\"1ms\"; copy_rate=\"80Mbps\";"
                   " a -- b [capacity=\"8Mbps\" latency=\"10ms\"]; }"));
    options.chunk_bytes = 4000;
    for (int named = 0; named < 2; named++) {
        options.overhead = named ? 2e-3 : -1;
        unit_near(seconds_of(plan, MTREE_BCAST, &options), named ? 0.0188 : 0.0168);
        ck_assert_double_eq(mtree_simulate_costs(topology, &options).overhead,
                            named ? 2e-3 : 1e-3);
    }
}

/* Every collective with real data on an allreduce plan, or its own where it is
 * personalized, one and two ranks per host. */
UNIT_LOOP(test_collectives, 0, MTREE_COLLECTIVE_LAST)
{
    const mtree_collective_t collective = (mtree_collective_t)_i;
    const bool own = mtree_collective_has_demands(collective);
    mtree_simulate_options_t options = usual(300001);
    OWNED(plan) *plan =
        PLANNED(b4(), .collective = own ? collective : MTREE_ALLREDUCE,
                .root = own ? 4 : 0, .bytes = 1e6,
                .algorithm = !own                                     ? "multitree"
                             : mtree_collective_is_prefix(collective) ? "packing"
                                                                      : "latency");

    options.root = 4;
    for (int ranks = 1; ranks <= 2; ranks++) {
        options.ranks_per_host = ranks;
        ck_assert_double_gt(seconds_of(plan, collective, &options), 0.0);
    }
}

/*
 * Three hosts in a row.  Each edge of a tree is crossed by the blocks below it, once: by
 * two of the three between the first hosts, and by one behind.  Each takes 10 ms on a
 * link.  An all-to-all has a tree from each host.
 */
UNIT_LOOP(test_links_carry_the_blocks_below_them, 0, 3)
{
    static const struct {
        mtree_collective_t collective;
        double busy[4]; /* a to b, b to a, b to c, c to b: milliseconds */
    } cases[] = {{MTREE_SCATTER, {20, 0, 10, 0}},
                 {MTREE_GATHER, {0, 20, 0, 10}},
                 {MTREE_ALLTOALL, {20, 20, 20, 20}}};
    mtree_simulate_options_t options = bare(30000);
    OWNED(plan) *plan = chain(cases[_i].collective, 3, 8e6, 0.010);
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result = {0};

    given(row());
    options.chunk_bytes = 4000;
    result = simulate(plan, cases[_i].collective, &options);
    for (int arc = 0; arc < 4; arc++) {
        ck_assert_double_eq_tol(result.busy[arc] * result.seconds,
                                cases[_i].busy[arc] / 1000, 1e-5);
    }
    /* Two links' latencies, the first link's time, and the last chunk's on the second. */
    ck_assert_double_le(result.seconds, 0.020 + 0.020 + 0.004);
}

/* What fits into the windows to its peers, a root sends and leaves: it does not wait for
 * what says, after 80 ms on the way, that its last chunks are there. */
UNIT_TEST(test_a_root_leaves_when_all_is_sent)
{
    mtree_simulate_options_t options = bare(90000);
    OWNED(plan) *plan = chain(MTREE_SCATTER, 3, 16e6, 0.040);
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result = {0};

    given(map_text("graph g { a -- b [capacity=\"8Mbps\" latency=\"40ms\"];"
                   " a -- c [capacity=\"8Mbps\" latency=\"40ms\"]; }"));
    plan->trees[0].parent[2] = 0;
    options.chunk_bytes = 4000;
    result = simulate(plan, MTREE_SCATTER, &options);
    ck_assert_double_lt(result.left[0], 0.040);
    ck_assert_double_eq_tol(result.left[2], 0.030 + 0.040, 1e-3);
}

/*
 * What comes slowly leaves the window to the next host half empty.  Of a vector of two to
 * four windows, 110 KB each, a host learns all the same what has arrived until the end,
 * which tells the link's rate; of longer ones it has learnt enough.
 */
UNIT_LOOP(test_a_host_waits_for_few_windows, 0, 2)
{
    mtree_simulate_options_t options = bare(_i == 0 ? 300000 : 600000);
    OWNED(plan) *plan = chain(MTREE_BCAST, 3, 8e6, 0.040);
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result = {0};
    const double later = _i == 0 ? 0.040 : -0.044;

    given(map_text("graph g { a -- b [capacity=\"4Mbps\" latency=\"40ms\"];"
                   " b -- c [capacity=\"8Mbps\" latency=\"40ms\"]; }"));
    options.chunk_bytes = 4000;
    result = simulate(plan, MTREE_BCAST, &options);
    ck_assert_double_eq_tol(result.left[1] - result.left[2], later, 1e-3);
}

/* Planned at half of what the link carries, a long call goes at MTREE_TCP_PACE times the
 * planned rate.  Windows of 25 KB, one each 20 ms, would let twice as much pass. */
UNIT_TEST(test_plans_pace_own_connections)
{
    mtree_simulate_options_t options = bare(600000);
    OWNED(plan) *plan = chain(MTREE_BCAST, 2, 4e6, 0.010);

    given(map_chain("hh", (const double[]){8e6}, 0.010));
    plan->bytes = 600000;
    options.chunk_bytes = 4000;
    ck_assert_double_eq_tol(seconds_of(plan, MTREE_BCAST, &options),
                            0.6 / (MTREE_TCP_PACE * 0.5) + 0.010, 1e-2);
}

/* A chunk of 4 MB: over a long link it goes over a connection of mtree's own, whose
 * sender asks nobody; over a short one Open MPI asks the receiver first. */
UNIT_LOOP(test_own_connections_have_no_eager_limit, 0, 2)
{
    const double latency = _i == 0 ? 0.010 : 0.0009;
    mtree_simulate_options_t options = bare(4 << 20);
    double seconds[2];

    given(map_chain("hh", (const double[]){100e6}, latency));
    options.chunk_bytes = 4 << 20;
    for (int limited = 0; limited < 2; limited++) {
        OWNED(plan) *plan = chain(MTREE_BCAST, 2, 100e6, latency);

        plan->bytes = 4 << 20;
        options.eager_bytes = limited ? 64 << 10 : 0;
        seconds[limited] = seconds_of(plan, MTREE_BCAST, &options);
    }
    if (_i == 0) {
        unit_near(seconds[1], seconds[0]);
    } else {
        ck_assert_double_gt(seconds[1], seconds[0] + latency);
    }
}

/*
 * What the lab took for 4 MiB, least of several calls: on eight hosts of 50 Mb/s around a
 * switch 1.28 s by ring and 1.25 s by direct exchange; on a star of unequal hosts 1.44 s
 * over one tree, a slow host's both directions full with nothing else.
 */
UNIT_LOOP(test_lab, 0, 3)
{
    static const struct {
        const char *algorithm;
        const int *rates;
        int max_trees;
        double seconds;
    } cases[] = {{"ring", even, 0, 1.28},
                 {"direct", even, 0, 1.25},
                 {"packing", unequal, 1, 1.44}};
    const mtree_simulate_options_t options = usual(4 << 20);
    OWNED(plan) *plan = PLANNED(
        map_star(cases[_i].rates, 8), .collective = MTREE_ALLREDUCE, .bytes = 4 << 20,
        .algorithm = cases[_i].algorithm, .max_trees = cases[_i].max_trees);

    ck_assert_double_eq_tol(seconds_of(plan, MTREE_ALLREDUCE, &options),
                            cases[_i].seconds, 0.1 * cases[_i].seconds);
}

/* All links lose this part of their packets. */
static void lose(double part)
{
    for (int l = 0; l < topology->num_links; l++) {
        topology->links[l].conditions.loss = part;
    }
}

/* Every collective ends where packets are lost, and a reduction takes longer. */
UNIT_LOOP(test_losses, 0, MTREE_COLLECTIVE_LAST)
{
    const mtree_collective_t collective = (mtree_collective_t)_i;
    const bool own = mtree_collective_has_demands(collective);
    const mtree_simulate_options_t options = usual(1000000);
    OWNED(plan) *plan = PLANNED(b4(), .collective = own ? collective : MTREE_ALLREDUCE,
                                .bytes = 1e6, .algorithm = "packing");
    const double seconds = seconds_of(plan, collective, &options);

    lose(0.02);
    ck_assert(seconds_of(plan, collective, &options) > seconds || own);
}

/* Twice the same times, bit by bit; in the second round packets are lost. */
UNIT_LOOP(test_deterministic, 0, 2)
{
    const mtree_simulate_options_t options = usual(1000000);
    OWNED(plan) *plan = PLANNED(b4(), .collective = MTREE_ALLREDUCE, .bytes = 1e6,
                                .algorithm = "multitree");
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t first, second;

    lose(_i * 0.01);
    first = simulate(plan, MTREE_ALLREDUCE, &options);
    second = simulate(plan, MTREE_ALLREDUCE, &options);
    ck_assert_mem_eq(&second.seconds, &first.seconds, sizeof(double));
    ck_assert_mem_eq(second.busy, first.busy, (size_t)first.num_arcs * sizeof(double));
}

/* A plan for another collective, another root, another number of hosts; no bytes; and too
 * many ranks. */
UNIT_LOOP(test_errors, 0, 6)
{
    static const struct {
        mtree_collective_t collective;
        int root, num_hosts;
        size_t bytes;
        mtree_status_t status;
    } cases[] = {{MTREE_ALLREDUCE, 0, 3, 40000, MTREE_ERR_UNSUPPORTED},
                 {MTREE_BCAST, 1, 3, 40000, MTREE_ERR_UNSUPPORTED},
                 {MTREE_BCAST, 3, 3, 40000, MTREE_ERR_INVALID},
                 {MTREE_BCAST, 0, 2, 40000, MTREE_ERR_INVALID},
                 {MTREE_BCAST, 0, 3, 0, MTREE_ERR_INVALID},
                 {MTREE_BCAST, 0, 3, 40000, MTREE_ERR_LIMIT}};
    mtree_simulate_options_t options = bare(cases[_i].bytes);
    OWNED(plan) *plan = chain(MTREE_BCAST, 3, 8e6, 0.010);
    mtree_simulate_result_t result = {0};

    given(row());
    options.root = cases[_i].root;
    options.ranks_per_host = cases[_i].status == MTREE_ERR_LIMIT ? 1 << 20 : 1;
    ck_assert_int_eq(mtree_simulate_plan(topology, hosts, cases[_i].num_hosts, plan,
                                         cases[_i].collective, &options, &result),
                     cases[_i].status);
}

/* Of a plan by arrival. */
static double seconds_by_arrival(mtree_collective_t collective,
                                 const mtree_simulate_options_t *options)
{
    OWNED(plan) *plan =
        plan_for(&(const mtree_plan_request_t){.collective = collective,
                                               .bytes = (double)options->bytes,
                                               .root = options->root,
                                               .algorithm = "arrival"});

    return seconds_of(plan, collective, options);
}

/* By arrival on B4, two ranks per host, everyone at a time of its own. */
UNIT_LOOP(test_by_arrival, MTREE_ALLREDUCE, MTREE_BCAST + 1)
{
    mtree_simulate_options_t options = usual(300001);
    double arrivals[24], last = 0;

    given(b4());
    for (int r = 0; r < 24; r++) {
        arrivals[r] = 0.01 * (r * 7 % 24);
        last = arrivals[r] > last ? arrivals[r] : last;
    }
    options.root = 4;
    options.ranks_per_host = 2;
    options.arrivals = arrivals;
    ck_assert_double_gt(seconds_by_arrival((mtree_collective_t)_i, &options), last);
}

/*
 * Equal hosts, of which the second, next to the root in a chain of them all, comes when
 * the others could be done: by arrival it holds nobody up, and takes little more than its
 * own transfer of 0.1 s.
 */
UNIT_LOOP(test_late_host, 0, 2)
{
    mtree_collective_t collective = _i == 0 ? MTREE_BCAST : MTREE_REDUCE;
    const double arrivals[] = {0, 0.3, 0, 0, 0};
    mtree_simulate_options_t options = bare(1000000);

    given(map_text("graph g { node [kind=host]; s [kind=switch];"
                   " edge [capacity=\"80Mbps\" latency=\"0.1ms\"];"
                   " a -- s; b -- s; c -- s; d -- s; e -- s; }"));
    ck_assert_double_lt(seconds_by_arrival(collective, &options), 0.13);
    options.arrivals = arrivals;
    ck_assert_double_lt(seconds_by_arrival(collective, &options), 0.3 + 1.25 * 0.1);
}

UNIT_FIXTURE(NULL, forget)
