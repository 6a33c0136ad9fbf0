/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of parameters: its rows, their initial values, and what ranks compare. */
#include "coll_mtree/base/params.h"
#include "tests/unit/runner.h"

static const coll_mtree_param_t *table;
static size_t count;

static void setup(void)
{
    coll_mtree_params_reset();
    table = coll_mtree_params_table(&count);
}

UNIT_TEST(every_row_has_a_name_of_its_own_a_level_and_a_help)
{
    ck_assert_uint_gt(count, 20);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(table[i].value.string != NULL, "%s has no value", table[i].name);
        ck_assert_msg(table[i].level >= 1 && table[i].level <= 9, "%s", table[i].name);
        ck_assert_msg(table[i].help != NULL && strlen(table[i].help) > 20 &&
                          strlen(table[i].help) < 900,
                      "%s", table[i].name);
        ck_assert_msg(table[i].help[strlen(table[i].help) - 1] != '.', "%s",
                      table[i].name);
        for (size_t j = 0; j < count; j++) {
            ck_assert_msg(i == j || strcmp(table[i].name, table[j].name) != 0, "%s",
                          table[i].name);
            ck_assert_msg(i == j || table[i].value.string != table[j].value.string, "%s",
                          table[i].name);
        }
    }
}

/* Whoever may be written at the same call on all ranks must also begin alike. */
UNIT_TEST(what_is_written_on_all_ranks_is_compared)
{
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(table[i].scope != COLL_MTREE_PARAM_COLLECTIVE ||
                          table[i].agree != NULL,
                      "%s", table[i].name);
    }
}

UNIT_TEST(reset_gives_every_parameter_its_initial_value)
{
    ck_assert_int_eq(coll_mtree_params.priority, 45);
    ck_assert_int_eq(coll_mtree_params.trees, 10);
    ck_assert(!coll_mtree_params.deterministic);
    ck_assert_uint_eq(coll_mtree_params.min_bytes, 1);
    ck_assert_double_eq(coll_mtree_params.probe_seconds, 9);
    ck_assert_uint_eq(coll_mtree_params.probe_bytes, 1000000000);
    ck_assert_ptr_null(coll_mtree_params.topology);
}

/* Change the parameter of a row to a value that differs from the initial one. */
static void change(const coll_mtree_param_t *param)
{
    static char text[] = "x";

    switch (param->type) {
    case COLL_MTREE_PARAM_BOOL:
        *param->value.boolean = !*param->value.boolean;
        break;
    case COLL_MTREE_PARAM_INT:
        *param->value.integer += 1;
        break;
    case COLL_MTREE_PARAM_SIZE:
        *param->value.size += 1;
        break;
    case COLL_MTREE_PARAM_DOUBLE:
        *param->value.real += 1;
        break;
    case COLL_MTREE_PARAM_STRING:
        *param->value.string = text;
        break;
    }
}

UNIT_TEST(the_text_differs_where_a_parameter_that_must_agree_does)
{
    char lines[513] = "\n", *before = lines + 1, after[512], line[64];

    ck_assert(coll_mtree_params_write(before, sizeof(lines) - 1));
    ck_assert_int_eq(strncmp(before, "protocol ", 9), 0);
    for (size_t i = 0; i < count; i++) {
        coll_mtree_params_reset();
        change(&table[i]);
        ck_assert(coll_mtree_params_write(after, sizeof(after)));
        ck_assert_msg((strcmp(before, after) != 0) == (table[i].agree != NULL), "%s",
                      table[i].name);
        snprintf(line, sizeof(line), "\n%s ", table[i].name);
        ck_assert_msg((strstr(lines, line) != NULL) == (table[i].agree != NULL), "%s",
                      table[i].name);
    }
}

/* A number that no one can mean is told of, and the default holds. */
UNIT_TEST(numbers_out_of_their_range_are_not_taken)
{
    coll_mtree_params.trees = -1;
    coll_mtree_params_confine(false);
    ck_assert_int_eq(heard_lines(), 0);
    ck_assert_int_eq(coll_mtree_params.trees, 10);
    coll_mtree_params.trees = -1;
    coll_mtree_params.memory = (size_t)-5;
    coll_mtree_params.min_bytes = (size_t)-1;
    coll_mtree_params.relays_share = NAN;
    coll_mtree_params.priority = -1;
    coll_mtree_params.verbose = -4;
    coll_mtree_params_confine(true);
    ck_assert_int_eq(heard_lines(), 4);
    heard_is("coll_mtree_memory 18446744073709551611: a number "
             "from 0 to 1e+15 is needed; its default, 67108864, "
             "holds");
    ck_assert_int_eq(coll_mtree_params.trees, 10);
    ck_assert_uint_eq(coll_mtree_params.memory, (size_t)64 << 20);
    ck_assert_uint_eq(coll_mtree_params.min_bytes, 1);
    ck_assert_double_eq(coll_mtree_params.relays_share, 0.25);
    ck_assert_int_eq(coll_mtree_params.priority, -1);
    ck_assert_int_eq(coll_mtree_params.verbose, -4);
}

/* What the user may set coll_mtree_topology to. */
static const struct {
    char text[8];
    coll_mtree_topology_choice_t choice;
    bool asks;
} topologies[] = {{"", COLL_MTREE_TOPOLOGY_AUTO, false},
                  {"auto", COLL_MTREE_TOPOLOGY_AUTO, true},
                  {"probe", COLL_MTREE_TOPOLOGY_PROBE, true},
                  {"none", COLL_MTREE_TOPOLOGY_NONE, false},
                  {"a.dot", COLL_MTREE_TOPOLOGY_FILE, true},
                  {"b.dot", COLL_MTREE_TOPOLOGY_FILE, true}};

enum { NUM_TOPOLOGIES = sizeof(topologies) / sizeof(topologies[0]) };

UNIT_TEST(the_kind_of_topology_is_chosen_by_its_words_and_alone_compared)
{
    char lines[NUM_TOPOLOGIES][512];

    ck_assert_int_eq(coll_mtree_params_topology(), COLL_MTREE_TOPOLOGY_AUTO);
    for (int i = 0; i < NUM_TOPOLOGIES; i++) {
        coll_mtree_params.topology = (char *)topologies[i].text;
        ck_assert_int_eq(coll_mtree_params_topology(), topologies[i].choice);
        ck_assert_int_eq(coll_mtree_params_ask(NULL), topologies[i].asks);
        ck_assert(coll_mtree_params_write(lines[i], sizeof(lines[i])));
        for (int other = 0; other < i; other++) {
            ck_assert_int_eq(strcmp(lines[i], lines[other]) == 0,
                             topologies[i].choice == topologies[other].choice);
        }
    }
}

UNIT_TEST(a_trace_has_events)
{
    coll_mtree_params.trace_events = 0;
    coll_mtree_params_confine(false);
    ck_assert_uint_eq(coll_mtree_params.trace_events, 65536);
}

UNIT_TEST(what_is_to_be_encrypted_is_served_whatever_its_size)
{
    coll_mtree_params.min_bytes = 99;
    ck_assert_uint_eq(coll_mtree_params_min_bytes(), 99);
    coll_mtree_params.encrypt = true;
    ck_assert_uint_eq(coll_mtree_params_min_bytes(), 0);
}

UNIT_TEST(a_text_that_does_not_fit_is_refused)
{
    char text[20];

    ck_assert(!coll_mtree_params_write(text, sizeof(text)));
}

UNIT_TEST(a_list_that_holds_mtree_asks_for_it)
{
    static const struct {
        const char *list;
        bool asks;
    } cases[] = {
        {"mtree", true},        {"tuned,mtree", true}, {"mtree,basic,libnbc", true},
        {NULL, false},          {"", false},           {"tuned,basic", false},
        {"mtree2,tree", false}, {"^mtree", false},     {"^han,mtree", false}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert_msg(coll_mtree_params_ask(cases[i].list) == cases[i].asks, "row %zu",
                      i);
    }
}

/* What only tunes does not ask. */
UNIT_TEST(a_request_asks_for_mtree)
{
    static char name[] = "a.json";

    coll_mtree_params.algorithm = coll_mtree_params.hosts = name;
    coll_mtree_params.trees = 3;
    coll_mtree_params.min_bytes = 0;
    ck_assert(!coll_mtree_params_ask(NULL));
    coll_mtree_params.plan = name;
    ck_assert(coll_mtree_params_ask("tuned"));
    coll_mtree_params.plan = NULL;
    coll_mtree_params.encrypt = true;
    ck_assert(coll_mtree_params_ask(NULL));
}

UNIT_TEST(a_plan_may_have_as_many_trees_as_the_user_says_or_there_are_ranks)
{
    coll_mtree_params.trees = 10;
    ck_assert_int_eq(coll_mtree_params_max_trees(4), 10);
    ck_assert_int_eq(coll_mtree_params_max_trees(1000), 1000);
    coll_mtree_params.trees = 0;
    ck_assert_int_eq(coll_mtree_params_max_trees(4), COLL_MTREE_MOST_TREES);
}

#define LINES "protocol 9\ntrees 0\nchunk 65536\n"

static void assert_line(const char *line, const char *expected)
{
    ck_assert_uint_eq(strcspn(line, "\n"), strlen(expected));
    ck_assert_int_eq(strncmp(line, expected, strlen(expected)), 0);
}

UNIT_TEST(the_first_line_that_differs_is_named)
{
    static const struct {
        const char *theirs, *own, *their; /* NULL: none; which versions do not have */
    } cases[] = {
        {"protocol 8\ntrees 1\n\n1", "protocol 9", "protocol 8"},
        {"protocol 9\ntrees 1\nchunk 1\n\n1", "trees 0", "trees 1"},
        {"protocol 9\ntrees 0\nchunk 6553\n\n1", "chunk 65536", "chunk 6553"},
        {"protocol 9\ntrees 0\nchunk 655361\n\n1", "chunk 65536", "chunk 655361"},
        {"", NULL, NULL},
        {"protocol 9\n\n1", NULL, NULL},
        {"protocol 9", NULL, NULL}};
    const char *own = "", *theirs = LINES;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *line = LINES, *their_line = cases[i].theirs;

        ck_assert_int_eq(coll_mtree_params_find_difference(&line, &their_line),
                         cases[i].own != NULL);
        if (cases[i].own != NULL) {
            assert_line(line, cases[i].own);
            assert_line(their_line, cases[i].their);
        }
    }
    ck_assert(!coll_mtree_params_find_difference(&own, &theirs));
}

UNIT_FIXTURE(setup, NULL)
