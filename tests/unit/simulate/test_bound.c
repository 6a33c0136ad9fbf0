/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least time of a call holds in the simulator: of random networks, collectives, sizes
 * and ranks per host no plan and none of Open MPI's algorithms is faster.
 */
#include "planner/algorithms.h"
#include "planner/bound/least_time.h"
#include "planner/planner.h"
#include "simulate/simulate.h"
#include "tests/unit/given.h"

#include "base/random.h"

static const char *const shapes[] = {"random:6:9", "star:5",      "torus:3x3",
                                     "tree:2x2x2", "fattree:2x4", "random:8:20",
                                     "ring:6",     "mesh:2x3"};

typedef struct {
    mtree_collective_t collective;
    mtree_simulate_options_t options;
    mtree_least_time_call_t call;
} drawn_t;

/* A network, which is the test's, and a call, in which some ranks may have no block. */
static drawn_t draw(unsigned seed)
{
    static const double latencies[] = {0, 1e-6, 1e-3, 30e-3}, sizes[] = {8, 4000, 1e6};
    mtree_random_t random;
    mtree_generate_request_t request = {.capacity = 1e8, .seed = seed};
    drawn_t drawn = {.collective = (mtree_collective_t)(seed % MTREE_COLLECTIVE_LAST)};
    mtree_topology_t *network;

    mtree_random_init(&random, seed);
    request.latency = latencies[mtree_random_below(&random, 4)];
    unit_ok(mtree_generate(shapes[mtree_random_below(&random, 8)], &request, &network));
    given(network);
    for (int l = 0; l < topology->num_links; l++) {
        topology->links[l].latency *= 0.1 + mtree_random_fraction(&random);
        topology->links[l].capacity[0] *= 0.1 + mtree_random_fraction(&random);
        topology->links[l].capacity[1] *= 0.1 + mtree_random_fraction(&random);
    }
    mtree_simulate_default_options(&drawn.options);
    drawn.options.ranks_per_host = 1 + (int)mtree_random_below(&random, 2);
    drawn.options.root = (int)mtree_random_below(&random, (uint64_t)num_hosts);
    drawn.options.overhead = mtree_random_below(&random, 2) ? 20e-6 : 0;
    drawn.options.fold_rate = mtree_random_below(&random, 2) ? 2e7 : 0;
    drawn.options.bytes = (size_t)sizes[mtree_random_below(&random, 3)];
    drawn.call = (mtree_least_time_call_t){
        .collective = drawn.collective,
        .root = drawn.options.root,
        .bytes =
            mtree_simulate_planned_bytes(drawn.collective, &drawn.options, num_hosts),
        .costs = mtree_simulate_costs(topology, &drawn.options)};
    return drawn;
}

/* Is the least time, with what @a plan says of the cut, one? */
static void check_least(const drawn_t *drawn, const char *name, const mtree_plan_t *plan,
                        double seconds)
{
    mtree_least_time_call_t call = drawn->call;
    mtree_least_time_t time;

    call.cut = plan != NULL ? plan->bound : 0;
    unit_ok(mtree_least_time(topology, hosts, num_hosts, &call, &time));
    ck_assert_msg(time.seconds <= seconds * (1 + 1e-9),
                  "%s by %s on %s, %zu bytes: %g s, least %g by %s, %s",
                  mtree_collective_name(drawn->collective), name, topology->name,
                  drawn->options.bytes, seconds, time.seconds, mtree_bound_name(time.by),
                  time.limit);
    mtree_least_time_clear(&time);
}

static void run_plan(const drawn_t *drawn, const char *name)
{
    mtree_plan_request_t request = {.collective = drawn->collective,
                                    .algorithm = name,
                                    .root = drawn->options.root,
                                    .bytes = drawn->call.bytes,
                                    .max_trees = 5};
    mtree_simulate_result_t result;
    OWNED(plan) *plan = NULL;

    if (!mtree_algorithms_do(name, drawn->collective) ||
        mtree_planner_run(topology, hosts, num_hosts, &request, &plan) != MTREE_OK) {
        return;
    }
    if (mtree_simulate_plan(topology, hosts, num_hosts, plan, drawn->collective,
                            &drawn->options, &result) == MTREE_OK) {
        check_least(drawn, name, plan, result.seconds);
        mtree_simulate_result_clear(&result);
    }
}

static void run_baseline(const drawn_t *drawn, const mtree_baseline_t *baseline)
{
    mtree_simulate_result_t result;

    if (mtree_simulate_baseline(topology, hosts, num_hosts, baseline, &drawn->options,
                                &result) == MTREE_OK) {
        check_least(drawn, baseline->name, NULL, result.seconds);
        mtree_simulate_result_clear(&result);
    }
}

UNIT_LOOP(test_nothing_is_faster, 0, 54)
{
    drawn_t drawn = draw((unsigned)_i);
    const char *const *names = mtree_algorithms_names();
    const mtree_baseline_t *baselines;
    size_t num;

    /* Some algorithms are not for some networks, and say so. */
    for (int a = 0; names[a] != NULL; a++) {
        run_plan(&drawn, names[a]);
    }
    baselines = mtree_baselines(drawn.collective, &num);
    for (size_t b = 0; b < num; b++) {
        run_baseline(&drawn, &baselines[b]);
    }
}

UNIT_FIXTURE(NULL, forget)
