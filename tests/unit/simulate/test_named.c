/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nothing that a user can name is clearly faster in the simulator than what mtree chooses
 * by itself.  make check runs some networks; with MTREE_TEST_ALL_NETWORKS set (make
 * check-chooser) all are run, with more sizes, which takes minutes.
 */
#include "planner/algorithms.h"
#include "simulate/forecast/choice.h"
#include "simulate/forecast/prediction.h"
#include "simulate/simulate.h"
#include "tests/unit/given.h"

/* What the choice may take longer than the best by name. */
#define MOST 1.05

/* Networks, all of them and first those of every run.  A file's rates are multiplied. */
static const struct {
    const char *shape;
    double rate, latency; /* bits/s, seconds; of a file the factor */
} networks[] = {{"/../examples/sites.dot", 1, 0},
                {"/b4.dot", 1, 0},
                {"torus:4x4", 10e9, 10e-6},
                {"tree:2x2x2", 1e8, 50e-6},
                {"random:8:14", 200e6, 5e-3},
                {"/../examples/sites.dot", 10, 0},
                {"/cloud-dtfm.dot", 1, 0},
                {"/abilene.dot", 1, 0},
                {"/star-8.dot", 1, 0},
                {"torus:8x8", 10e9, 2e-6},
                {"torus:4x4", 200e6, 5e-3},
                {"tree:2x2x4", 10e9, 5e-6},
                {"fattree:4x4", 10e9, 5e-6},
                {"ring:8", 1e9, 50e-6},
                {"random:16:40", 200e6, 5e-3},
                {"star:12", 100e9, 1e-6},
                {"mesh:3x3", 100e9, 1e-6}};

#define NUM_NETWORKS ((int)(sizeof(networks) / sizeof(networks[0])))
#define NUM_USUAL    3

static const double sizes[] = {1 << 10, 1 << 20, 8, 64 << 10, 16 << 20};

#define NUM_SIZES       ((int)(sizeof(sizes) / sizeof(sizes[0])))
#define NUM_USUAL_SIZES 2

static bool runs_all(void)
{
    return getenv("MTREE_TEST_ALL_NETWORKS") != NULL;
}

static void open_network(int n)
{
    char path[512];

    if (networks[n].shape[0] != '/') {
        given_routes(map_shape(networks[n].shape, networks[n].rate, networks[n].latency));
        return;
    }
    (void)snprintf(path, sizeof(path), "%s%s", TOPOLOGIES, networks[n].shape);
    given(map_file(path));
    for (int l = 0; l < topology->num_links; l++) {
        map_scale(topology, l, networks[n].rate);
    }
    given_all_links();
}

static bool sends_whole(const mtree_plan_request_t *request, const mtree_plan_t *plan)
{
    const mtree_prediction_t on = {topology, hosts, num_hosts, request, routes};
    mtree_prediction_load_t load = mtree_prediction_load(&on, plan);

    return load.sends_whole;
}

static double seconds_of(const mtree_plan_request_t *request)
{
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result;
    mtree_simulate_options_t options;
    OWNED(plan) *plan = NULL;

    unit_ok(mtree_choice_plan(topology, hosts, num_hosts, request, &plan, NULL));
    mtree_simulate_default_options(&options);
    options.bytes = (size_t)request->bytes;
    unit_ok(mtree_simulate_plan(topology, hosts, num_hosts, plan, request->collective,
                                &options, &result));
    return result.seconds * (sends_whole(request, plan) ? MTREE_PREDICTION_WHOLE : 1.0);
}

static void check_cell(const char *network, mtree_collective_t collective, double bytes)
{
    mtree_plan_request_t request = {
        .collective = collective, .max_trees = 10, .bytes = bytes, .seed = 1};
    const char *const *names = mtree_algorithms_names();
    const double chosen = seconds_of(&request);

    for (int a = 0; names[a] != NULL; a++) {
        double named;

        if (mtree_algorithms_effort(names[a]) == MTREE_BY_NAME ||
            !mtree_algorithms_fit(names[a], topology, num_hosts, &request)) {
            continue;
        }
        request.algorithm = names[a];
        named = seconds_of(&request);
        ck_assert_msg(chosen <= MOST * named,
                      "%s, %s of %.0f bytes: %g s, but %g s with %s", network,
                      mtree_collective_name(collective), bytes, chosen, named, names[a]);
        request.algorithm = NULL;
    }
}

UNIT_LOOP(nothing_named_is_faster, 0, runs_all() ? NUM_NETWORKS : NUM_USUAL)
{
    const int most = runs_all() ? NUM_SIZES : NUM_USUAL_SIZES;

    open_network(_i);
    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        for (int s = 0; s < most; s++) {
            check_cell(networks[_i].shape, (mtree_collective_t)c, sizes[s]);
        }
    }
}

UNIT_FIXTURE(NULL, forget)
UNIT_SECONDS(runs_all() ? 1800 : 120)
