/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithms coll_mtree_algorithm chooses. */
#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/params.h"
#include "tests/unit/runner.h"

#include <string.h>

static const char *chosen[MTREE_COLLECTIVE_LAST];

static bool choose(const char *text)
{
    heard_start();
    memset(chosen, 0, sizeof(chosen));
    return coll_mtree_algorithm_read(text, chosen);
}

UNIT_TEST(a_name_is_for_every_collective_that_the_algorithm_does)
{
    ck_assert(choose("packing"));
    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        ck_assert_str_eq(chosen[c], "packing");
    }
    ck_assert(choose("arrival"));
    ck_assert_str_eq(chosen[MTREE_ALLREDUCE], "arrival");
    ck_assert_ptr_null(chosen[MTREE_ALLGATHER]);
    ck_assert_int_eq(heard_lines(), 0);
}

UNIT_TEST(a_collective_before_the_name_limits_it)
{
    ck_assert(choose("bcast:packing"));
    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        ck_assert_int_eq(chosen[c] != NULL, c == MTREE_BCAST);
    }
}

UNIT_TEST(the_last_of_several_counts_and_empty_ones_do_not)
{
    ck_assert(choose(",packing,,allreduce:ring,"));
    ck_assert_str_eq(chosen[MTREE_ALLREDUCE], "ring");
    ck_assert_str_eq(chosen[MTREE_REDUCE], "packing");
    ck_assert(choose(""));
    ck_assert_ptr_null(chosen[MTREE_ALLREDUCE]);
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

UNIT_TEST(results_that_must_not_vary_are_not_summed_by_arrival)
{
    coll_mtree_params.deterministic = true;
    ck_assert(choose("allreduce:arrival,bcast:arrival"));
    ck_assert_ptr_null(chosen[MTREE_ALLREDUCE]);
    ck_assert_str_eq(chosen[MTREE_BCAST], "arrival");
    ck_assert_int_eq(heard_lines(), 1);
    coll_mtree_params.deterministic = false;
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
