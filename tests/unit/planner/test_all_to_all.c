/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What scatter, gather and all-to-all can carry: against closed forms of regular
 * networks, published figures, cuts and a linear program over flows.  A plan's bound and
 * its throughput are the same in all of them.
 */
#include "tests/unit/planner/networks.h"

#include "planner/solver/lp.h"
#include "topo/generators.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CAPACITY 1e9

#define CLOSE 1e-5

static double throughput(const mtree_topology_t *topology, mtree_collective_t collective,
                         int root)
{
    mtree_plan_request_t request = {
        .collective = collective, .algorithm = "packing", .root = root};
    mtree_plan_t *plan = network_plan(topology, &request);
    double result = plan->throughput;

    ck_assert_double_le(plan->throughput, plan->bound * (1 + 1e-9));
    ck_assert_double_ge(plan->throughput, plan->bound * (1 - CLOSE));
    ck_assert_ptr_nonnull(plan->limit);
    mtree_plan_destroy(plan);
    return result;
}

static mtree_topology_t *shape(const char *name)
{
    const mtree_generate_request_t request = {.capacity = CAPACITY, .seed = 1};
    mtree_topology_t *topology;

    ck_assert_int_eq(mtree_generate(name, &request, &topology), MTREE_OK);
    return topology;
}

/* Hosts 0 .. @a num_hosts - 1, joined where @a are_joined says so. */
static mtree_topology_t *graph(int num_hosts, bool (*are_joined)(int, int))
{
    mtree_topology_t *topology;
    char name[16];

    ck_assert_int_eq(mtree_topology_create("graph", "test", &topology), MTREE_OK);
    for (int i = 0; i < num_hosts; i++) {
        snprintf(name, sizeof(name), "h%d", i);
        ck_assert_int_eq(
            mtree_topology_add_vertex(topology, name, NULL, MTREE_VERTEX_HOST, NULL),
            MTREE_OK);
    }
    for (int i = 0; i < num_hosts; i++) {
        for (int j = i + 1; j < num_hosts; j++) {
            if (are_joined(i, j)) {
                ck_assert_int_eq(
                    mtree_topology_add_link(topology, i, j, CAPACITY, CAPACITY, 0, NULL),
                    MTREE_OK);
            }
        }
    }
    return topology;
}

static bool by_hypercube(int i, int j)
{
    return __builtin_popcount((unsigned)(i ^ j)) == 1;
}

static bool by_bipartite(int i, int j)
{
    return (i ^ j) & 1;
}

static bool by_all(int i, int j)
{
    return i != j;
}

static void check_all_to_all(mtree_topology_t *topology, double expected)
{
    double result = throughput(topology, MTREE_ALLTOALL, 0) / CAPACITY;

    ck_assert_double_eq_tol(result, expected, CLOSE * expected);
    mtree_topology_destroy(topology);
}

/*
 * Uniform traffic on a k-ary n-cube with one link each way: 8 / k of a link per host
 * where k is even, 8 k / (k^2 - 1) where it is odd (W. J. Dally, B. Towles, Principles
 * and Practices of Interconnection Networks, 2004, table 5.1).  A ring has one dimension.
 */
START_TEST(rings_and_tori)
{
    static const struct {
        const char *shape;
        int k;
    } cases[] = {{"ring:4", 4},    {"ring:5", 5},      {"ring:8", 8},
                 {"ring:13", 13},  {"torus:3x3", 3},   {"torus:4x4", 4},
                 {"torus:5x5", 5}, {"torus:3x3x3", 3}, {"torus:6x6", 6}};
    int k = cases[_i].k;

    check_all_to_all(shape(cases[_i].shape),
                     k % 2 == 0 ? 8.0 / k : 8.0 * k / (k * k - 1));
}
END_TEST

/* The distances from a host to all others add up to d 2^(d - 1), over its d links. */
START_TEST(hypercubes)
{
    check_all_to_all(graph(1 << _i, by_hypercube), 2);
}
END_TEST

/* Four hosts at one hop and three at two, over four links: 10 / 4 blocks per link, of 8.
 */
START_TEST(complete_bipartite)
{
    check_all_to_all(graph(8, by_bipartite), 8 / 2.5);
}
END_TEST

START_TEST(complete)
{
    check_all_to_all(graph(9, by_all), 9);
}
END_TEST

/* All but its own block enters a host over one link. */
START_TEST(full_switch)
{
    mtree_topology_t *topology = shape("star:8");

    ck_assert_double_eq_tol(throughput(topology, MTREE_SCATTER, 3), CAPACITY * 8 / 7,
                            CLOSE * CAPACITY);
    ck_assert_double_eq_tol(throughput(topology, MTREE_GATHER, 3), CAPACITY * 8 / 7,
                            CLOSE * CAPACITY);
    check_all_to_all(topology, 8.0 / 7);
}
END_TEST

/* The least of what crosses into a set of hosts without the root, or (@a out) out of it,
 * over the hosts in it, by trying every set. */
static double least_cut(const mtree_topology_t *topology, int root, bool out)
{
    int num_hosts = topology->num_vertices;
    double least = INFINITY;

    for (unsigned set = 1; set < 1u << num_hosts; set++) {
        double crossing = 0;

        if (set >> root & 1) {
            continue;
        }
        for (int arc = 0; arc < 2 * topology->num_links; arc++) {
            bool from = set >> mtree_arc_from(topology, arc) & 1;
            bool to = set >> mtree_arc_to(topology, arc) & 1;

            crossing += from == out && to == !out ? mtree_arc_capacity(topology, arc) : 0;
        }
        least = fmin(least, crossing / __builtin_popcount(set));
    }
    return least * num_hosts;
}

START_TEST(rooted_ones_reach_the_least_cut)
{
    int num_hosts = 4 + _i % 6;
    mtree_topology_t *topology =
        network_random(num_hosts, num_hosts + _i % 3, 50 + (unsigned)_i, _i % 2 == 0, 0);

    for (int root = 0; root < num_hosts; root++) {
        double scatter = least_cut(topology, root, false);
        double gather = least_cut(topology, root, true);

        ck_assert_double_eq_tol(throughput(topology, MTREE_SCATTER, root), scatter,
                                CLOSE * scatter);
        ck_assert_double_eq_tol(throughput(topology, MTREE_GATHER, root), gather,
                                CLOSE * gather);
    }
    mtree_topology_destroy(topology);
}
END_TEST

/* The maximum concurrent flow: a flow from each host that leaves x at every other host,
 * over links between hosts. */
static double concurrent_flow(const mtree_topology_t *topology)
{
    int num_hosts = topology->num_vertices, num_arcs = 2 * topology->num_links;
    int *rows = malloc((size_t)(num_hosts * num_hosts + 1) * sizeof(*rows));
    double *values = malloc((size_t)(num_hosts * num_hosts + 1) * sizeof(*values));
    double result;
    int count = 0;
    mtree_lp_t *lp;

    ck_assert_int_eq(mtree_lp_create(&lp), MTREE_OK);
    /* What host s sends leaves x at host v: row s num_hosts + v; then the arcs. */
    mtree_lp_add_rows(lp, num_hosts * num_hosts, 0, INFINITY);
    for (int arc = 0; arc < num_arcs; arc++) {
        mtree_lp_add_rows(lp, 1, -INFINITY, mtree_arc_capacity(topology, arc) / CAPACITY);
    }
    for (int s = 0; s < num_hosts; s++) {
        mtree_lp_bound_row(lp, s * num_hosts + s, -INFINITY, INFINITY);
        for (int v = 0; v < num_hosts; v++) {
            if (v != s) {
                rows[count] = s * num_hosts + v;
                values[count++] = -1;
            }
        }
    }
    mtree_lp_add_column(lp, 1, count, rows, values);
    for (int s = 0; s < num_hosts; s++) {
        for (int arc = 0; arc < num_arcs; arc++) {
            int ends[] = {s * num_hosts + mtree_arc_from(topology, arc),
                          s * num_hosts + mtree_arc_to(topology, arc),
                          num_hosts * num_hosts + arc};
            double flow[] = {-1, 1, 1};

            mtree_lp_add_column(lp, 0, 3, ends, flow);
        }
    }
    ck_assert_int_eq(mtree_lp_solve(lp), MTREE_OK);
    result = mtree_lp_objective(lp) * CAPACITY;
    mtree_lp_destroy(lp);
    free(rows);
    free(values);
    return result;
}

START_TEST(all_to_all_is_the_maximum_concurrent_flow)
{
    int num_hosts = 4 + _i;
    mtree_topology_t *topology =
        network_random(num_hosts, num_hosts * 3 / 2, 80 + (unsigned)_i, _i % 2 == 0, 0);
    double expected;

    if (mtree_lp_is_available()) {
        expected = concurrent_flow(topology) * num_hosts;
        ck_assert_double_eq_tol(throughput(topology, MTREE_ALLTOALL, 0), expected,
                                CLOSE * expected);
    }
    mtree_topology_destroy(topology);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("all_to_all");
    TCase *tcase = tcase_create("all_to_all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, rings_and_tori, 0, 9);
    tcase_add_loop_test(tcase, hypercubes, 2, 6);
    tcase_add_test(tcase, complete_bipartite);
    tcase_add_test(tcase, complete);
    tcase_add_test(tcase, full_switch);
    tcase_add_loop_test(tcase, rooted_ones_reach_the_least_cut, 0, 12);
    tcase_add_loop_test(tcase, all_to_all_is_the_maximum_concurrent_flow, 0, 10);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
