/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans that one job leaves to the next. */
#include "coll_mtree/plan/plan_cache.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "topo/dot/cache_file.h"
#include "topo/dot/read.h"

#include <fcntl.h>
#include <unistd.h>

#define NETWORK                                                                          \
    "graph { a -- b [capacity=\"%dMbps\" latency=\"3ms\"] b -- c [capacity=\"5Mbps\"] }"

static char folder[64]; /* made in the one that we are in */
static mtree_topology_t *topology;
static coll_mtree_plan_hosts_t hosts;
static mtree_plan_request_t request;
static coll_mtree_plan_question_t question;

static void use_network(int rate)
{
    char text[128];

    mtree_topology_destroy(topology);
    (void)snprintf(text, sizeof(text), NETWORK, rate);
    unit_ok(mtree_topology_parse(text, strlen(text), "test", &topology));
    hosts = (coll_mtree_plan_hosts_t){topology, map_vertices, 3};
}

static void setup(void)
{
    char *absolute;

    (void)snprintf(folder, sizeof(folder), "plan_cache.test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    absolute = realpath(folder, NULL);
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", absolute, 1), 0);
    free(absolute);
    topology = NULL;
    use_network(7);
    request = (mtree_plan_request_t){
        .collective = MTREE_ALLREDUCE, .bytes = 123456.25, .max_trees = 4};
    question = (coll_mtree_plan_question_t){&hosts, &request, NULL, "3 ranks"};
}

static void teardown(void)
{
    char command[128];

    mtree_topology_destroy(topology);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static mtree_plan_t *make_plan(void)
{
    mtree_plan_t *plan;

    unit_ok(mtree_planner_run(topology, map_vertices, 3, &request, &plan));
    plan->seconds = 1.0 / 3;
    return plan;
}

static void leave_plan(void)
{
    OWNED(plan) *plan = make_plan();

    coll_mtree_plan_cache_write(
        &question, plan,
        (mtree_forecast_t){.pays = true, .seconds = 1.0 / 3, .fallback = 2.0 / 3});
}

static bool is_there(void)
{
    mtree_forecast_t forecast;
    OWNED(plan) *plan = coll_mtree_plan_cache_read(&question, &forecast);

    return plan != NULL;
}

UNIT_TEST(a_plan_is_read_as_it_was_made)
{
    OWNED(plan) *made = make_plan(), *plan = NULL;
    mtree_forecast_t forecast;

    ck_assert(!is_there());
    leave_plan();
    plan = coll_mtree_plan_cache_read(&question, &forecast);
    ck_assert_ptr_nonnull(plan);
    ck_assert(forecast.pays);
    ck_assert_double_eq(forecast.seconds, 1.0 / 3);
    ck_assert_double_eq(forecast.fallback, 2.0 / 3);
    ck_assert_double_eq(plan->seconds, made->seconds);
    ck_assert_int_eq(plan->num_trees, made->num_trees);
    for (int t = 0; t < plan->num_trees; t++) {
        ck_assert_double_eq(plan->trees[t].rate, made->trees[t].rate);
        ck_assert_mem_eq(plan->trees[t].parent, made->trees[t].parent, 3 * sizeof(int));
    }
}

/* The question with one thing changed; 7: none is. */
static void change_question(int what, const mtree_plan_t *donor)
{
    static const mtree_plan_request_t asked = {
        .collective = MTREE_ALLREDUCE, .bytes = 123456.25, .max_trees = 4};

    request = asked;
    request.bytes += what == 0 ? 0.25 : 0;
    request.max_trees -= what == 1;
    request.algorithm = what == 2 ? "packing" : NULL;
    question.rest = what == 3 ? "6 ranks" : "3 ranks";
    question.donor = what == 4 ? donor : NULL;
    use_network(what == 5 ? 8 : 7);
    hosts.num_hosts -= what == 6;
}

UNIT_TEST(another_question_has_no_answer)
{
    OWNED(plan) *donor = make_plan();

    leave_plan();
    for (int what = 0; what < 8; what++) {
        change_question(what, donor);
        ck_assert_msg(is_there() == (what == 7), "question %d", what);
    }
}

/* The number of files there are, of which each is cut to @a length bytes if that is not
 * negative. */
static int count_plans(int length)
{
    char path[MTREE_CACHE_PATH_LENGTH];
    mtree_cache_entry_t *files;
    int opened, num;

    unit_ok(mtree_cache_file_folder(path));
    opened = mtree_cache_file_open(path);
    ck_assert_int_ge(opened, 0);
    files = mtree_cache_file_list(opened, MTREE_CACHE_PLANS, &num);
    for (int i = 0; i < num && length >= 0; i++) {
        int file = openat(opened, files[i].name, O_WRONLY);

        ck_assert_int_eq(ftruncate(file, length), 0);
        close(file);
    }
    free(files);
    close(opened);
    return num;
}

UNIT_TEST(a_file_that_was_cut_short_is_no_plan)
{
    heard_start();
    for (int length = 0; length < 200; length += 10) {
        leave_plan();
        ck_assert(is_there());
        ck_assert_int_eq(count_plans(length), 1);
        ck_assert(!is_there());
    }
    /* The line says in which file. */
    heard_text(folder);
}

UNIT_TEST(the_oldest_of_many_go)
{
    for (int i = 0; i < COLL_MTREE_PLAN_CACHE_MOST + 5; i++) {
        request.bytes = 1000 + i;
        leave_plan();
    }
    ck_assert(is_there());
    ck_assert_int_eq(count_plans(-1), COLL_MTREE_PLAN_CACHE_MOST);
}

UNIT_FIXTURE(setup, teardown)
