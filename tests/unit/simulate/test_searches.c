/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a choice searches for trees, and where plans that take no search are enough.
 */
#include "tests/unit/given.h"

#include "simulate/forecast/choice.h"

/* Is a packing among the candidates for a call of @a bytes? */
static bool is_packing_sought(const char *shape, mtree_collective_t collective,
                              double bytes)
{
    const mtree_plan_request_t request = {
        .collective = collective, .max_trees = 10, .bytes = bytes};
    mtree_candidate_list_t list;
    OWNED(plan) *plan = NULL;
    bool sought = false;

    given(map_shape(shape, 1e10, 1e-6));
    unit_ok(mtree_choice_plan(topology, hosts, num_hosts, &request, &plan, &list));
    for (int c = 0; c < list.count; c++) {
        sought = sought || strcmp(list.list[c].algorithm, "packing") == 0;
    }
    ck_assert_double_gt(plan->bound, 0.0);
    ck_assert_ptr_nonnull(plan->limit);
    return sought;
}

/* Trees from each host have so many messages that a short call in few rounds is over
 * before. */
UNIT_TEST(trees_with_too_many_messages_are_not_sought)
{
    ck_assert(!is_packing_sought("torus:5x5", MTREE_ALLGATHER, 1024));
    ck_assert(is_packing_sought("torus:5x5", MTREE_ALLGATHER, 16e6));
}

/* Behind switches two trees carry what a packing does, so hundreds of hosts need no
 * search, which takes seconds.  Where hosts forward and have several links, long messages
 * take its trees. */
UNIT_LOOP(many_hosts_are_searched_where_that_fills_links, 0, unit_loops(3, 7))
{
    static const struct {
        const char *shape;
        mtree_collective_t collective;
        double bytes;
        bool is_sought;
    } cases[] = {{"torus:9x9", MTREE_ALLREDUCE, 64e6, true},
                 {"fattree:16", MTREE_BCAST, 64e3, false},
                 {"torus:8x8x8", MTREE_REDUCE, 16e6, true},
                 {"fattree:16", MTREE_REDUCE, 16e6, false},
                 {"fattree:16", MTREE_ALLREDUCE, 1e6, false},
                 {"torus:8x8x8", MTREE_REDUCE, 64e3, false},
                 {"random:512:2048", MTREE_BCAST, 16e6, true}};

    ck_assert_int_eq(
        is_packing_sought(cases[_i].shape, cases[_i].collective, cases[_i].bytes),
        cases[_i].is_sought);
}

/* A search for an all-to-all takes minutes then. */
UNIT_TEST(so_many_hosts_behind_a_switch_exchange_directly)
{
    ck_assert(!is_packing_sought("star:512", MTREE_ALLTOALL, 16e6));
}

UNIT_FIXTURE(NULL, forget)
