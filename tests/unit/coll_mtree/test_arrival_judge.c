/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether calls go over trees or are arrival-ordered, and when that is simulated.
 */
#include "coll_mtree/adapt/arrival_judge.h"
#include "topo/dot/read.h"

#include <check.h>
#include <stdlib.h>

#define BYTES 4e6

static coll_mtree_arrival_judge_t judge;

/* A simulation of hosts that came @a spread apart. */
static void simulated(double spread)
{
    judge.spread = spread;
    judge.reused = 0;
}

START_TEST(hosts_that_come_together_need_no_simulation)
{
    coll_mtree_arrival_judge_init(&judge);
    ck_assert_int_eq(coll_mtree_arrival_judge_ground(&judge, 0.099, 1),
                     COLL_MTREE_ARRIVAL_TOGETHER);
    coll_mtree_arrival_judge_together(&judge, 1);
    ck_assert_double_eq(judge.trees.stay, 1);
    ck_assert_double_eq(judge.arrival.end, 1);
    ck_assert(!coll_mtree_arrival_judge_decide(&judge));
    ck_assert(!judge.choice.by_arrival);
}
END_TEST

START_TEST(the_first_call_is_simulated)
{
    coll_mtree_arrival_judge_init(&judge);
    ck_assert_int_eq(coll_mtree_arrival_judge_ground(&judge, 0.1, 1),
                     COLL_MTREE_ARRIVAL_SIMULATE);
}
END_TEST

START_TEST(a_simulation_stands_for_some_calls_about_as_far_apart)
{
    coll_mtree_arrival_judge_init(&judge);
    simulated(1);
    for (int call = 0; call < 7; call++) {
        ck_assert_int_eq(
            coll_mtree_arrival_judge_ground(&judge, call % 2 == 0 ? 1.5 : 0.667, 1),
            COLL_MTREE_ARRIVAL_REUSE);
    }
    ck_assert_int_eq(coll_mtree_arrival_judge_ground(&judge, 1, 1),
                     COLL_MTREE_ARRIVAL_SIMULATE);
}
END_TEST

START_TEST(another_spread_is_simulated)
{
    coll_mtree_arrival_judge_init(&judge);
    simulated(1);
    ck_assert_int_eq(coll_mtree_arrival_judge_ground(&judge, 1.51, 1),
                     COLL_MTREE_ARRIVAL_SIMULATE);
    simulated(1);
    ck_assert_int_eq(coll_mtree_arrival_judge_ground(&judge, 0.66, 1),
                     COLL_MTREE_ARRIVAL_SIMULATE);
}
END_TEST

START_TEST(hosts_that_came_together_end_a_simulation)
{
    coll_mtree_arrival_judge_init(&judge);
    simulated(1);
    coll_mtree_arrival_judge_together(&judge, 5);
    ck_assert_int_eq(coll_mtree_arrival_judge_ground(&judge, 1, 1),
                     COLL_MTREE_ARRIVAL_SIMULATE);
}
END_TEST

START_TEST(several_calls_in_a_row_turn_the_class_and_turn_it_back)
{
    int changes = 0;

    coll_mtree_arrival_judge_init(&judge);
    judge.trees = (mtree_outcome_t){2, 2};
    judge.arrival = (mtree_outcome_t){1, 2};
    for (int call = 0; call < 3; call++) {
        changes += coll_mtree_arrival_judge_decide(&judge);
    }
    ck_assert_int_eq(changes, 1);
    ck_assert(judge.choice.by_arrival);
    coll_mtree_arrival_judge_together(&judge, 1);
    for (int call = 0; call < 6; call++) {
        changes += coll_mtree_arrival_judge_decide(&judge);
    }
    ck_assert_int_eq(changes, 2);
    ck_assert(!judge.choice.by_arrival);
}
END_TEST

static mtree_plan_t *plan_by(const coll_mtree_plan_hosts_t *hosts, const char *algorithm)
{
    mtree_plan_request_t request = {.collective = MTREE_BCAST,
                                    .algorithm = algorithm,
                                    .max_trees = 4,
                                    .bytes = BYTES};
    mtree_plan_t *plan;

    ck_assert_int_eq(mtree_planner_run(hosts->topology, hosts->vertices, hosts->num_hosts,
                                       &request, &plan),
                     MTREE_OK);
    return plan;
}

START_TEST(the_simulator_finds_that_late_ranks_hold_up_a_tree)
{
    static const double late[] = {0, 3, 0, 0, 0};
    coll_mtree_call_class_t call_class =
        coll_mtree_call_class_of(MTREE_BCAST, 0, (size_t)BYTES, NULL, -1);
    coll_mtree_plan_hosts_t hosts = {.num_hosts = 5};
    coll_mtree_arrival_call_t call = {
        .hosts = &hosts, .call_class = &call_class, .arrivals = late};
    mtree_topology_t *topology;
    mtree_plan_t *trees, *arrival;
    int vertices[5];

    ck_assert_int_eq(mtree_topology_read(FIXTURES "/../lab/star.dot", &topology),
                     MTREE_OK);
    for (int v = 0; v < topology->num_vertices; v++) {
        if (topology->vertices[v].kind == MTREE_VERTEX_HOST) {
            vertices[--hosts.num_hosts] = v;
        }
    }
    ck_assert_int_eq(hosts.num_hosts, 0);
    hosts = (coll_mtree_plan_hosts_t){topology, vertices, 5};
    call.trees = trees = plan_by(&hosts, "packing");
    call.arrival = arrival = plan_by(&hosts, MTREE_PLAN_ARRIVAL);
    coll_mtree_arrival_judge_init(&judge);
    ck_assert(coll_mtree_arrival_judge_simulate(&judge, &call, 3));
    ck_assert_double_eq(judge.spread, 3);
    ck_assert_double_gt(judge.trees.stay, 0);
    ck_assert_double_gt(judge.arrival.stay, 0);
    ck_assert_double_lt(judge.arrival.stay, judge.trees.stay);
    /* What cannot be simulated is not judged, and the next call is simulated. */
    judge.reused = 3;
    hosts.num_hosts = 0;
    ck_assert(!coll_mtree_arrival_judge_simulate(&judge, &call, 3));
    ck_assert_double_eq(judge.spread, 0);
    ck_assert_int_eq(judge.reused, 0);
    mtree_plan_destroy(trees);
    mtree_plan_destroy(arrival);
    mtree_topology_destroy(topology);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arrival_judge");
    TCase *tcase = tcase_create("arrival_judge");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, hosts_that_come_together_need_no_simulation);
    tcase_add_test(tcase, the_first_call_is_simulated);
    tcase_add_test(tcase, a_simulation_stands_for_some_calls_about_as_far_apart);
    tcase_add_test(tcase, another_spread_is_simulated);
    tcase_add_test(tcase, hosts_that_came_together_end_a_simulation);
    tcase_add_test(tcase, several_calls_in_a_row_turn_the_class_and_turn_it_back);
    tcase_add_test(tcase, the_simulator_finds_that_late_ranks_hold_up_a_tree);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
