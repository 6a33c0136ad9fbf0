/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "planner/plan/json.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"
#include "tests/unit/runner.h"

#include <jansson.h>

#define HOSTS 5

static long allocations, fail_at;

static void *allocate(size_t size)
{
    return ++allocations == fail_at ? NULL : malloc(size);
}

/* Two stars, with steps and routes, so that all of a plan is written. */
static mtree_plan_t *make_plan(void)
{
    const char *hosts[HOSTS] = {"a", "b", "c", "d", "e"};
    mtree_plan_t *plan = mtree_plan_create(MTREE_ALLREDUCE, "packing", HOSTS, hosts, 2);

    plan->throughput = 2e9;
    plan->bound = 2e9;
    for (int t = 0; t < 2; t++) {
        plan->trees[t].root = t;
        plan->trees[t].rate = 1e9;
        plan->trees[t].share = 0.5;
        plan->trees[t].chunk_bytes = 1000;
        for (int i = 0; i < HOSTS; i++) {
            plan->trees[t].parent[i] = i == t ? -1 : t;
            plan->trees[t].step[i] = i == t ? 0 : 1 + i;
        }
    }
    plan->routes = calloc((size_t)HOSTS * HOSTS, sizeof(*plan->routes));
    ck_assert_ptr_nonnull(plan->routes);
    return plan;
}

/* Names stay with what they name, and the reverse gives the same plan. */
UNIT_TEST(test_hosts_get_other_numbers)
{
    static const int number[HOSTS] = {2, 0, 4, 1, 3}, back[HOSTS] = {1, 3, 0, 4, 2};
    OWNED(plan) *plan = make_plan();
    UNIT_FREED char *before = NULL, *after = NULL;

    for (int i = 0; i < HOSTS * HOSTS; i++) {
        plan->routes[i].rate = 1 + i;
    }
    unit_ok(mtree_plan_to_json(plan, &before));
    mtree_plan_renumber(plan, number);
    ck_assert_str_eq(plan->hosts[4], "c");
    ck_assert_int_eq(plan->trees[1].root, 0);
    ck_assert_int_eq(plan->trees[1].parent[4], 0);
    ck_assert_int_eq(plan->trees[1].parent[0], -1);
    ck_assert_int_eq(plan->trees[1].step[4], 3);
    ck_assert_double_eq(plan->routes[4 * HOSTS + 1].rate, 1 + 2 * HOSTS + 3);
    mtree_plan_renumber(plan, back);
    unit_ok(mtree_plan_to_json(plan, &after));
    ck_assert_str_eq(before, after);
}

/* Each tree has the rate of the fastest links that there may be, and the plan of both. */
UNIT_TEST(test_a_plan_carries_more_than_a_link)
{
    OWNED(plan) *plan = make_plan(), *again = NULL;

    for (int i = 0; i < HOSTS * HOSTS; i++) {
        plan->routes[i].rate = MTREE_UNITS_MOST_RATE;
    }
    plan->throughput = plan->bound = 2 * MTREE_UNITS_MOST_RATE;
    again = network_plan_again(plan);
    ck_assert_double_eq(again->throughput, plan->throughput);
}

/* Whatever allocation fails, a plan is written whole or not at all, with one line. */
UNIT_TEST(test_a_plan_is_written_whole_or_not_at_all)
{
    OWNED(plan) *plan = make_plan();
    char *whole, *text;
    long most;

    json_set_alloc_funcs(allocate, free);
    unit_ok(mtree_plan_to_json(plan, &whole));
    most = allocations;
    ck_assert_int_gt(most, 100);
    for (long n = 1; n <= most; n++) {
        int before = heard_lines();

        allocations = 0;
        fail_at = n;
        if (mtree_plan_to_json(plan, &text) == MTREE_OK) {
            ck_assert_str_eq(text, whole);
            ck_assert_int_eq(heard_lines(), before);
            free(text);
        } else {
            ck_assert_int_eq(heard_lines(), before + 1);
        }
    }
    ck_assert_int_gt(heard_lines(), 100);
    free(whole);
}

/* A broadcast of which one tree passes through relay r, and the other around it. */
#define RELAYED                                                                          \
    "{\"collective\": \"bcast\", \"root\": \"a\", \"hosts\": [\"a\", \"b\"], "           \
    "\"relays\": %s, "                                                                   \
    "\"trees\": [{\"root\": \"%s\", \"rate_bps\": 1, \"share\": 0.5, \"edges\": %s},"    \
    "{\"root\": \"a\", \"rate_bps\": 1, \"share\": 0.5, \"edges\": [[\"a\", \"b\"]]}]}"

static mtree_status_t read_relayed(const char *relays, const char *root,
                                   const char *edges, mtree_plan_t **plan_p)
{
    char text[1000];
    int length = snprintf(text, sizeof(text), RELAYED, relays, root, edges);

    return mtree_plan_from_json(text, (size_t)length, "relayed", plan_p);
}

UNIT_TEST(test_a_plan_with_relays_is_read_and_written)
{
    OWNED(plan) *plan = NULL, *again = NULL;

    unit_ok(read_relayed("[\"r\"]", "a", "[[\"a\", \"r\"], [\"r\", \"b\"]]", &plan));
    again = network_plan_again(plan);
    ck_assert_int_eq(again->num_hosts, 3);
    ck_assert_int_eq(again->num_relays, 1);
    ck_assert_str_eq(again->hosts[2], "r");
    ck_assert_int_eq(again->trees[0].parent[2], 0);
    ck_assert_int_eq(again->trees[0].parent[1], 2);
    ck_assert(mtree_tree_is_outside(&again->trees[1], 2));
}

/* Of a relay outside of a tree the text says nothing, but the plan has a place for it. */
UNIT_TEST(test_a_plan_takes_no_more_than_its_text)
{
    enum { RELAYS = 1000, TREES = 300 };
    UNIT_FREED char *text = NULL;
    size_t length;
    FILE *out = mtree_text_begin(&text, &length);
    mtree_plan_t *plan;

    fputs("{\"collective\": \"bcast\", \"root\": \"a\", \"hosts\": [\"a\", \"b\"], "
          "\"relays\": [",
          out);
    for (int r = 0; r < RELAYS; r++) {
        fprintf(out, "%s\"r%d\"", r > 0 ? ", " : "", r);
    }
    fputs("], \"trees\": [", out);
    for (int t = 0; t < TREES; t++) {
        fprintf(out,
                "%s{\"root\": \"a\", \"rate_bps\": 1, \"share\": %.17g, \"edges\": "
                "[[\"a\", \"b\"]]}",
                t > 0 ? ", " : "", 1.0 / TREES);
    }
    fputs("]}", out);
    mtree_text_end(out);
    ck_assert_int_eq(mtree_plan_from_json(text, length, "relayed", &plan),
                     MTREE_ERR_LIMIT);
    heard_text("relayed: 300 trees over 1002 hosts; at most");
}

UNIT_LOOP(test_a_relay_is_neither_root_nor_leaf, 0, 6)
{
    static const struct {
        const char *relays, *root, *edges;
    } faulty[] = {
        {"[\"r\"]", "a", "[[\"a\", \"r\"], [\"a\", \"b\"]]"}, /* a leaf */
        {"[\"r\"]", "r", "[[\"r\", \"a\"], [\"a\", \"b\"]]"}, /* a root */
        {"[\"r\"]", "a", "[[\"r\", \"b\"]]"},                 /* without a parent */
        {"[\"r\", \"s\"]", "a", /* a cycle beside the tree */
         "[[\"a\", \"b\"], [\"r\", \"s\"], [\"s\", \"r\"]]"},
        {"[\"a\"]", "a", "[[\"a\", \"b\"]]"}, /* a host, too */
        {"\"r\"", "a", "[[\"a\", \"b\"]]"},   /* no array */
    };
    mtree_plan_t *plan;

    unit_invalid(
        read_relayed(faulty[_i].relays, faulty[_i].root, faulty[_i].edges, &plan));
    ck_assert_int_eq(heard_lines(), 1);
}

/* What takes a route without a rate would be no number of seconds.  A host's route to
 * itself has none. */
UNIT_LOOP(test_a_route_has_a_rate, 0, 2)
{
    static const char format[] =
        "{\"collective\": \"bcast\", \"root\": \"a\", \"hosts\": [\"a\", \"b\"], "
        "\"route_bps\": [0, %d, 1, 0], \"route_ns\": [0, 1, 1, 0], "
        "\"route_links\": [0, 0, 1, 0], \"trees\": [{\"root\": \"a\", \"rate_bps\": 1, "
        "\"share\": 1, \"edges\": [[\"a\", \"b\"]]}]}";
    char text[sizeof(format)];
    int length = snprintf(text, sizeof(text), format, _i);
    OWNED(plan) *plan = NULL;
    mtree_status_t status = mtree_plan_from_json(text, (size_t)length, "routed", &plan);

    ck_assert_int_eq(status, _i == 0 ? MTREE_ERR_INVALID : MTREE_OK);
    ck_assert_int_eq(heard_lines(), _i == 0);
}
