/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithms coll_mtree_algorithm chooses. */
#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/params.h"
#include "tests/unit/runner.h"

static const char *chosen[MTREE_COLLECTIVE_LAST];

static bool choose(const char *text)
{
    heard_start();
    memset(chosen, 0, sizeof(chosen));
    return coll_mtree_algorithm_read(text, chosen);
}

/* A name is for every collective that the algorithm does, a collective before it limits
 * it; the last of several counts, and empty ones do not.  Results that must not vary are
 * not summed by arrival. */
static const struct {
    const char *text;
    bool deterministic;
    const char *allreduce, *reduce, *bcast, *allgather, *others;
    int lines;
} rows[] = {
    {"packing", false, "packing", "packing", "packing", "packing", "packing", 0},
    {"arrival", false, "arrival", "arrival", "arrival", NULL, NULL, 0},
    {"bcast:packing", false, NULL, NULL, "packing", NULL, NULL, 0},
    {",packing,,allreduce:ring,", false, "ring", "packing", "packing", "packing",
     "packing", 0},
    {"", false, NULL, NULL, NULL, NULL, NULL, 0},
    {"allreduce:arrival,bcast:arrival", true, NULL, NULL, "arrival", NULL, NULL, 1},
};

UNIT_EACH(algorithms_are_chosen_by_name, rows)
{
    coll_mtree_params.deterministic = rows[_i].deterministic;
    ck_assert(choose(rows[_i].text));
    ck_assert_int_eq(heard_lines(), rows[_i].lines);
    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        const char *wanted = c == MTREE_ALLREDUCE   ? rows[_i].allreduce
                             : c == MTREE_REDUCE    ? rows[_i].reduce
                             : c == MTREE_BCAST     ? rows[_i].bcast
                             : c == MTREE_ALLGATHER ? rows[_i].allgather
                                                    : rows[_i].others;

        ck_assert_pstr_eq(chosen[c], wanted);
    }
}

static const struct {
    const char *text, *what;
} bad[] = {
    {"nonsense", "coll_mtree_algorithm: planner: there is no algorithm nonsense; "},
    {"bcast:nonsense", "coll_mtree_algorithm: planner: there is no algorithm nonsense; "},
    {"bcast:pakcing", "coll_mtree_algorithm: planner: there is no algorithm pakcing "
                      "(did you mean packing?); "},
    {"bcats:packing", "coll_mtree_algorithm: bcats is none of allreduce, "},
    {"allgather:arrival",
     "coll_mtree_algorithm: planner: algorithm arrival does not do allgather; "},
    {"packing,nonsense,worse",
     "coll_mtree_algorithm: planner: there is no algorithm nonsense; "},
};

UNIT_EACH(what_is_wrong_is_logged_in_one_line, bad)
{
    ck_assert(!choose(bad[_i].text));
    heard_line(bad[_i].what);
    heard_text("; the fallback serves");
}

/* Check runs each test in a process of its own, so each reads the parameter anew. */
UNIT_TEST(the_parameter_is_read_once)
{
    char text[] = "reduce:packing", later[] = "nonsense";

    coll_mtree_params.algorithm = text;
    ck_assert(coll_mtree_algorithm_check());
    coll_mtree_params.algorithm = later;
    ck_assert(coll_mtree_algorithm_check());
    ck_assert_str_eq(coll_mtree_algorithm_of(MTREE_REDUCE), "packing");
    ck_assert_ptr_null(coll_mtree_algorithm_of(MTREE_BCAST));
}

UNIT_TEST(a_parameter_that_is_invalid_is_logged_once)
{
    char text[] = "nonsense";

    coll_mtree_params.algorithm = text;
    ck_assert(!coll_mtree_algorithm_check());
    ck_assert(!coll_mtree_algorithm_check());
    ck_assert_int_eq(heard_lines(), 1);
}

UNIT_TEST(without_a_parameter_the_planner_chooses)
{
    coll_mtree_params.algorithm = NULL;
    ck_assert(coll_mtree_algorithm_check());
    ck_assert_ptr_null(coll_mtree_algorithm_of(MTREE_ALLREDUCE));
}
