/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a communicator's info keys. */
#include "coll_mtree/base/hint_values.h"

#include <check.h>
#include <stdlib.h>

START_TEST(trees_are_a_number_up_to_the_most)
{
    int trees = -1;

    ck_assert(coll_mtree_hint_parse_trees("0", &trees) && trees == 0);
    ck_assert(coll_mtree_hint_parse_trees("7", &trees) && trees == 7);
    ck_assert(coll_mtree_hint_parse_trees("64", &trees) && trees == 64);
}
END_TEST

START_TEST(other_numbers_of_trees_leave_what_was_there)
{
    const char *const bad[] = {"",   "-1",  "65",   "3x",
                               "x3", "3.5", "many", "99999999999999999999"};
    int trees = 5;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert(!coll_mtree_hint_parse_trees(bad[i], &trees));
        ck_assert_int_eq(trees, 5);
    }
}
END_TEST

START_TEST(chunks_are_a_size_up_to_a_gibibyte)
{
    int bytes = -1;

    ck_assert(coll_mtree_hint_parse_chunk("0", &bytes) && bytes == 0);
    ck_assert(coll_mtree_hint_parse_chunk("1000", &bytes) && bytes == 1000);
    ck_assert(coll_mtree_hint_parse_chunk("32k", &bytes) && bytes == 32768);
    ck_assert(coll_mtree_hint_parse_chunk("1G", &bytes) && bytes == 1 << 30);
}
END_TEST

START_TEST(other_chunks_leave_what_was_there)
{
    const char *const bad[] = {"", "-1", "2G", "32 k b", "big"};
    int bytes = 5;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert(!coll_mtree_hint_parse_chunk(bad[i], &bytes));
        ck_assert_int_eq(bytes, 5);
    }
}
END_TEST

START_TEST(a_difference_names_key_ranks_and_values)
{
    coll_mtree_hint_values_t own = {.trees = 4, .chunk_bytes = -1, .algorithms = 7};
    coll_mtree_hint_values_t theirs = own;
    char text[COLL_MTREE_HINT_TEXT];

    ck_assert(!coll_mtree_hint_find_difference(&own, &theirs, 3, text));
    theirs.algorithms = 8;
    ck_assert(coll_mtree_hint_find_difference(&own, &theirs, 3, text));
    ck_assert_str_eq(text, "mtree_algorithm: rank 3 has another");
    theirs.chunk_bytes = 1 << 30;
    ck_assert(coll_mtree_hint_find_difference(&own, &theirs, 3, text));
    ck_assert_str_eq(text, "mtree_chunk: not given on rank 0, but 1073741824 on rank 3");
    theirs.trees = 0;
    ck_assert(coll_mtree_hint_find_difference(&own, &theirs, 123456, text));
    ck_assert_str_eq(text, "mtree_trees: 4 on rank 0, but 0 on rank 123456");
}
END_TEST

START_TEST(the_hint_comes_before_the_parameter_and_ranks_before_both)
{
    ck_assert_int_eq(coll_mtree_hint_max_trees(-1, 10, 4), 10);
    ck_assert_int_eq(coll_mtree_hint_max_trees(20, 10, 4), 20);
    ck_assert_int_eq(coll_mtree_hint_max_trees(0, 10, 4), COLL_MTREE_MOST_TREES);
    ck_assert_int_eq(coll_mtree_hint_max_trees(-1, 0, 4), COLL_MTREE_MOST_TREES);
    ck_assert_int_eq(coll_mtree_hint_max_trees(-1, -1, 4), COLL_MTREE_MOST_TREES);
    ck_assert_int_eq(coll_mtree_hint_max_trees(3, 10, 1000), 1000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hint_values");
    TCase *tcase = tcase_create("hint_values");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, trees_are_a_number_up_to_the_most);
    tcase_add_test(tcase, other_numbers_of_trees_leave_what_was_there);
    tcase_add_test(tcase, chunks_are_a_size_up_to_a_gibibyte);
    tcase_add_test(tcase, other_chunks_leave_what_was_there);
    tcase_add_test(tcase, a_difference_names_key_ranks_and_values);
    tcase_add_test(tcase, the_hint_comes_before_the_parameter_and_ranks_before_both);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
