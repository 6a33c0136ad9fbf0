/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts are numbered as ranks name them. */
#include "coll_mtree/control/host_numbers.h"
#include "tests/unit/runner.h"

UNIT_TEST(hosts_are_numbered_in_the_order_of_their_first_ranks)
{
    const char *const names[] = {"b", "a", "b", "c", "a"};
    const int hosts[] = {0, 1, 0, 2, 1}, firsts[] = {0, 1, 3};
    coll_mtree_host_numbers_t numbers;

    coll_mtree_host_numbers_create(names, 5, &numbers);
    ck_assert_int_eq(numbers.num_ranks, 5);
    ck_assert_int_eq(numbers.num_hosts, 3);
    ck_assert_mem_eq(numbers.host, hosts, sizeof(hosts));
    ck_assert_mem_eq(numbers.first, firsts, sizeof(firsts));
    for (int rank = 0; rank < 5; rank++) {
        ck_assert_int_eq(coll_mtree_host_is_first(numbers.host, rank),
                         rank != 2 && rank != 4);
    }
    coll_mtree_host_numbers_cleanup(&numbers);
    ck_assert_int_eq(numbers.num_hosts, 0);
    ck_assert_ptr_null(numbers.host);
}

UNIT_TEST(many_ranks_are_numbered)
{
    enum { HOSTS = 500, RANKS = 4 * HOSTS };
    static char text[HOSTS][16];
    static const char *names[RANKS];
    coll_mtree_host_numbers_t numbers;

    for (int rank = 0; rank < RANKS; rank++) {
        snprintf(text[rank % HOSTS], sizeof(text[0]), "node%d", rank % HOSTS);
        names[rank] = text[rank % HOSTS];
    }
    coll_mtree_host_numbers_create(names, RANKS, &numbers);
    ck_assert_int_eq(numbers.num_hosts, HOSTS);
    for (int rank = 0; rank < RANKS; rank++) {
        ck_assert_int_eq(numbers.host[rank], rank % HOSTS);
    }
    coll_mtree_host_numbers_cleanup(&numbers);
}
