/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/steiner_baselines.h"
#include "papers/baselines/steiner_machines.h"
#include "papers/published/algorithms.h"
#include "papers/published/lp.h"
#include "papers/published/steiner.h"
#include "planner/planner.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

OWNED_TYPE(steiner_packing)

static mtree_topology_t *make_machines(int num_machines, int num_gpus, double inside,
                                       double outside)
{
    mtree_steiner_machines_t machines = {num_machines, num_gpus, inside, outside};
    mtree_topology_t *topology;

    unit_ok(mtree_steiner_machines_create(&machines, &topology));
    return topology;
}

/* A complete graph whose arcs have capacities of 1 to 5, each way its own. */
static mtree_topology_t *draw_network(int n, unsigned seed)
{
    mtree_topology_t *topology = network_hosts(n);

    srand(seed);
    for (int u = 0; u < n; u++) {
        for (int v = u + 1; v < n; v++) {
            double forward = 1 + rand() % 5, backward = 1 + rand() % 5;

            unit_ok(
                mtree_topology_add_link(topology, u, v, forward, backward, 0.001, NULL));
        }
    }
    return topology;
}

/* The vertices in order, the first @a num_active of them active. */
static mtree_steiner_packing_t *pack(const mtree_topology_t *topology, int num_active,
                                     mtree_steiner_mode_t mode, int root)
{
    mtree_steiner_request_t request = {
        topology, map_vertices, topology->num_vertices, num_active, mode, root, 0.0};
    mtree_steiner_packing_t *packing;

    unit_ok(mtree_steiner_pack(&request, &packing));
    return packing;
}

/* The largest part of any arc's capacity that trees of the stages in @a stages use; every
 * edge must be a link. */
static double largest_use(const mtree_topology_t *topology,
                          const mtree_steiner_packing_t *packing, unsigned stages)
{
    double largest = 0;

    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        int from = mtree_arc_from(topology, arc);
        int to = mtree_arc_to(topology, arc);
        double sum = 0;

        for (int t = 0; t < packing->num_trees; t++) {
            const mtree_steiner_tree_t *tree = &packing->trees[t];
            bool inward = tree->stage == MTREE_STEINER_STAGE_REDUCE;

            if ((stages >> tree->stage & 1u) != 0 &&
                (inward ? tree->parent[from] == to : tree->parent[to] == from)) {
                sum += tree->weight;
            }
        }
        largest = fmax(largest, sum / mtree_arc_capacity(topology, arc));
    }
    return largest;
}

/* Weight of the trees of root @a root (-1: all) and the stages in @a stages. */
static double weight_of(const mtree_steiner_packing_t *packing, int root, unsigned stages)
{
    double sum = 0;

    for (int t = 0; t < packing->num_trees; t++) {
        const mtree_steiner_tree_t *tree = &packing->trees[t];

        if ((root < 0 || tree->root == root) && (stages >> tree->stage & 1u) != 0) {
            sum += tree->weight;
        }
    }
    return sum;
}

static void check_trees(const mtree_steiner_packing_t *packing, int num_active)
{
    for (int t = 0; t < packing->num_trees; t++) {
        const mtree_steiner_tree_t *tree = &packing->trees[t];

        ck_assert_int_lt(tree->root, num_active);
        for (int v = 0; v < packing->num_hosts; v++) {
            int at = v;

            if (v >= num_active && tree->parent[v] == MTREE_STEINER_ABSENT) {
                continue;
            }
            for (int hops = 0; at != tree->root && hops < packing->num_hosts; hops++) {
                at = tree->parent[at];
                ck_assert_int_ge(at, 0);
            }
            ck_assert_int_eq(at, tree->root);
        }
    }
}

#define REDUCE  (1u << MTREE_STEINER_STAGE_REDUCE)
#define OVERLAP (1u << MTREE_STEINER_STAGE_OVERLAP)
#define FINAL   (1u << MTREE_STEINER_STAGE_FINAL)

UNIT_TEST(test_bad_requests)
{
    OWNED(topology) *topology = make_machines(1, 4, 1, 1);
    mtree_steiner_request_t request = {
        topology, map_vertices, 4, 1, MTREE_STEINER_SEPARATE, -1, 0};
    mtree_steiner_machines_t machines = {1, 5, 1, 1};
    mtree_steiner_packing_t *packing = NULL;
    mtree_topology_t *none = NULL;

    unit_invalid(mtree_steiner_pack(&request, &packing));
    request.num_active = 5;
    unit_invalid(mtree_steiner_pack(&request, &packing));
    request.num_active = 3;
    request.root = 3;
    unit_invalid(mtree_steiner_pack(&request, &packing));
    ck_assert_ptr_null(packing);
    unit_invalid(mtree_steiner_machines_create(&machines, &none));
    ck_assert_ptr_null(none);
}

UNIT_FIXTURE(mtree_published_add, NULL)

UNIT_NEEDS(mtree_lp_is_available())

/*
 * Both programs on drawn networks with one-way capacities: the constraints (8a) to (8e)
 * hold, and the prices, for which the oracle (test_steiner_tree: against all trees) found
 * no cheaper tree, prove the optimum.  Relays never harm and overlap never does.
 */
UNIT_TEST(test_constraints_and_optimum)
{
    for (unsigned seed = 1; seed <= 12; seed++) {
        OWNED(topology) *topology = draw_network(6, seed);
        int num_active = 2 + (int)(seed % 5);
        OWNED(steiner_packing) *separate =
            pack(topology, num_active, MTREE_STEINER_SEPARATE, -1);
        OWNED(steiner_packing) *overlapped =
            pack(topology, num_active, MTREE_STEINER_OVERLAPPED, -1);

        ck_assert_double_eq_tol(separate->bound, separate->chi, 1e-6 * separate->chi);
        ck_assert_double_eq_tol(overlapped->bound, overlapped->chi,
                                1e-6 * overlapped->chi);
        ck_assert_double_ge(overlapped->chi, separate->chi * (1 - 1e-6));
        check_trees(overlapped, num_active);
        ck_assert_double_le(largest_use(topology, separate, REDUCE), 1 + 1e-6);
        ck_assert_double_le(largest_use(topology, separate, FINAL), 1 + 1e-6);
        ck_assert_double_le(largest_use(topology, overlapped, REDUCE | OVERLAP),
                            1 + 1e-6);
        ck_assert_double_le(largest_use(topology, overlapped, FINAL), 1 + 1e-6);
        for (int root = 0; root < num_active; root++) {
            ck_assert_double_eq_tol(weight_of(overlapped, root, REDUCE),
                                    weight_of(overlapped, root, OVERLAP | FINAL),
                                    1e-6 * overlapped->chi);
        }
        ck_assert_double_eq_tol(weight_of(overlapped, -1, REDUCE), overlapped->chi,
                                1e-6 * overlapped->chi);
    }
}

/* Equal links: the star of every worker uses them all (Section VI-B), chi = N b. */
UNIT_TEST(test_equal_links)
{
    OWNED(topology) *topology = make_machines(2, 4, 100, 100);
    OWNED(steiner_packing) *packing = pack(topology, 8, MTREE_STEINER_BROADCAST, -1);

    ck_assert_double_eq_tol(packing->chi, 800, 1e-4);
}

/*
 * Two machines of four, 100 inside, 10 between: all that chi can cross is the 16 links
 * each way, 320. One active worker in each of four machines: each has 3 * 100 + 12 * 10
 * out, and a tree leaves three of the four: chi = 4 * 420 / 3, with relays; without, 4
 * * 10.
 */
UNIT_TEST(test_machines)
{
    OWNED(topology) *two = make_machines(2, 4, 100, 10);
    OWNED(steiner_packing) *packing = pack(two, 8, MTREE_STEINER_OVERLAPPED, -1);
    OWNED(topology) *four = make_machines(4, 4, 100, 10);
    int hosts[16] = {0, 4, 8, 12, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15};
    mtree_steiner_request_t request = {four, hosts, 16, 4, MTREE_STEINER_SEPARATE, -1, 0};

    ck_assert_double_eq_tol(packing->chi, 320, 1e-4);
    mtree_steiner_packing_destroy(packing);

    unit_ok(mtree_steiner_pack(&request, &packing));
    ck_assert_double_eq_tol(packing->chi, 560, 1e-4);
    mtree_steiner_packing_destroy(packing);
    request.num_hosts = 4;
    unit_ok(mtree_steiner_pack(&request, &packing));
    ck_assert_double_eq_tol(packing->chi, 40, 1e-4);
}

/* Baselines by hand on 2 x 4 workers, 100 inside, 10 between, for 1 bit. */
UNIT_TEST(test_baselines)
{
    mtree_steiner_machines_t machines = {2, 4, 100, 10};
    OWNED(topology) *topology = make_machines(2, 4, 100, 10);
    static const double expected[MTREE_BASELINE_LAST] = {
        [MTREE_BASELINE_BLINK] = 2.0 / 400 + 1.0 / 4 / 10,
        [MTREE_BASELINE_PLINK] = 2.0 / 100 + 1.0 / 10,
        [MTREE_BASELINE_RING] = 2.0 * 7 / 8 / 10,
        [MTREE_BASELINE_DOUBLE_TREE] = 0.5 / 10,
        [MTREE_BASELINE_PARAMETER_SERVER] = 2.0 / 8 / 10,
    };

    for (int b = 0; b < MTREE_BASELINE_LAST; b++) {
        double seconds;

        unit_ok(mtree_steiner_baseline_seconds(topology, &machines, map_vertices, 8, b,
                                               1.0 / 8, &seconds));
        ck_assert_double_eq_tol(seconds, expected[b], 1e-6);
    }
}

/* The planner's form of it: a broadcast reaches min-cut (Edmonds), an allreduce half of
 * chi. */
UNIT_TEST(test_plans)
{
    OWNED(topology) *topology = make_machines(2, 4, 100e6, 10e6);
    mtree_plan_request_t request = {.collective = MTREE_BCAST, .algorithm = "steiner"};
    OWNED(routes) *routes = NULL;
    OWNED(plan) *plan = network_plan(topology, &request);

    ck_assert_double_ge(plan->throughput, 160e6 * 0.98);
    ck_assert_double_le(plan->throughput, 160e6 * 1.0001);
    mtree_plan_destroy(plan);

    request.collective = MTREE_ALLREDUCE;
    plan = network_plan(topology, &request);
    ck_assert_double_ge(plan->throughput, 160e6 * 0.95);
    mtree_plan_destroy(plan);

    /* Two active workers of different machines: relays stand between them in the routes
     * only. */
    unit_ok(mtree_routes_create(topology, map_vertices + 3, 2, &routes));
    unit_ok(mtree_planner_run(topology, map_vertices + 3, 2, &request, &plan));
    unit_ok(mtree_plan_check(plan, topology, routes));
    ck_assert_double_eq_tol(plan->throughput, 10e6, 1);
}
