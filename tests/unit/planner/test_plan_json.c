/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/json.h"

#include "base/log.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS 5

static long allocations, fail_at;

static void *allocate(size_t size)
{
    return ++allocations == fail_at ? NULL : malloc(size);
}

static void hush(mtree_log_level_t level, const char *message, void *arg)
{
    (void)level;
    (void)message;
    (*(int *)arg)++;
}

/* Two stars, with steps and routes, so that all of a plan is written. */
static mtree_plan_t *make_plan(void)
{
    const char *hosts[HOSTS] = {"a", "b", "c", "d", "e"};
    mtree_plan_t *plan;

    ck_assert_int_eq(
        mtree_plan_create(MTREE_ALLREDUCE, "packing", HOSTS, hosts, 2, &plan), MTREE_OK);
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

/* Whatever allocation fails, a plan is written whole or not at all, with one line. */
START_TEST(test_a_plan_is_written_whole_or_not_at_all)
{
    mtree_plan_t *plan = make_plan();
    char *whole, *text;
    int lines = 0;
    long most;

    json_set_alloc_funcs(allocate, free);
    ck_assert_int_eq(mtree_plan_to_json(plan, &whole), MTREE_OK);
    most = allocations;
    ck_assert_int_gt(most, 100);
    mtree_log_set(hush, &lines, MTREE_LOG_ERROR);
    for (long n = 1; n <= most; n++) {
        int before = lines;

        allocations = 0;
        fail_at = n;
        if (mtree_plan_to_json(plan, &text) == MTREE_OK) {
            ck_assert_str_eq(text, whole);
            ck_assert_int_eq(lines, before);
            free(text);
        } else {
            ck_assert_int_eq(lines, before + 1);
        }
    }
    mtree_log_set(NULL, NULL, MTREE_LOG_WARN);
    ck_assert_int_gt(lines, 100);
    free(whole);
    mtree_plan_destroy(plan);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan_json");
    TCase *tcase = tcase_create("plan_json");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, test_a_plan_is_written_whole_or_not_at_all);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
