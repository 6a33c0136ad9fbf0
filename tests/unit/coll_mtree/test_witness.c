/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process concludes from another one about the settings of all. */
#include "coll_mtree/control/witness.h"

#include <check.h>
#include <stdlib.h>

#define WORLD 6

START_TEST(what_is_published_is_read)
{
    char text[8];
    int different = -1;

    ck_assert(coll_mtree_witness_write(COLL_MTREE_ALIKE, -1, WORLD, text, sizeof(text)));
    ck_assert(coll_mtree_witness_read(text, &different));
    ck_assert_int_eq(different, WORLD);
    ck_assert(
        coll_mtree_witness_write(COLL_MTREE_DIFFERENT, 3, WORLD, text, sizeof(text)));
    ck_assert(coll_mtree_witness_read(text, &different));
    ck_assert_int_eq(different, 3);
    ck_assert(!coll_mtree_witness_write(COLL_MTREE_DIFFERENT, 30, WORLD, text, 2));
}
END_TEST

START_TEST(who_does_not_know_is_no_witness)
{
    char text[8];
    int different = -1;

    ck_assert(coll_mtree_witness_write(COLL_MTREE_UNKNOWN, 3, WORLD, text, sizeof(text)));
    ck_assert(!coll_mtree_witness_read(text, &different));
    ck_assert(!coll_mtree_witness_read(NULL, &different));
    ck_assert(!coll_mtree_witness_read("-1", &different));
    ck_assert(!coll_mtree_witness_read("3 ranks", &different));
    ck_assert(!coll_mtree_witness_read("99999999999", &different));
    ck_assert_int_eq(different, -1);
}
END_TEST

static coll_mtree_likeness_t judge_two(int witness, int different, int a, int b)
{
    const coll_mtree_witness_t known = {witness, different};
    const int ranks[] = {a, b};

    return coll_mtree_witness_judge(&known, ranks, 2);
}

START_TEST(all_are_alike_where_the_witness_has_found_no_other)
{
    const coll_mtree_witness_t witness = {2, WORLD};
    const int ranks[] = {5, 0, 3};

    ck_assert_int_eq(coll_mtree_witness_judge(&witness, ranks, 3), COLL_MTREE_ALIKE);
}
END_TEST

START_TEST(the_first_other_rank_differs_from_those_before_it_and_the_witness)
{
    ck_assert_int_eq(judge_two(0, 3, 1, 3), COLL_MTREE_DIFFERENT);
    ck_assert_int_eq(judge_two(5, 3, 3, 5), COLL_MTREE_DIFFERENT);
    ck_assert_int_eq(judge_two(5, 3, 1, 5), COLL_MTREE_ALIKE);
    ck_assert_int_eq(judge_two(5, 0, 0, 5), COLL_MTREE_DIFFERENT);
}
END_TEST

START_TEST(nothing_is_known_of_ranks_after_the_first_other_one)
{
    ck_assert_int_eq(judge_two(0, 3, 1, 4), COLL_MTREE_UNKNOWN);
    ck_assert_int_eq(judge_two(0, 3, 3, 4), COLL_MTREE_UNKNOWN);
    ck_assert_int_eq(judge_two(0, 3, 3, 3), COLL_MTREE_UNKNOWN);
}
END_TEST

START_TEST(nothing_is_known_of_another_world)
{
    ck_assert_int_eq(judge_two(0, WORLD, 1, -1), COLL_MTREE_UNKNOWN);
}
END_TEST

/* Two processes that find different answers would wait for each other: whatever the
 * settings of four ranks, no witness tells a lie of any two. */
START_TEST(every_witness_is_right_of_every_pair)
{
    for (int code = 0; code < 81; code++) {
        const int set[] = {code % 3, code / 3 % 3, code / 9 % 3, code / 27};

        for (int w = 0; w < 4; w++) {
            int different = 0;

            while (different < 4 && set[different] == set[w]) {
                different++;
            }
            for (int pair = 0; pair < 16; pair++) {
                int a = pair / 4, b = pair % 4;
                coll_mtree_likeness_t likeness = judge_two(w, different, a, b);

                ck_assert(likeness == COLL_MTREE_UNKNOWN ||
                          (likeness == COLL_MTREE_ALIKE) == (set[a] == set[b]));
                ck_assert(likeness != COLL_MTREE_UNKNOWN || different < 4);
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("witness");
    TCase *tests = tcase_create("witness");
    SRunner *runner;
    int failed;

    tcase_add_test(tests, what_is_published_is_read);
    tcase_add_test(tests, who_does_not_know_is_no_witness);
    tcase_add_test(tests, all_are_alike_where_the_witness_has_found_no_other);
    tcase_add_test(tests,
                   the_first_other_rank_differs_from_those_before_it_and_the_witness);
    tcase_add_test(tests, nothing_is_known_of_ranks_after_the_first_other_one);
    tcase_add_test(tests, nothing_is_known_of_another_world);
    tcase_add_test(tests, every_witness_is_right_of_every_pair);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
