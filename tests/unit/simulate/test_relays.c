/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans with relays: worked examples, their bounds, and runs in the simulator. */
#include "papers/published/lp.h"
#include "papers/published/steiner.h"
#include "planner/relays/relays.h"
#include "simulate/forecast/choice.h"
#include "simulate/forecast/choice_relays.h"
#include "simulate/simulate.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

OWNED_TYPE(steiner_packing)

#define MBPS       1e6
#define MOST_HOSTS 16
#define DRAWINGS   20

static const mtree_collective_t served[] = {MTREE_ALLREDUCE, MTREE_REDUCE, MTREE_BCAST,
                                            MTREE_ALLGATHER, MTREE_REDUCE_SCATTER};

#define NUM_SERVED ((int)(sizeof(served) / sizeof(served[0])))

/* The first @a num of these vertices are active, the others may relay. */
typedef struct {
    int vertices[MOST_HOSTS];
    int num;
    mtree_plan_request_t request;
} job_t;

static job_t job_of(const mtree_topology_t *topology, int num,
                    mtree_collective_t collective)
{
    job_t job = {.num = num, .request = {.collective = collective}};

    for (int v = 0; v < topology->num_vertices; v++) {
        job.vertices[v] = v;
    }
    job.request.num_relays = topology->num_vertices - num;
    return job;
}

/* Bring vertex @a v to place @a at. */
static void job_swap(job_t *job, int at, int v)
{
    int i = at;

    while (job->vertices[i] != v) {
        i++;
    }
    job->vertices[i] = job->vertices[at];
    job->vertices[at] = v;
}

static mtree_plan_t *job_plan(job_t *job, const mtree_topology_t *topology)
{
    mtree_plan_t *plan;

    job->request.relays = job->vertices + job->num;
    unit_ok(
        mtree_choice_plan(topology, job->vertices, job->num, &job->request, &plan, NULL));
    ck_assert_int_eq(mtree_plan_num_active(plan), job->num);
    return plan;
}

/* It is well formed, with no relay as a leaf, and keeps the capacities. */
static void check_plan(const job_t *job, const mtree_topology_t *topology,
                       const mtree_plan_t *plan)
{
    int vertices[MOST_HOSTS];
    OWNED(routes) *routes = NULL;

    memcpy(vertices, job->vertices, sizeof(vertices));
    unit_ok(mtree_relays_find(plan, topology, vertices + job->num));
    unit_ok(mtree_routes_create(topology, vertices, plan->num_hosts, &routes));
    unit_ok(mtree_plan_check(plan, topology, routes));
}

/* Links of 100 Mb/s and a ms each between hosts h0, h1, ... */
#define LINKS(links)                                                                     \
    map_text("graph { edge [capacity=\"100Mbps\" latency=\"1ms\"] " links " }")

/* Hosts 0 and 1 and relay 2, each joined to each by 100 Mb/s: half goes around. */
UNIT_LOOP(a_relay_opens_a_second_way, 0, NUM_SERVED)
{
    OWNED(topology) *topology = LINKS("h0 -- h1 -- h2 -- h0");
    job_t job = job_of(topology, 2, served[_i]);
    double whole = mtree_collective_has_blocks(served[_i]) ? 400 : 200, cut;
    OWNED(plan) *plan = NULL;

    plan = job_plan(&job, topology);
    ck_assert_int_eq(plan->num_relays, 1);
    ck_assert_str_eq(plan->hosts[2], topology->vertices[2].host);
    ck_assert_double_eq_tol(plan->throughput, whole * MBPS, 1);
    ck_assert_double_eq_tol(plan->bound, whole * MBPS, 1e3);
    check_plan(&job, topology, plan);
    cut = mtree_relays_cut_bound(topology, job.vertices, 2, served[_i], 0);
    ck_assert_double_eq_tol(cut, whole * MBPS, 1);
}

/* Four hosts around relay 4, 100 Mb/s each.  Each link carries the sum to the relay once
 * and the result back once.  Without it two links of inner hosts carry everything twice,
 * of 2 (4 - 1) ends in all: 400 / 6 Mb/s. */
UNIT_TEST(a_relay_sums_up)
{
    OWNED(topology) *topology = LINKS("{h0 h1 h2 h3} -- h4");
    job_t job = job_of(topology, 4, MTREE_ALLREDUCE);
    OWNED(plan) *plan = job_plan(&job, topology), *alone = NULL;

    ck_assert_int_eq(plan->num_relays, 1);
    ck_assert_int_eq(plan->num_trees, 1);
    ck_assert_double_eq_tol(plan->throughput, 100 * MBPS, 1);
    job.request.num_relays = 0;
    alone = job_plan(&job, topology);
    ck_assert_int_eq(alone->num_relays, 0);
    ck_assert_double_eq_tol(alone->throughput, 400 * MBPS / 6, 1e4);
}

/* Where packets pass through host 2 anyway, and where it hangs behind host 1. */
UNIT_LOOP(a_relay_that_does_not_help_is_not_used, 0, 2 * NUM_SERVED)
{
    OWNED(topology) *topology =
        _i < NUM_SERVED ? LINKS("{h0 h1} -- {h2}") : LINKS("h0 -- h1 -- h2");
    job_t job = job_of(topology, 2, served[_i % NUM_SERVED]);
    OWNED(plan) *plan = job_plan(&job, topology);

    ck_assert_int_eq(plan->num_relays, 0);
}

/* On drawings of B4, each collective: as much as the bound, if trees are not limited, and
 * the bound of trees is no higher than that of cuts. */
UNIT_LOOP(plans_reach_the_bound_of_steiner_trees, 0, 20)
{
    OWNED(topology) *topology = network_b4((unsigned)_i);
    job_t job = job_of(topology, 3, served[_i % NUM_SERVED]);
    OWNED(plan) *plan = NULL;
    double cut;

    job.request.root = 1;
    plan = job_plan(&job, topology);
    check_plan(&job, topology, plan);
    if (plan->num_relays > 0) {
        ck_assert_double_ge(plan->throughput, 0.9 * plan->bound);
        ck_assert_double_le(plan->throughput, plan->bound * (1 + 1e-6));
        cut = mtree_relays_cut_bound(topology, job.vertices, job.num,
                                     served[_i % NUM_SERVED], 1);
        ck_assert_double_le(plan->bound, cut * (1 + 1e-3));
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What relays gain between the @a job's hosts. */
static double gain_of(job_t *job, const mtree_topology_t *topology)
{
    OWNED(plan) *with = job_plan(job, topology), *without = NULL;
    double gain;

    job->request.num_relays = 0;
    without = job_plan(job, topology);
    gain = with->throughput / without->throughput;
    job->request.num_relays = topology->num_vertices - job->num;
    return gain;
}

/* Of drawings of B4, so many of its 12 hosts: between pairs the median of the gain is at
 * least 1.6, between four it is at least 1.4 on half of the drawings. */
UNIT_LOOP(parts_of_b4_gain, 0, 4)
{
    const mtree_collective_t collective = _i % 2 == 0 ? MTREE_BCAST : MTREE_ALLREDUCE;
    const int hosts = _i < 2 ? 2 : 4;
    double gains[DRAWINGS], median;

    for (int i = 0; i < DRAWINGS; i++) {
        OWNED(topology) *topology = network_b4(500 * (unsigned)hosts + (unsigned)i);
        job_t job = job_of(topology, hosts, collective);

        job.request.max_trees = 10;
        for (int k = 0; k < hosts; k++) {
            job_swap(&job, k, (i + (hosts == 2 ? k * (1 + i % 11) : 3 * k)) % 12);
        }
        gains[i] = gain_of(&job, topology);
        ck_assert_double_ge(gains[i], 1 - 1e-6);
    }
    qsort(gains, DRAWINGS, sizeof(*gains), compare_doubles);
    median = (gains[DRAWINGS / 2 - 1] + gains[DRAWINGS / 2]) / 2;
    printf("%s between %d hosts: gain %.2f to %.2f, median %.2f\n",
           mtree_collective_name(collective), hosts, gains[0], gains[DRAWINGS - 1],
           median);
    ck_assert_double_ge(hosts == 2 ? median : gains[DRAWINGS / 2],
                        hosts == 2 ? 1.6 : 1.4);
}

/* Relays without data of their own, two ranks on each other host. */
UNIT_LOOP(relays_run_in_the_simulator, 0, NUM_SERVED)
{
    OWNED(topology) *topology = network_b4(7);
    job_t job = job_of(topology, 3, served[_i]);
    mtree_simulate_options_t options;
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result;
    OWNED(plan) *plan = job_plan(&job, topology);

    ck_assert_int_gt(plan->num_relays, 0);
    mtree_simulate_default_options(&options);
    options.bytes = 600000;
    options.ranks_per_host = 2;
    unit_ok(mtree_simulate_plan(topology, job.vertices, job.num, plan, served[_i],
                                &options, &result));
    ck_assert_double_gt(result.seconds, 0);
}

/* For a long message the simulator finds that relays pay; for a short one they do not. */
UNIT_LOOP(the_simulator_chooses, 0, 2)
{
    OWNED(topology) *topology = network_b4(7);
    job_t job = job_of(topology, 2, MTREE_BCAST);
    OWNED(plan) *plan = NULL;

    job.request.bytes = _i == 0 ? 64e6 : 100;
    plan = job_plan(&job, topology);
    ck_assert_int_eq(plan->num_relays > 0, _i == 0);
}

/* Sixteen hosts, each joined to each, of which four are active: four trees fill few of
 * the links.  A short message needs no others. */
UNIT_LOOP(many_ways_take_many_trees, 0, 2)
{
    OWNED(topology) *topology = map_shape("random:16:120", 10 * MBPS, 1e-3);
    job_t job = job_of(topology, 4, MTREE_ALLREDUCE);
    OWNED(plan) *plan = NULL;

    job.request.max_trees = 4;
    job.request.bytes = _i == 0 ? 16 << 20 : 20 << 10;
    plan = job_plan(&job, topology);
    if (_i == 0) {
        ck_assert_int_gt(plan->num_relays, 0);
        ck_assert_int_gt(plan->num_trees, 4);
        ck_assert_int_le(plan->num_trees, 4 * MTREE_CHOICE_MORE_TREES);
    } else {
        ck_assert_int_le(plan->num_trees, 4);
    }
}

/* What is predicted of a call has to gain more than what is carried. */
UNIT_TEST(small_gains_are_none)
{
    mtree_plan_t with = {.bytes = 1e6, .seconds = 1, .throughput = 1.04},
                 without = {.bytes = 1e6, .seconds = 1.09, .throughput = 1};

    ck_assert(!mtree_relays_gain(&with, &without));
    without.seconds = 1.11;
    ck_assert(mtree_relays_gain(&with, &without));
    without.bytes = 0;
    ck_assert(mtree_relays_gain(&with, &without));
    with.throughput = 1.02;
    ck_assert(!mtree_relays_gain(&with, &without));
}

/* A host that is active, one that is there twice, and none. */
UNIT_LOOP(other_relays_are_refused, 0, 3)
{
    static const int relays[][2] = {{0, 2}, {2, 2}, {2, 99}};
    OWNED(topology) *topology = network_b4(7);
    job_t job = job_of(topology, 2, MTREE_BCAST);
    mtree_plan_t *plan;

    job.request.relays = relays[_i];
    job.request.num_relays = 2;
    unit_invalid(
        mtree_choice_plan(topology, job.vertices, job.num, &job.request, &plan, NULL));
    ck_assert_int_eq(heard_lines(), 1);
    heard_text("give hosts of ");
}

UNIT_SECONDS(120)

UNIT_NEEDS(mtree_lp_is_available())

/* Linear program (5) of the topology-adaptive paper, on its own, finds the same for a
 * broadcast between part of a 4x4 torus. */
UNIT_LOOP(the_papers_program_finds_the_same, 0, 4)
{
    OWNED(topology) *topology = map_shape("torus:4x4", 100 * MBPS, 0);
    job_t job = job_of(topology, 2 + _i, MTREE_BCAST);
    OWNED(plan) *plan = job_plan(&job, topology);
    OWNED(steiner_packing) *packing = NULL;
    const mtree_steiner_request_t request = {.topology = topology,
                                             .hosts = job.vertices,
                                             .num_hosts = topology->num_vertices,
                                             .num_active = job.num,
                                             .mode = MTREE_STEINER_BROADCAST};
    unit_ok(mtree_steiner_pack(&request, &packing));
    ck_assert_double_eq_tol(plan->bound, packing->chi, 1e-3 * packing->chi);
    ck_assert_double_ge(plan->throughput, 0.96 * packing->chi);
}
