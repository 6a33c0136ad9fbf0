/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that name a rank program: what they carry and how long they take by the planner's
 * estimate, and as JSON.
 */
#include "planner/algorithms.h"
#include "planner/plan/finish.h"
#include "planner/plan/json.h"
#include "planner/plan/messages.h"
#include "planner/program/kinds.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

#define MEGABIT 1e6

/* Hosts in a row, 1 ms and 100 Mb/s from each to the next. */
static mtree_plan_t *plan_row(const char *algorithm, mtree_collective_t collective,
                              int num_hosts, double bytes)
{
    OWNED(topology) *topology = network_row(NULL, num_hosts, 100 * MEGABIT, 1e-3);

    return NETWORK_PLAN(topology, .collective = collective, .algorithm = algorithm,
                        .bytes = bytes);
}

/* Across the middle of five hosts go two times three vectors each way. */
UNIT_TEST(an_exchange_takes_the_longest_path)
{
    OWNED(plan) *plan = plan_row("exchange", MTREE_ALLREDUCE, 5, 1000);
    double all;

    ck_assert_int_eq(plan->num_trees, 0);
    ck_assert_double_eq_tol(plan->throughput, 100 * MEGABIT / 6, 1);
    unit_near(plan->seconds, 4e-3 + 30e-6 + 6 * 8000 / (100 * MEGABIT));
    ck_assert_double_eq(mtree_plan_messages(plan, &all), 8);
    ck_assert_double_eq(all, 20);
}

/* To the root alone, and of a scan to those behind. */
UNIT_TEST(an_exchange_sends_to_those_who_need_it)
{
    OWNED(plan) *reduce = plan_row("exchange", MTREE_REDUCE, 5, 1000);
    OWNED(plan) *scan = plan_row("exchange", MTREE_SCAN, 5, 1000);
    double all;

    ck_assert_double_eq(mtree_plan_messages(reduce, &all), 4);
    ck_assert_double_eq(all, 4);
    ck_assert_double_eq(mtree_plan_messages(scan, &all), 4);
    ck_assert_double_eq(all, 10);
}

/* Where a round trip takes longer than pieces cost, messages that would need one are
 * cut. */
UNIT_TEST(long_messages_over_long_links_are_cut)
{
    OWNED(plan) *brief = plan_row("exchange", MTREE_ALLREDUCE, 5, 32 << 10);
    OWNED(plan) *long_one = plan_row("exchange", MTREE_ALLREDUCE, 5, 128 << 10);
    OWNED(plan) *longest = plan_row("exchange", MTREE_ALLREDUCE, 5, 12 << 20);
    double all;

    ck_assert_uint_eq(brief->message_bytes, 0);
    ck_assert_uint_eq(long_one->message_bytes, MTREE_CHUNK_EAGER);
    ck_assert_double_eq(mtree_plan_messages(long_one, &all), 3 * 8);
    ck_assert_uint_eq(longest->message_bytes, 0);
}

/* What each host sends of a vector. */
static void check_sent(const char *algorithm, mtree_collective_t collective,
                       int num_hosts, const double *expected)
{
    OWNED(plan) *plan = plan_row(algorithm, collective, num_hosts, 1000);
    double sent[8] = {0};
    mtree_arena_t arena = {0};
    mtree_messages_t messages;

    for (int i = 0; i < num_hosts; i++) {
        plan->order[i] = i;
    }
    messages = mtree_plan_program_messages(plan, NULL, 0, &arena);
    for (int m = 0; m < messages.count; m++) {
        sent[messages.list[m].from] += messages.list[m].part;
    }
    for (int i = 0; i < num_hosts; i++) {
        ck_assert_double_eq_tol(sent[i], expected[i], 1e-5);
    }
    mtree_arena_cleanup(&arena);
}

/* Thakur, Rabenseifner, Gropp (2005), section 4.5: of n bytes each of p processes sends
 * n lg p by recursive doubling, and 2 n (p - 1) / p by Rabenseifner's algorithm.  Of five
 * and six processes the first r even ones give theirs to the next one, and get the
 * result. */
UNIT_TEST(butterflies_send_what_the_paper_says)
{
    check_sent("recursive_doubling", MTREE_ALLREDUCE, 8,
               (const double[]){3, 3, 3, 3, 3, 3, 3, 3});
    check_sent("recursive_doubling", MTREE_ALLREDUCE, 5, (const double[]){1, 3, 2, 2, 2});
    check_sent("recursive_halving", MTREE_ALLREDUCE, 8,
               (const double[]){1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75});
    check_sent("recursive_halving", MTREE_ALLREDUCE, 6,
               (const double[]){1, 2.5, 1, 2.5, 1.5, 1.5});
}

/* In an allgather, and in a reduce_scatter, the half of it.  Bruck et al. (1997), section
 * 4: five processes send 1, 2 and 1 of the blocks. */
UNIT_TEST(blocks_are_sent_once)
{
    check_sent("recursive_doubling", MTREE_ALLGATHER, 8,
               (const double[]){.875, .875, .875, .875, .875, .875, .875, .875});
    check_sent("recursive_halving", MTREE_REDUCE_SCATTER, 6,
               (const double[]){1, 5.0 / 6, 1, 5.0 / 6, 5.0 / 6, 5.0 / 6});
    /* Of an all-to-all, those for hosts 1 and 3, for 2 and 3, and for 4 places on. */
    check_sent("bruck", MTREE_ALLTOALL, 5, (const double[]){1, 1, 1, 1, 1});
    check_sent("bruck", MTREE_ALLGATHER, 5, (const double[]){.8, .8, .8, .8, .8});
}

/* Four hosts in a row, 0 2 1 3: halves of the vector go to a neighbour. */
UNIT_TEST(partners_are_near)
{
    const int order[] = {0, 2, 1, 3};
    OWNED(topology) *topology = network_row(order, 4, 100 * MEGABIT, 1e-3);
    OWNED(plan) *plan = NETWORK_PLAN(topology, .collective = MTREE_ALLREDUCE,
                                     .algorithm = "recursive_halving", .bytes = 1e6);

    ck_assert_mem_eq(plan->order, order, sizeof(order));
}

/* Eight hosts in a row, 10 us apart, whose numbers tell little: partners by number are up
 * to 70 us from each other, which two pieces of 30 us are worth; by place 40. */
UNIT_TEST(messages_are_cut_for_the_order_that_is_taken)
{
    const int row[] = {0, 2, 4, 6, 7, 5, 3, 1};
    OWNED(topology) *topology = network_row(row, 8, 100 * MEGABIT, 10e-6);
    OWNED(plan) *plan =
        NETWORK_PLAN(topology, .collective = MTREE_ALLREDUCE,
                     .algorithm = "recursive_halving", .bytes = 128 << 10);

    ck_assert_mem_eq(plan->order, row, sizeof(row));
    ck_assert_uint_eq(plan->message_bytes, 0);
}

/* Rows and columns of a torus: 4 + 3 messages to and from others, and with the longest
 * ways of both the longest path of the network. */
UNIT_TEST(stages_take_the_longest_path)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .algorithm = "staged_exchange", .bytes = 8};
    OWNED(topology) *topology = map_shape("torus:5x4", 1e10, 1e-3);
    OWNED(plan) *plan = network_plan(topology, &request);

    ck_assert(mtree_algorithms_fit("staged_exchange", topology, 20, &request));
    ck_assert(!mtree_algorithms_fit("staged_exchange", topology, 19, &request));
    ck_assert_int_eq(plan->shape[0], 5);
    ck_assert_int_eq(plan->shape[1], 4);
    ck_assert_int_eq((int)(plan->seconds * 1e3), 2 + 2);
    ck_assert_double_eq(mtree_plan_messages(plan, NULL), 2 * (4 + 3));
}

/* De Sensi et al. (2024), section 3.1: the distances of steps are 1, -1, 3 and -5, and
 * odd hosts go the other way; so do all in the mirrored part (section 4.1). */
UNIT_TEST(swing_has_the_partners_of_the_paper)
{
    const int ring[MTREE_SHAPE_DIMENSIONS] = {16}, torus[MTREE_SHAPE_DIMENSIONS] = {4, 4};
    const int of_zero[] = {1, 15, 3, 11}, of_one[] = {0, 2, 14, 6};
    /* Rows are four hosts: of host 5, by columns first, then by rows, and so on. */
    const int by_columns[] = {1, 4, 9, 6};

    for (int round = 0; round < 4; round++) {
        ck_assert_int_eq(mtree_swing_partner(ring, 0, 0, round), of_zero[round]);
        ck_assert_int_eq(mtree_swing_partner(ring, 0, 1, round), of_one[round]);
        ck_assert_int_eq(mtree_swing_partner(ring, 1, 0, round),
                         (16 - of_zero[round]) % 16);
        ck_assert_int_eq(mtree_swing_partner(torus, 0, 5, round), by_columns[round]);
    }
}

/* All links of a torus of 4 by 4 are busy alike: each of a host's four carries a quarter
 * of what it sends, 2 n (p - 1) / p of n. */
UNIT_TEST(swing_fills_all_links)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .algorithm = "swing", .bytes = 1e6};
    OWNED(topology) *topology = map_shape("torus:4x4", 1e10, 1e-6);
    OWNED(plan) *plan = network_plan(topology, &request);

    ck_assert(mtree_algorithms_fit("swing", topology, 16, &request));
    ck_assert(!mtree_algorithms_fit("swing", topology, 15, &request));
    ck_assert_double_eq_tol(plan->throughput, 4 * 1e10 / (2 * 15.0 / 16), 1e6);
    ck_assert_double_eq(mtree_plan_messages(plan, NULL), 2 * 4 * 2 * 4);
}

UNIT_LOOP(swing_is_for_tori_of_powers_of_two, 0, 3)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .algorithm = "swing", .bytes = 1e6};
    static const char *const shapes[] = {"torus:3x4", "mesh:4x4", "random:8:12"};
    OWNED(topology) *topology = map_shape(shapes[_i], 1e10, 1e-6);
    const int num_hosts = mtree_topology_num_hosts(topology);
    mtree_plan_t *plan;

    ck_assert(!mtree_algorithms_fit("swing", topology, num_hosts, &request));
    ck_assert_int_eq(
        mtree_planner_run(topology, map_vertices, num_hosts, &request, &plan),
        MTREE_ERR_UNSUPPORTED);
    heard_text("it serves up to 1024 hosts of a torus");
}

UNIT_TEST(what_takes_too_much_memory_is_refused)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .algorithm = "exchange", .bytes = 1e9};
    OWNED(topology) *topology = network_row(NULL, 3, 100 * MEGABIT, 1e-3);
    mtree_plan_t *plan;

    ck_assert_int_eq(mtree_planner_run(topology, map_vertices, 3, &request, &plan),
                     MTREE_ERR_UNSUPPORTED);
    heard_text("exchange: 1000000000 bytes from each");
}

/* An exchange in another order, and Swing with the shape of its torus. */
UNIT_LOOP(a_program_is_written_and_read, 0, 2)
{
    OWNED(topology) *topology = map_shape("torus:8x4", 1e10, 1e-6);
    OWNED(plan) *plan = _i == 0 ? plan_row("exchange", MTREE_ALLREDUCE, 4, 1000)
                                : NETWORK_PLAN(topology, .collective = MTREE_ALLREDUCE,
                                               .algorithm = "swing", .bytes = 1e6);
    OWNED(plan) *read = NULL;

    plan->order[0] = plan->order[2];
    plan->order[2] = 0;
    read = network_plan_again(plan);
    ck_assert_mem_eq(read->order, plan->order,
                     (size_t)plan->num_hosts * sizeof(*plan->order));
    ck_assert_mem_eq(read->shape, plan->shape, sizeof(plan->shape));
    ck_assert_int_eq(read->shape[0], _i == 0 ? 0 : 8);
    ck_assert_double_eq(read->seconds, plan->seconds);
}

/* What is wrong, and what the line says of it. */
static const struct {
    const char *algorithm, *order, *line;
} wrong[] = {
    {"exchange", "[\"a\", \"a\"]", "plan: exchange needs an order of all hosts"},
    {"exchange", "[\"a\", \"c\"]", "plan: exchange needs an order of all hosts"},
    {"exchange", "[\"a\"]", "test: \"order\" has not all hosts"},
    {"packing", "[\"a\", \"b\"]", "plan: packing is no program for allreduce"},
    {"swing", "[\"a\", \"b\"]",
     "plan: swing needs a \"shape\" whose sizes make its 2 hosts"},
    {"swing", "[\"a\", \"b\"], \"shape\": [3]", "test: \"shape\" has a wrong size"},
    {"staged_exchange", "[\"a\", \"b\"], \"shape\": [2, 2]",
     "plan: staged_exchange needs a \"shape\""},
    {"swing", "[\"a\", \"b\"], \"shape\": [2, 2, 2, 2, 2, 2, 2]",
     "test: \"shape\" has too many sizes"},
    {"exchange", "[\"a\", \"b\"], \"shape\": [2]",
     "plan: exchange takes no \"shape\"; leave it out"},
    {"recursive_doubling", "[\"a\", \"b\"], \"shape\": [2]",
     "plan: recursive_doubling takes no \"shape\"; leave it out"},
};

UNIT_EACH(a_wrong_order_is_refused, wrong)
{
    char text[300];
    mtree_plan_t *plan;

    snprintf(text, sizeof(text),
             "{\"collective\": \"allreduce\", \"algorithm\": \"%s\", "
             "\"hosts\": [\"a\", \"b\"], \"trees\": [], \"order\": %s}",
             wrong[_i].algorithm, wrong[_i].order);
    unit_invalid(mtree_plan_from_json(text, strlen(text), "test", &plan));
    heard_text(wrong[_i].line);
}
