/* SPDX-License-Identifier: BSD-3-Clause */
/* The seat of a process among those of its host, as coll_mtree_hosts has them. */
#include "coll_mtree/control/seat.h"
#include "tests/unit/runner.h"

static const coll_mtree_seat_t real = {7, 9};

static void assert_seat(const char *hosts, int rank, int index, int count)
{
    coll_mtree_seat_t seat = coll_mtree_seat_find(hosts, rank, real);

    ck_assert_int_eq(seat.index, index);
    ck_assert_int_eq(seat.count, count);
}

UNIT_TEST(without_a_list_the_seat_is_the_real_one)
{
    assert_seat(NULL, 0, real.index, real.count);
    assert_seat("", 0, real.index, real.count);
    assert_seat(",", 0, real.index, real.count);
}

UNIT_TEST(a_list_seats_its_ranks)
{
    const char *hosts = "a,b,a,ab,a,b";
    const int indices[] = {0, 0, 1, 0, 2, 1}, counts[] = {3, 2, 3, 1, 3, 2};

    for (int rank = 0; rank < 6; rank++) {
        assert_seat(hosts, rank, indices[rank], counts[rank]);
    }
}

UNIT_TEST(a_rank_behind_the_list_has_its_real_seat)
{
    assert_seat("a,b", 2, real.index, real.count);
}

UNIT_TEST(a_list_names_the_hosts_of_its_ranks)
{
    size_t length;

    ck_assert_ptr_null(coll_mtree_seat_host(NULL, 0, &length));
    ck_assert_ptr_null(coll_mtree_seat_host("", 0, &length));
    ck_assert_ptr_null(coll_mtree_seat_host("a,b", 2, &length));
    ck_assert_str_eq(coll_mtree_seat_host("a,,bc,d", 1, &length), "bc,d");
    ck_assert_uint_eq(length, 2);
    ck_assert_str_eq(coll_mtree_seat_host("a,,bc,d", 2, &length), "d");
    ck_assert_uint_eq(length, 1);
}

UNIT_TEST(empty_names_do_not_count)
{
    assert_seat(",a,,b,a,", 0, 0, 2);
    assert_seat(",a,,b,a,", 1, 0, 1);
    assert_seat(",a,,b,a,", 2, 1, 2);
    assert_seat(",a,,b,a,", 3, real.index, real.count);
}
