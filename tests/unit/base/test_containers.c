/* SPDX-License-Identifier: BSD-3-Clause */
/* Arenas, growing arrays, lists and hash tables. */
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/list.h"
#include "tests/unit/runner.h"

typedef struct {
    int number;
    mtree_list_t list;
    mtree_hash_link_t hash;
} item_t;

UNIT_TEST(an_array_keeps_its_elements_as_it_grows)
{
    int *numbers = NULL, capacity = 0, i;

    for (i = 0; i < 1000; ++i) {
        mtree_array_reserve(&numbers, &capacity, i + 1, sizeof(*numbers));
        ck_assert_int_gt(capacity, i);
        numbers[i] = i;
    }
    for (i = 0; i < 1000; ++i) {
        ck_assert_int_eq(numbers[i], i);
    }
    free(numbers);
}

UNIT_TEST(a_list_takes_over_the_links_of_another)
{
    item_t items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
    mtree_list_t to, from;

    mtree_list_init(&to);
    mtree_list_init(&from);
    mtree_list_move(&to, &from);
    ck_assert(mtree_list_is_empty(&to));
    mtree_list_append(&to, &items[0].list);
    mtree_list_append(&from, &items[1].list);
    mtree_list_append(&from, &items[2].list);
    mtree_list_move(&to, &from);
    ck_assert(mtree_list_is_empty(&from));
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_eq(mtree_list_take(&to), &items[i].list);
    }
    ck_assert(mtree_list_is_empty(&to));
    mtree_list_move(&to, &from);
    ck_assert(mtree_list_is_empty(&to));
}

UNIT_TEST(an_arena_gives_zeroed_memory)
{
    mtree_arena_t arena = {0};
    double *numbers = mtree_arena_alloc(&arena, 100, sizeof(*numbers));

    ck_assert_ptr_nonnull(numbers);
    for (int i = 0; i < 100; ++i) {
        ck_assert_double_eq(numbers[i], 0);
    }
    ck_assert_ptr_nonnull(mtree_arena_alloc(&arena, 0, sizeof(*numbers)));
    mtree_arena_cleanup(&arena);
    ck_assert_ptr_null(arena.blocks);
}

UNIT_TEST(an_array_of_an_arena_grows)
{
    mtree_arena_t arena = {0};
    int *squares = NULL, count = 0, capacity = 0;

    for (int i = 0; i < 100; i++) {
        int *added = MTREE_ARENA_APPEND(&arena, squares, count, capacity);

        ck_assert_ptr_eq(added, &squares[i]);
        ck_assert_int_eq(*added, 0);
        *added = i * i;
    }
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(squares[i], i * i);
    }
    ck_assert_int_eq(count, 100);
    mtree_arena_cleanup(&arena);
}

UNIT_TEST(a_list_keeps_the_order_and_loses_what_is_removed)
{
    item_t items[4];
    mtree_list_t head, *link, *next;
    int i, sum = 0;

    mtree_list_init(&head);
    ck_assert(mtree_list_is_empty(&head));
    for (i = 0; i < 4; ++i) {
        items[i].number = i;
        mtree_list_append(&head, &items[i].list);
    }
    MTREE_LIST_FOR_EACH_SAFE(link, next, &head)
    {
        if (MTREE_CONTAINER_OF(link, item_t, list)->number % 2 == 1) {
            mtree_list_remove(link);
        }
    }
    MTREE_LIST_FOR_EACH(link, &head)
    {
        sum = 10 * sum + MTREE_CONTAINER_OF(link, item_t, list)->number;
    }
    ck_assert_int_eq(sum, 2); /* 0, 2 */
    ck_assert_ptr_eq(mtree_list_take(&head), &items[0].list);
    ck_assert_ptr_eq(mtree_list_take(&head), &items[2].list);
    ck_assert_ptr_null(mtree_list_take(&head));
}

/* From http://www.isthe.com/chongo/tech/comp/fnv: FNV-1a of "" and "foobar". */
UNIT_TEST(hashes_are_fnv_1a)
{
    ck_assert_uint_eq(mtree_hash_bytes(MTREE_HASH_INIT, "", 0),
                      UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(mtree_hash_bytes(MTREE_HASH_INIT, "foobar", 6),
                      UINT64_C(0x85944171f73967e8));
    ck_assert_uint_ne(mtree_hash_string(mtree_hash_string(MTREE_HASH_INIT, "ab"), "c"),
                      mtree_hash_string(mtree_hash_string(MTREE_HASH_INIT, "a"), "bc"));
}

static bool has_number(const mtree_hash_link_t *link, const void *key)
{
    return MTREE_CONTAINER_OF(link, item_t, hash)->number == *(const int *)key;
}

UNIT_TEST(a_table_finds_every_element_also_under_one_hash)
{
    enum { COUNT = 300 };
    static item_t items[COUNT];
    UNIT_OWNED(mtree_hash_table_cleanup) mtree_hash_table_t table = {.buckets = NULL};
    int i = 7;

    ck_assert_ptr_null(mtree_hash_table_find(&table, 7, has_number, &i));
    for (i = 0; i < COUNT; ++i) {
        items[i].number = i;
        mtree_hash_table_add(&table, &items[i].hash, (uint64_t)(i % 50));
    }
    for (i = 0; i < COUNT; i += 3) {
        mtree_hash_table_remove(&table, &items[i].hash);
    }
    for (i = 0; i < COUNT; ++i) {
        mtree_hash_link_t *link =
            mtree_hash_table_find(&table, (uint64_t)(i % 50), has_number, &i);

        ck_assert_ptr_eq(link, i % 3 == 0 ? NULL : &items[i].hash);
    }
    ck_assert_uint_eq(table.count, COUNT - COUNT / 3);
}
