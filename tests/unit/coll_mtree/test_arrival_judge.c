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

/* A call on the network of a file, and the plans that are compared. */
typedef struct {
    mtree_topology_t *topology;
    int vertices[8];
    coll_mtree_plan_hosts_t hosts;
    coll_mtree_call_class_t call_class;
    mtree_plan_t *trees, *arrival;
    coll_mtree_arrival_call_t call;
} case_t;

static mtree_plan_t *plan_by(const case_t *of, const char *algorithm)
{
    mtree_plan_request_t request = {.collective = of->call_class.collective,
                                    .algorithm = algorithm,
                                    .max_trees = 4,
                                    .bytes = of->call_class.bytes};
    mtree_plan_t *plan;

    ck_assert_int_eq(mtree_planner_run(of->hosts.topology, of->hosts.vertices,
                                       of->hosts.num_hosts, &request, &plan),
                     MTREE_OK);
    return plan;
}

static void case_init(case_t *of, const char *file, mtree_collective_t collective,
                      const double *arrivals)
{
    *of = (case_t){
        .call_class = coll_mtree_call_class_of(
            collective, collective == MTREE_BCAST ? 0 : -1, (size_t)BYTES, NULL, -1)};
    ck_assert_int_eq(mtree_topology_read(file, &of->topology), MTREE_OK);
    for (int v = 0; v < of->topology->num_vertices; v++) {
        if (of->topology->vertices[v].kind == MTREE_VERTEX_HOST) {
            of->vertices[of->hosts.num_hosts++] = v;
        }
    }
    of->hosts.topology = of->topology;
    of->hosts.vertices = of->vertices;
    of->call = (coll_mtree_arrival_call_t){.hosts = &of->hosts,
                                           .call_class = &of->call_class,
                                           .root = of->call_class.root,
                                           .arrivals = arrivals};
}

static void case_plan(case_t *of)
{
    of->call.trees = of->trees = plan_by(of, "packing");
    of->call.arrival = of->arrival = plan_by(of, MTREE_PLAN_ARRIVAL);
    coll_mtree_arrival_judge_init(&judge);
}

static void case_cleanup(case_t *of)
{
    mtree_plan_destroy(of->trees);
    mtree_plan_destroy(of->arrival);
    mtree_topology_destroy(of->topology);
}

START_TEST(the_simulator_finds_that_late_ranks_hold_up_a_tree)
{
    static const double late[] = {0, 3, 0, 0, 0};
    case_t of;

    case_init(&of, FIXTURES "/../lab/star.dot", MTREE_BCAST, late);
    ck_assert_int_eq(of.hosts.num_hosts, 5);
    case_plan(&of);
    ck_assert(coll_mtree_arrival_judge_simulate(&judge, &of.call, 3));
    ck_assert_double_eq(judge.spread, 3);
    ck_assert_double_gt(judge.trees.stay, 0);
    ck_assert_double_gt(judge.arrival.stay, 0);
    ck_assert_double_lt(judge.arrival.stay, judge.trees.stay);
    /* What cannot be simulated is not judged, and the next call is simulated. */
    judge.reused = 3;
    of.hosts.num_hosts = 0;
    ck_assert(!coll_mtree_arrival_judge_simulate(&judge, &of.call, 3));
    ck_assert_double_eq(judge.spread, 0);
    ck_assert_int_eq(judge.reused, 0);
    case_cleanup(&of);
}
END_TEST

/* No rank has its result before the message has passed the widest links. */
START_TEST(nobody_gains_more_than_the_links_allow)
{
    static const double late[] = {0, 0.038, 0, 0};
    double least = 8 * BYTES / 90e6; /* a host has three links of 30 Mb/s */
    case_t of;

    case_init(&of, FIXTURES "/../lab/square.dot", MTREE_ALLREDUCE, late);
    ck_assert_int_eq(of.hosts.num_hosts, 4);
    /* Arrival order made for hosts that come together goes over this link. */
    for (int l = 0; l < of.topology->num_links; l++) {
        mtree_link_t *link = &of.topology->links[l];

        if (link->u == of.vertices[0] && link->v == of.vertices[2]) {
            link->capacity[0] = link->capacity[1] = 5e6;
        }
    }
    case_plan(&of);
    ck_assert(coll_mtree_arrival_judge_simulate(&judge, &of.call, 0.038));
    ck_assert_double_ge(judge.arrival.stay, least);
    ck_assert_double_ge(judge.trees.stay, least);
    case_cleanup(&of);
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
    tcase_add_test(tcase, nobody_gains_more_than_the_links_allow);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
