/* SPDX-License-Identifier: BSD-3-Clause */
/* The local rank of a process among those of its host, as coll_mtree_hosts has them. */
#include "coll_mtree/control/local_rank.h"
#include "tests/unit/runner.h"

static const coll_mtree_local_rank_t real = {7, 9};

/* Without a list, and behind it, the local rank is the real one; empty names do not
 * count. */
static const struct {
    const char *hosts;
    int rank;
    coll_mtree_local_rank_t local;
} cases[] = {{NULL, 0, {7, 9}},
             {"", 0, {7, 9}},
             {",", 0, {7, 9}},
             {"a,b,a,ab,a,b", 0, {0, 3}},
             {"a,b,a,ab,a,b", 1, {0, 2}},
             {"a,b,a,ab,a,b", 2, {1, 3}},
             {"a,b,a,ab,a,b", 3, {0, 1}},
             {"a,b,a,ab,a,b", 4, {2, 3}},
             {"a,b,a,ab,a,b", 5, {1, 2}},
             {"a,b", 2, {7, 9}},
             {",a,,b,a,", 0, {0, 2}},
             {",a,,b,a,", 1, {0, 1}},
             {",a,,b,a,", 2, {1, 2}},
             {",a,,b,a,", 3, {7, 9}}};

UNIT_EACH(a_list_has_local_ranks, cases)
{
    coll_mtree_local_rank_t local =
        coll_mtree_local_rank_find(cases[_i].hosts, cases[_i].rank, real);

    ck_assert_msg(local.index == cases[_i].local.index &&
                      local.count == cases[_i].local.count,
                  "rank %d of '%s': %d of %d", cases[_i].rank, cases[_i].hosts,
                  local.index, local.count);
}

UNIT_TEST(a_list_names_the_hosts_of_its_ranks)
{
    size_t length;

    ck_assert_ptr_null(coll_mtree_listed_host(NULL, 0, &length));
    ck_assert_ptr_null(coll_mtree_listed_host("", 0, &length));
    ck_assert_ptr_null(coll_mtree_listed_host("a,b", 2, &length));
    ck_assert_str_eq(coll_mtree_listed_host("a,,bc,d", 1, &length), "bc,d");
    ck_assert_uint_eq(length, 2);
    ck_assert_str_eq(coll_mtree_listed_host("a,,bc,d", 2, &length), "d");
    ck_assert_uint_eq(length, 1);
}
