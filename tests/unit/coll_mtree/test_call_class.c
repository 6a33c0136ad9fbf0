/* SPDX-License-Identifier: BSD-3-Clause */
/* The key of all that is kept about similar calls, and tables of it. */
#include "coll_mtree/base/class_table.h"

#include "coll_mtree/base/tuning.h"
#include "tests/unit/runner.h"

static coll_mtree_call_class_t allreduce_of(size_t bytes)
{
    return coll_mtree_call_class_of(MTREE_ALLREDUCE, 0, bytes);
}

/* Calls of a size to a factor of two share a class, and all short ones do. */
UNIT_TEST(sizes_have_classes)
{
    static const struct {
        size_t bytes;
        int class;
        double kept;
    } cases[] = {{4096, 12, 4096},
                 {8191, 12, 8191},
                 {8192, 13, 8192},
                 {1, 10, COLL_MTREE_SHORT_BYTES},
                 {1023, 10, COLL_MTREE_SHORT_BYTES},
                 {2048, 11, 2048},
                 {SIZE_MAX, 63, 0x1p64}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const coll_mtree_call_class_t is = allreduce_of(cases[i].bytes);

        ck_assert_msg(is.size_class == cases[i].class && is.bytes == cases[i].kept,
                      "row %zu: class %d, %g bytes", i, is.size_class, is.bytes);
        for (size_t j = 0; j < i; j++) {
            const coll_mtree_call_class_t other = allreduce_of(cases[j].bytes);

            ck_assert_int_eq(coll_mtree_call_class_equals(&is, &other),
                             cases[i].class == cases[j].class);
        }
    }
}

/* The plan of an all-to-all is made for what a host sends. */
UNIT_TEST(an_alltoall_is_planned_by_host)
{
    ck_assert(coll_mtree_call_class_host_share(MTREE_ALLTOALL, 12, 4) == 3);
    ck_assert(coll_mtree_call_class_host_share(MTREE_ALLTOALL, 13, 4) == 4);
    ck_assert(coll_mtree_call_class_host_share(MTREE_SCATTER, 12, 4) == 1);
    ck_assert(coll_mtree_call_class_host_share(MTREE_ALLGATHER, 12, 4) == 1);
}

UNIT_TEST(the_root_counts_where_there_is_one)
{
    coll_mtree_call_class_t a = coll_mtree_call_class_of(MTREE_BCAST, 1, 1),
                            b = coll_mtree_call_class_of(MTREE_BCAST, 2, 1),
                            c = coll_mtree_call_class_of(MTREE_ALLREDUCE, 1, 1),
                            d = coll_mtree_call_class_of(MTREE_ALLREDUCE, 2, 1);

    ck_assert_int_eq(a.root, 1);
    ck_assert(!coll_mtree_call_class_equals(&a, &b));
    ck_assert_int_eq(c.root, -1);
    ck_assert(coll_mtree_call_class_equals(&c, &d));
}

/* Classes that differ from the first in one thing each. */
UNIT_TEST(everything_but_the_exact_bytes_is_part_of_the_key)
{
    coll_mtree_call_class_t again,
        classes[] = {coll_mtree_call_class_of(MTREE_REDUCE, 3, 1 << 20),
                     coll_mtree_call_class_of(MTREE_BCAST, 3, 1 << 20),
                     coll_mtree_call_class_of(MTREE_REDUCE, 0, 1 << 20),
                     coll_mtree_call_class_of(MTREE_REDUCE, 3, 1 << 21),
                     coll_mtree_call_class_of(MTREE_REDUCE, 3, 1 << 20)};

    classes[4].path = COLL_MTREE_BY_RELAYS;
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            ck_assert_int_eq(coll_mtree_call_class_equals(&classes[i], &classes[j]),
                             i == j);
            ck_assert_int_eq(coll_mtree_call_class_hash(&classes[i]) ==
                                 coll_mtree_call_class_hash(&classes[j]),
                             i == j);
        }
        again = classes[i];
        again.bytes++;
        ck_assert(coll_mtree_call_class_equals(&classes[i], &again));
        ck_assert(coll_mtree_call_class_hash(&classes[i]) ==
                  coll_mtree_call_class_hash(&again));
    }
}

/* Tables have a power of two of buckets, so the low bits must differ. */
UNIT_TEST(hashes_of_similar_classes_differ_in_their_low_bits)
{
    int in_bucket[64] = {0};

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        for (int size = 10; size < 23; size++) {
            coll_mtree_call_class_t call_class =
                coll_mtree_call_class_of((mtree_collective_t)c, 0, (size_t)1 << size);

            in_bucket[coll_mtree_call_class_hash(&call_class) & 63]++;
        }
    }
    for (int b = 0; b < 64; b++) {
        ck_assert_int_lt(in_bucket[b], 8);
    }
}

typedef struct {
    coll_mtree_class_node_t node;
    int number;
} element_t;

static int cleared;

static void clear(void *element)
{
    cleared += ((element_t *)element)->number;
}

UNIT_TEST(a_table_has_one_element_per_class_in_the_order_of_their_first_calls)
{
    coll_mtree_class_table_t table;
    mtree_list_t *link;
    element_t *element;
    int next = 6;

    coll_mtree_class_table_init(&table);
    for (int size = 6; size < 40; size++) {
        coll_mtree_call_class_t call_class = allreduce_of((size_t)1024 << size);

        ck_assert_ptr_null(coll_mtree_class_table_find(&table, &call_class));
        element = coll_mtree_class_table_get(&table, &call_class, sizeof(*element));
        ck_assert_int_eq(element->number, 0);
        element->number = size;
        ck_assert_ptr_eq(coll_mtree_class_table_find(&table, &call_class), element);
        ck_assert_ptr_eq(
            coll_mtree_class_table_get(&table, &call_class, sizeof(*element)), element);
    }
    COLL_MTREE_CLASS_TABLE_FOR_EACH(element, link, &table)
    {
        ck_assert_int_eq(element->node.call_class.size_class, 10 + next);
        ck_assert_int_eq(element->number, next++);
    }
    ck_assert_int_eq(next, 40);
    cleared = 0;
    coll_mtree_class_table_cleanup(&table, clear);
    ck_assert_int_eq(cleared, (6 + 39) * 34 / 2);
    ck_assert(mtree_list_is_empty(&table.nodes));
    /* An empty one has nothing to clear. */
    coll_mtree_class_table_init(&table);
    coll_mtree_class_table_cleanup(&table, clear);
    ck_assert_int_eq(cleared, (6 + 39) * 34 / 2);
}
