/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of several plans is taken: by numbers alone, and on small networks.
 */
#include "planner/algorithms.h"
#include "planner/plan/json.h"
#include "simulate/forecast/choice.h"
#include "simulate/forecast/contest.h"
#include "simulate/simulate.h"
#include "tests/unit/given.h"

#define MESSAGE (4 << 20)

static mtree_plan_t *choose(mtree_plan_request_t request)
{
    mtree_plan_t *plan = NULL;

    unit_ok(mtree_choice_plan(topology, hosts, num_hosts, &request, &plan, NULL));
    return plan;
}

/* The same on @a network, for a request with these members. */
#define CHOSEN(network, ...) (given(network), choose((mtree_plan_request_t){__VA_ARGS__}))

/* A star of so many equal hosts, of 50 Mb/s each. */
#define EVEN 8
static const int even[EVEN] = {50, 50, 50, 50, 50, 50, 50, 50};

static double simulated(const mtree_plan_t *plan)
{
    mtree_simulate_options_t options;
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result;
    double seconds;

    mtree_simulate_default_options(&options);
    options.bytes = (size_t)plan->bytes;
    unit_ok(mtree_simulate_plan(topology, hosts, num_hosts, plan, plan->collective,
                                &options, &result));
    seconds = result.seconds;
    return seconds;
}

static const mtree_candidate_t *find_candidate(const mtree_candidate_list_t *list,
                                               const char *algorithm)
{
    for (int c = 0; c < list->count; c++) {
        if (strcmp(list->list[c].algorithm, algorithm) == 0) {
            return &list->list[c];
        }
    }
    ck_abort_msg("%s was not considered", algorithm);
}

/* Of contenders the fastest is best; of equals, which differ by less than @a close, the
 * one with most slack, then the lowest, then the last. */
static const struct {
    mtree_contender_t contenders[3]; /* seconds, load, height */
    int count;
    double close;
    int best;
} contests[] = {
    {{{1.5, 1.0, 1}, {1.0, 9.0, 7}, {1.2, 1.0, 1}}, 3, 0.02, 1},
    {{{1.5, 1.0, 1}}, 1, 0.02, 0},
    {{{1.5, 1.0, 1}, {1.0, 9.0, 7}, {1.2, 1.0, 1}}, 3, 0.2, 2},
    {{{1.00, 2.0, 1}, {1.01, 1.0, 3}, {1.01, 1.3, 1}}, 3, 0.02, 1},
    {{{1.00, 2.0, 1}, {1.01, 1.0, 3}, {1.01, 1.3, 1}}, 3, 0.001, 0},
    {{{1.0, 1.0, 4}, {1.0, 1.001, 2}, {1.0, 1.0, 2}}, 3, 0.02, 2},
    {{{1.0, 1.0, 4}, {1.0, 1.001, 2}}, 2, 0.02, 1},
    /* Plans of no throughput take for ever. */
    {{{INFINITY, 1.0, 0}, {INFINITY, 0.5, 0}}, 2, 0.02, 1},
};

UNIT_EACH(the_best_is_found, contests)
{
    ck_assert_int_eq(mtree_contest_best_of(contests[_i].contenders, contests[_i].count,
                                           contests[_i].close),
                     contests[_i].best);
}

/* Where several hosts send whole blocks to one through a switch its queue overflows,
 * which the simulator does not know.  One message takes one of several cables. */
UNIT_LOOP(long_blocks_are_cut, 0, 3)
{
    const char cables[] =
        "graph { a -- b [capacity=\"100Mbps\" from_address=\"10.8.1.1\" "
        "to_address=\"10.8.1.2\"] a -- b [capacity=\"40Mbps\" "
        "from_address=\"10.8.2.1\" to_address=\"10.8.2.2\"] }";
    OWNED(plan) *plan =
        CHOSEN(_i < 2 ? map_star(even, EVEN) : map_text(cables),
               .collective = _i == 0 ? MTREE_ALLGATHER : MTREE_ALLREDUCE, .max_trees = 10,
               .bytes = _i < 2 ? 1 << 20 : MESSAGE, .seed = 1);

    ck_assert_ptr_null(plan->order);
    ck_assert_int_eq(mtree_plan_num_steps(plan), 0);
}

/* Stars of hosts of 10, 25, 50 and 100 Mb/s: two trees that fill the roots' links as well
 * as the slow hosts' carry as much on paper, but not in time. */
UNIT_LOOP(unequal_stars_come_close_to_the_bound, 0, 4)
{
    static const int stars[][16] = {
        {100, 100, 100, 100, 50, 50, 25, 25},
        {25, 10, 50, 25, 10, 25, 50, 10, 10, 10},
        {50, 25, 100, 10, 10, 10, 50, 10, 25, 10, 10, 100},
        {100, 10, 25, 10, 100, 10, 10, 25, 10, 100, 10, 25, 10, 25, 50, 100}};
    static const int counts[] = {8, 10, 12, 16};
    OWNED(plan) *plan =
        CHOSEN(map_star(stars[_i], counts[_i]), .collective = MTREE_ALLREDUCE,
               .max_trees = 10, .bytes = MESSAGE);

    ck_assert_double_gt(plan->bound, 0.0);
    ck_assert_double_ge(8.0 * MESSAGE / plan->bound / plan->seconds, 0.9);
    unit_near(plan->seconds, simulated(plan));
}

/* The prediction for a part of a long message holds for all of it. */
UNIT_TEST(a_long_message_is_predicted_from_a_part)
{
    OWNED(plan) *plan = CHOSEN(map_star(even, EVEN), .collective = MTREE_BCAST,
                               .max_trees = 10, .bytes = 256 << 20);

    ck_assert_double_eq_tol(plan->seconds, simulated(plan), 0.02 * plan->seconds);
}

/* Simulations take no more work than they may: of a long call a part, and none of
 * which no part says anything. */
UNIT_TEST(simulations_are_limited)
{
    const mtree_plan_request_t request = {.collective = MTREE_BCAST,
                                          .algorithm = "packing",
                                          .max_trees = 10,
                                          .bytes = 64 << 20};
    mtree_prediction_t on = {.request = &request};
    mtree_prediction_load_t load;
    OWNED(plan) *plan = NULL;
    double whole, taken;

    given_routes(map_shape("torus:4x4", 100e6, 1e-3));
    plan = choose(request);
    on.topology = topology;
    on.hosts = hosts;
    on.num_hosts = num_hosts;
    on.routes = routes;
    load = mtree_prediction_load(&on, plan);
    whole = mtree_prediction_work(plan, &load, plan->bytes);
    unit_ok(mtree_prediction_run(&on, plan, &load, whole / 2, &taken));
    ck_assert_double_gt(taken, 0.0);
    ck_assert_double_le(taken, whole / 2);
    ck_assert_double_eq_tol(plan->seconds, simulated(plan), 0.05 * plan->seconds);
    plan->seconds = 7.0;
    unit_ok(mtree_prediction_run(&on, plan, &load, 10.0, &taken));
    ck_assert_double_eq(taken, 0.0);
    ck_assert_double_eq(plan->seconds, 7.0);
}

UNIT_TEST(a_named_algorithm_stays)
{
    static const int star[] = {100, 100, 10, 10};
    OWNED(plan) *plan = CHOSEN(map_star(star, 4), .collective = MTREE_ALLREDUCE,
                               .algorithm = "ring", .bytes = MESSAGE);

    ck_assert_str_eq(plan->algorithm, "ring");
    unit_near(plan->seconds, simulated(plan));
}

static const mtree_collective_t exchanged[] = {MTREE_ALLREDUCE, MTREE_ALLGATHER,
                                               MTREE_REDUCE_SCATTER};

/* Equal hosts: direct exchange carries as much as any, and nobody waits for another.  Of
 * long messages others can be faster. */
UNIT_LOOP(direct_exchange_on_an_even_star, 0, 2)
{
    for (int c = 0; c < 3; c++) {
        OWNED(plan) *plan = CHOSEN(map_star(even, EVEN), .collective = exchanged[c],
                                   .bytes = _i == 0 ? 0 : 16e6);

        if (_i == 0) {
            ck_assert_str_eq(plan->algorithm, "direct");
            ck_assert_int_eq(plan->num_trees, EVEN);
        } else {
            ck_assert_double_ge(8 * plan->bytes / plan->bound, 0.92 * plan->seconds);
        }
        ck_assert_double_gt(plan->throughput, plan->bound * 0.999999);
        ck_assert_ptr_nonnull(plan->limit);
    }
}

/* Below several switches a block that is sent whole takes the time of each link on its
 * way, step after step; chunks of it do not. */
UNIT_EACH(blocks_go_around_in_chunks_below_a_tree_of_switches, exchanged)
{
    mtree_plan_request_t request = {.collective = exchanged[_i], .bytes = 1 << 20};
    OWNED(plan) *plan = NULL, *lockstep = NULL;

    given(map_shape("tree:2x2x2", 1e8, 0));
    plan = choose(request);
    ck_assert_str_eq(plan->algorithm, "segmented_ring");
    ck_assert_int_eq(mtree_plan_num_steps(plan), 0);
    ck_assert_double_ge(8 * plan->bytes / plan->bound,
                        (_i == 0 ? 0.89 : 0.9) * plan->seconds);
    request.algorithm = "ring";
    lockstep = choose(request);
    ck_assert_double_lt(plan->seconds, 0.8 * lockstep->seconds);
}

/* Where hosts forward for each other, trees of many hops carry more; one host's message
 * goes over trees. */
UNIT_TEST(elsewhere_packing_stays)
{
    OWNED(plan) *mesh = CHOSEN(map_file(TOPOLOGIES "/b4.dot"),
                               .collective = MTREE_ALLREDUCE, .max_trees = 10);
    OWNED(plan) *one =
        CHOSEN(map_star(even, EVEN), .collective = MTREE_BCAST, .bytes = 16e6);

    ck_assert_str_eq(mesh->algorithm, "packing");
    ck_assert_int_le(one->num_trees, 4);
}

/* Long lines between sites may be crossed by gateways, in long messages. */
UNIT_TEST(gateways_between_sites)
{
    mtree_plan_request_t request = {
        .collective = MTREE_ALLTOALL, .max_trees = 10, .bytes = 4 << 20};
    mtree_candidate_list_t list;
    const mtree_candidate_t *gateways;
    OWNED(plan) *plan = NULL;

    given(map_file(TOPOLOGIES "/../examples/sites.dot"));
    unit_ok(mtree_choice_plan(topology, hosts, num_hosts, &request, &plan, &list));
    gateways = find_candidate(&list, "gateways");
    ck_assert(gateways->is_simulated && gateways->seconds <= 1.1 * plan->seconds);
    ck_assert_ptr_nonnull(plan->limit);
    mtree_plan_destroy(plan);
    request.bytes = 6144;
    plan = choose(request);
    ck_assert_str_ne(plan->algorithm, "gateways");
}

/* Where hosts forward for each other and nothing is lost by it, a long all-to-all has
 * trees for hosts that send more than others, too. */
UNIT_TEST(long_all_to_all_is_robust)
{
    mtree_plan_request_t request = {.collective = MTREE_ALLTOALL, .max_trees = 10};
    OWNED(plan) *plan = NULL;

    given(map_file(TOPOLOGIES "/b4.dot"));
    for (int l = 0; l < topology->num_links; l++) {
        topology->links[l].latency = 0;
    }
    request.bytes = 20e6;
    plan = choose(request);
    ck_assert_str_eq(plan->algorithm, "robust");
    ck_assert_ptr_nonnull(plan->limit);
    mtree_plan_destroy(plan);
    request.bytes = 0;
    plan = choose(request);
    ck_assert_str_eq(plan->algorithm, "packing");
}

/* Between hosts that forward for each other, of trees that carry as much the low ones
 * are taken: what passes 15 hosts twice does so in chunks. */
UNIT_TEST(trees_of_a_mesh_are_low)
{
    OWNED(plan) *plan = NULL;

    given(map_shape("random:64:140", 20e6, 0));
    mtree_generate_capacities(topology, 20e6, 0.8, 1);
    plan = choose((mtree_plan_request_t){
        .collective = MTREE_ALLREDUCE, .max_trees = 10, .bytes = 1 << 20});
    ck_assert_double_ge(8 * plan->bytes / plan->bound, 0.85 * plan->seconds);
}

/* Who has the routes spares the search for them, and gets the same plan. */
UNIT_LOOP(routes_that_are_given_change_nothing, 0, MTREE_COLLECTIVE_LAST)
{
    const int rates[] = {10, 25, 50, 100, 100, 50};
    mtree_plan_request_t request = {
        .collective = (mtree_collective_t)_i, .max_trees = 4, .bytes = MESSAGE};
    OWNED(plan) *found = NULL, *with_routes = NULL;
    char *text[2];

    given_routes(map_star(rates, 6));
    found = choose(request);
    request.routes = routes;
    with_routes = choose(request);
    unit_ok(mtree_plan_to_json(found, &text[0]));
    unit_ok(mtree_plan_to_json(with_routes, &text[1]));
    ck_assert_str_eq(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* Where processors limit, few trees are faster than many, which carry more. */
UNIT_TEST(few_trees_where_messages_cost_more)
{
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE, .bytes = 256 << 10};
    mtree_plan_t *plan, *other;

    given(map_file(TOPOLOGIES "/torus-4x4.dot"));
    plan = choose(request);
    request.algorithm = "packing";
    for (int trees = 1; trees <= 9; trees += trees == 1 ? 2 : 6) {
        request.max_trees = trees;
        other = choose(request);
        ck_assert_double_le(plan->seconds, 1.04 * other->seconds);
        mtree_plan_destroy(other);
    }
    mtree_plan_destroy(plan);
}

/* Nothing that has a name is clearly faster, whatever the size. */
UNIT_LOOP(no_named_one_is_clearly_faster, 0, 6)
{
    static const double sizes[] = {64, 4096, 32000, 131072, 300000, 2e6};
    static const int star[] = {40, 60, 40, 80, 20, 60};
    const char *const *names = mtree_algorithms_names();
    mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .max_trees = 10, .bytes = sizes[_i]};
    OWNED(plan) *plan = NULL;

    given(map_star(star, 6));
    plan = choose(request);
    for (int a = 0; names[a] != NULL; a++) {
        request.algorithm = names[a];
        if (mtree_algorithms_fit(names[a], topology, num_hosts, &request) &&
            mtree_algorithms_effort(names[a]) != MTREE_BY_NAME) {
            OWNED(plan) *other = choose(request);

            ck_assert_double_le(simulated(plan), 1.05 * simulated(other));
        }
    }
}

/* Who asks learns what was considered, what each takes, and why some were not compared.
 */
UNIT_TEST(candidates_are_listed)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .max_trees = 10, .bytes = 32 << 20};
    const mtree_candidate_t *ring, *exchange;
    mtree_candidate_list_t list;
    OWNED(plan) *plan = NULL;

    given(map_file(TOPOLOGIES "/b4.dot"));
    unit_ok(mtree_choice_plan(topology, hosts, num_hosts, &request, &plan, &list));
    ck_assert_str_eq(plan->algorithm, "packing");
    ck_assert_double_le(plan->seconds, find_candidate(&list, "packing")->seconds);
    ring = find_candidate(&list, "ring");
    ck_assert_double_gt(ring->seconds, plan->seconds);
    ck_assert(!ring->is_simulated && ring->reason != NULL);
    exchange = find_candidate(&list, "exchange");
    ck_assert(exchange->seconds == 0.0 && exchange->reason != NULL);
}

/* Of many hosts no algorithm makes a tree from each; programs need none. */
static const struct {
    mtree_collective_t collective;
    const char *algorithm;
    bool is_refused;
} of_many[] = {
    {MTREE_ALLREDUCE, "ring", true},     {MTREE_ALLREDUCE, "segmented_ring", true},
    {MTREE_ALLREDUCE, "latency", false}, {MTREE_ALLGATHER, "ring", true},
    {MTREE_ALLGATHER, "latency", true},  {MTREE_ALLGATHER, "bruck", false},
};

UNIT_EACH(many_hosts_have_no_trees_each, of_many)
{
    enum { MANY = 260 };
    const mtree_plan_request_t request = {
        .collective = of_many[_i].collective, .max_trees = 10, .bytes = 1 << 20};
    static int rates[MANY];
    mtree_candidate_list_t list;
    const char *reason;
    OWNED(plan) *plan = NULL;

    for (int host = 0; host < MANY; host++) {
        rates[host] = 100;
    }
    given(map_star(rates, MANY));
    ck_assert_int_eq(num_hosts, MANY);
    unit_ok(mtree_choice_plan(topology, hosts, MANY, &request, &plan, &list));
    reason = find_candidate(&list, of_many[_i].algorithm)->reason;
    ck_assert_int_eq(reason != NULL && strstr(reason, "a tree from each") != NULL,
                     of_many[_i].is_refused);
}

/* Chunks are as long as processors need: at ten times the rate of a lab, far longer. */
UNIT_TEST(chunks_grow_with_rates)
{
    size_t chunks[2];

    for (int fast = 0; fast < 2; fast++) {
        const int rate = fast ? 100000 : 100;
        const int star[] = {rate, rate, rate, rate};
        OWNED(plan) *plan =
            CHOSEN(map_star(star, 4), .collective = MTREE_ALLREDUCE,
                   .algorithm = "doubletree", .max_trees = 10, .bytes = 64 << 20);

        chunks[fast] = plan->trees[0].chunk_bytes;
    }
    ck_assert_uint_le(chunks[0], 64 << 10);
    ck_assert_uint_ge(chunks[1], 8 * chunks[0]);
}

/* A timeout sends again what a slow link has lost, some of which has not yet left. */
UNIT_TEST(slow_links_that_lose_much_have_plans)
{
    static const char map[] =
        "graph g { edge [latency=\"1ms\"]; s [kind=switch];"
        "a -- b [capacity=\"1Mbps\" capacity_back=\"1Gbps\"];"
        "b -- c [capacity=\"1Mbps\" loss=0.5]; c -- s [capacity=\"1Gbps\"]; }";
    OWNED(plan) *plan = CHOSEN(map_text(map), .collective = MTREE_REDUCE, .max_trees = 10,
                               .bytes = 1 << 20);

    ck_assert_double_gt(plan->seconds, 1 << 3);
}

/* Where links carry one way alone, a call is planned by what can use them. */
UNIT_LOOP(one_way_links_have_plans, 0, MTREE_COLLECTIVE_LAST)
{
    static const double bytes[] = {8, 1 << 20};

    given(map_text("graph g { edge [capacity=\"1Gbps\" capacity_back=\"0bps\"];"
                   "a -- b -- c -- d -- e -- a; }"));
    for (size_t size = 0; size < sizeof(bytes) / sizeof(bytes[0]); size++) {
        OWNED(plan) *plan = choose((mtree_plan_request_t){
            .collective = (mtree_collective_t)_i, .max_trees = 10, .bytes = bytes[size]});

        ck_assert_double_gt(plan->throughput, 0);
    }
}

UNIT_FIXTURE(NULL, forget)
