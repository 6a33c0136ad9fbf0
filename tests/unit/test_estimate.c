/*
 * What short messages are expected to cost over trees and by Open MPI's algorithms.
 */
#include "coll_mtree/coll_mtree_estimate.h"
#include "planner/planner.h"
#include "topo/topology_file.h"

#include <check.h>
#include <stdlib.h>

#define MAX_HOSTS 16
#define MESSAGE   30e-6

static mtree_topology_t *topology;
static int hosts[MAX_HOSTS], num_hosts;

static void read_topology(const char *path)
{
    ck_assert_int_eq(mtree_topology_read(path, &topology), MTREE_OK);
    num_hosts = 0;
    for (int vertex = 0; vertex < topology->num_vertices; vertex++) {
        if (topology->vertices[vertex].kind == MTREE_VERTEX_HOST) {
            hosts[num_hosts++] = vertex;
        }
    }
}

static double fallback(mtree_collective_t collective, double bytes)
{
    return coll_mtree_estimate_fallback(topology, hosts, num_hosts, collective, bytes);
}

/* The estimate of an allreduce planned by @a algorithm, and what it predicts itself. */
static double planned(const char *algorithm, double bytes, double *seconds_p)
{
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE,
                                    .algorithm = algorithm,
                                    .max_trees = 10,
                                    .bytes = bytes};
    mtree_plan_t *plan;
    double estimate;

    ck_assert_int_eq(mtree_planner_run(topology, hosts, num_hosts, &request, &plan),
                     MTREE_OK);
    estimate = coll_mtree_estimate_plan(plan);
    *seconds_p = plan->seconds;
    mtree_plan_destroy(plan);
    return estimate;
}

START_TEST(a_star_without_latency_is_left_to_open_mpi)
{
    double wire = 8 * 1024 / 1e9, seconds;

    read_topology(TOPOLOGIES "/star-8.dot");
    ck_assert_int_eq(num_hosts, 8);
    /* Three rounds of two messages' work and all bytes; of 1, 2 and 4 eighths. */
    ck_assert_double_eq_tol(fallback(MTREE_ALLREDUCE, 1024), 3 * (2 * MESSAGE + wire),
                            1e-12);
    ck_assert_double_eq_tol(fallback(MTREE_ALLGATHER, 1024),
                            3 * 2 * MESSAGE + 7 * wire / 8, 1e-12);
    /* Large ones by halving and doubling. */
    ck_assert_double_eq_tol(fallback(MTREE_ALLREDUCE, 1024e3),
                            2 * (3 * 2 * MESSAGE + 7e3 * wire / 8), 1e-12);

    /* One tree, whose root talks to three others, both ways. */
    ck_assert_double_eq_tol(planned("latency", 1024, &seconds) - seconds, 6 * MESSAGE,
                            1e-12);
    ck_assert_double_gt(seconds + 6 * MESSAGE, fallback(MTREE_ALLREDUCE, 1024));
    mtree_topology_destroy(topology);
}
END_TEST

START_TEST(the_busiest_host_counts)
{
    static const char *const names[] = {"a", "b", "c"};
    mtree_plan_t *plan;

    ck_assert_int_eq(mtree_plan_create(MTREE_ALLREDUCE, "test", 3, names, 2, &plan),
                     MTREE_OK);
    plan->bytes = 4000;
    plan->seconds = 1;
    for (int t = 0; t < 2; t++) {
        plan->trees[t].root = t;
        plan->trees[t].share = 0.5;
        plan->trees[t].chunk_bytes = 1000;
        plan->trees[t].parent[1 - t] = plan->trees[t].parent[2] = t;
    }
    /* Two chunks both ways: to two neighbours in the one tree, to one in the other. */
    ck_assert_double_eq_tol(coll_mtree_estimate_plan(plan), 1 + 2 * 2 * 3 * MESSAGE,
                            1e-12);
    mtree_plan_destroy(plan);
}
END_TEST

START_TEST(trees_serve_a_wan)
{
    double seconds;

    read_topology(TOPOLOGIES "/b4.dot");
    ck_assert_int_eq(num_hosts, 12);
    for (double bytes = 8; bytes <= COLL_MTREE_ESTIMATED_BYTES; bytes *= 2) {
        ck_assert_double_lt(planned("latency", bytes, &seconds),
                            fallback(MTREE_ALLREDUCE, bytes));
    }
    mtree_topology_destroy(topology);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("estimate");
    TCase *estimates = tcase_create("estimates");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(estimates, a_star_without_latency_is_left_to_open_mpi);
    tcase_add_test(estimates, the_busiest_host_counts);
    tcase_add_test(estimates, trees_serve_a_wan);
    suite_add_tcase(suite, estimates);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
