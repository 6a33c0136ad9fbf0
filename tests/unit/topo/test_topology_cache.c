/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/captured_log.h"
#include "topo/dot/cache.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY 86400

static const char *const names[] = {"alpha", "beta"};
static const char *const addresses[] = {"10.0.0.1", "10.0.0.2"};
static const mtree_cache_key_t key = {2, names, addresses, "1.2"};
static const time_t written = 1700000000;
static char folder[64]; /* made in the one that we are in */

static void setup(void)
{
    char *absolute;

    snprintf(folder, sizeof(folder), "cache.test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    absolute = realpath(folder, NULL);
    ck_assert_ptr_nonnull(absolute);
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", absolute, 1), 0);
    free(absolute);
    heard_start();
}

static void teardown(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static mtree_status_t read_as(const mtree_cache_key_t *as, double days, time_t now)
{
    size_t length;
    char *text;
    mtree_status_t status = mtree_cache_read(as, days, now, &text, &length);

    if (status == MTREE_OK) {
        ck_assert_uint_eq(length, strlen(text));
        ck_assert_ptr_nonnull(strstr(text, "\ngraph { a -- b }\n"));
        free(text);
    }
    return status;
}

static void write_one(void)
{
    ck_assert_int_eq(mtree_cache_write(&key, written, "graph { a -- b }\n"), MTREE_OK);
}

/* Refused with one line that says why. */
static void assert_refused(const mtree_cache_key_t *as, time_t now, const char *why)
{
    heard_start();
    ck_assert_int_eq(read_as(as, 7, now), MTREE_ERR_INVALID);
    ck_assert_int_eq(heard_lines(), 1);
    ck_assert_msg(strstr(heard_last(), why) != NULL, "'%s' in '%s'", why, heard_last());
}

START_TEST(test_written_is_read)
{
    char path[MTREE_CACHE_PATH_LENGTH];
    struct stat is;

    ck_assert_int_eq(read_as(&key, 7, written), MTREE_ERR_NOT_FOUND);
    write_one();
    ck_assert_int_eq(read_as(&key, 7, written + 6 * DAY), MTREE_OK);
    ck_assert_int_eq(mtree_cache_path(&key, path), MTREE_OK);
    ck_assert_int_eq(stat(path, &is), 0);
    ck_assert_uint_eq(is.st_mode & 07777, 0600);
    /* And written over. */
    write_one();
    ck_assert_int_eq(read_as(&key, 7, written), MTREE_OK);
    ck_assert_int_eq(heard_lines(), 0);
}
END_TEST

/* The order of the hosts does not matter, their addresses do. */
START_TEST(test_identity)
{
    const char *const turned_names[] = {"beta", "alpha"};
    const char *const turned_addresses[] = {"10.0.0.2", "10.0.0.1"};
    const mtree_cache_key_t turned = {2, turned_names, turned_addresses, "1.2"};
    const mtree_cache_key_t moved = {2, names, turned_addresses, "1.2"};
    const mtree_cache_key_t fewer = {1, names, addresses, "1.2"};

    write_one();
    ck_assert_int_eq(read_as(&turned, 7, written), MTREE_OK);
    ck_assert_int_eq(read_as(&moved, 7, written), MTREE_ERR_NOT_FOUND);
    ck_assert_int_eq(read_as(&fewer, 7, written), MTREE_ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_stale_and_foreign)
{
    const char *const other_addresses[] = {"10.9.0.1", "10.9.0.2"};
    const mtree_cache_key_t other = {2, names, other_addresses, "1.2"};
    const mtree_cache_key_t newer = {2, names, addresses, "1.20"};
    char path[MTREE_CACHE_PATH_LENGTH], other_path[MTREE_CACHE_PATH_LENGTH];

    write_one();
    assert_refused(&key, written + 8 * DAY, "8.0 days old");
    assert_refused(&key, written - 2 * DAY, "days old");
    assert_refused(&newer, written, "another version");
    /* Names of files may collide; the stamp tells. */
    ck_assert_int_eq(mtree_cache_path(&key, path), MTREE_OK);
    ck_assert_int_eq(mtree_cache_path(&other, other_path), MTREE_OK);
    ck_assert_str_ne(path, other_path);
    ck_assert_int_eq(rename(path, other_path), 0);
    assert_refused(&other, written, "other hosts or addresses");
}
END_TEST

START_TEST(test_files_of_others)
{
    char path[MTREE_CACHE_PATH_LENGTH], aside[MTREE_CACHE_PATH_LENGTH + 8];
    char text[512] = "";
    FILE *file;

    write_one();
    ck_assert_int_eq(mtree_cache_path(&key, path), MTREE_OK);
    ck_assert_int_eq(chmod(path, 0622), 0);
    assert_refused(&key, written, "others may have written it");
    /* A symbolic link is neither read nor written through. */
    snprintf(aside, sizeof(aside), "%s.aside", path);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(rename(path, aside), 0);
    ck_assert_int_eq(symlink(aside, path), 0);
    assert_refused(&key, written, path);
    ck_assert_int_eq(mtree_cache_write(&key, written, "graph { c -- d }\n"), MTREE_OK);
    file = fopen(aside, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "a -- b"));
    /* What is no cache. */
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("graph { a -- b }\n", file);
    fclose(file);
    assert_refused(&key, written, "no stamp of mtree");
}
END_TEST

/* Another host's process of the same number is writing to the same folder. */
START_TEST(test_two_writers)
{
    char path[MTREE_CACHE_PATH_LENGTH], other[MTREE_CACHE_PATH_LENGTH + 32];

    write_one();
    ck_assert_int_eq(mtree_cache_path(&key, path), MTREE_OK);
    snprintf(other, sizeof(other), "%s.%ld", path, (long)getpid());
    fclose(fopen(other, "w"));
    write_one();
    ck_assert_int_eq(heard_lines(), 0);
    ck_assert_int_eq(access(other, F_OK), 0);
    ck_assert_int_eq(read_as(&key, 7, written), MTREE_OK);
}
END_TEST

/* The folder is a link to where somebody else may look: nothing is written there. */
START_TEST(test_folder_is_a_link)
{
    char link[128], target[128];

    snprintf(link, sizeof(link), "%s/mtree", folder);
    snprintf(target, sizeof(target), "%s/elsewhere", folder);
    ck_assert_int_eq(mkdir(target, 0700), 0);
    ck_assert_int_eq(symlink("elsewhere", link), 0);
    ck_assert_int_eq(mtree_cache_write(&key, written, "graph { a -- b }\n"),
                     MTREE_ERR_IO);
    ck_assert_int_eq(heard_lines(), 1);
    ck_assert_int_eq(rmdir(target), 0);
}
END_TEST

START_TEST(test_places)
{
    char path[MTREE_CACHE_PATH_LENGTH];

    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "/home/somebody", 1);
    ck_assert_int_eq(mtree_cache_path(&key, path), MTREE_OK);
    ck_assert_int_eq(strncmp(path, "/home/somebody/.cache/mtree/", 28), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert_int_eq(mtree_cache_path(&key, path), MTREE_ERR_NOT_FOUND);
    ck_assert_int_eq(read_as(&key, 7, written), MTREE_ERR_NOT_FOUND);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("topology_cache");
    TCase *tcase = tcase_create("topology_cache");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_written_is_read);
    tcase_add_test(tcase, test_identity);
    tcase_add_test(tcase, test_stale_and_foreign);
    tcase_add_test(tcase, test_files_of_others);
    tcase_add_test(tcase, test_two_writers);
    tcase_add_test(tcase, test_folder_is_a_link);
    tcase_add_test(tcase, test_places);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return (failed == 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}
