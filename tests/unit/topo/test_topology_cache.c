/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/runner.h"
#include "topo/dot/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY 86400

/* A set of hosts: of each its name and its address. */
typedef struct {
    char text[4096];
    const char *version;
} hosts_t;

static const hosts_t key = {"alpha 10.0.0.1 beta 10.0.0.2", "1.2"};
static const time_t written = 1700000000;
static char folder[64]; /* made in the one that we are in */

static void setup(void)
{
    UNIT_FREED char *absolute = NULL;

    snprintf(folder, sizeof(folder), "cache.test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    absolute = realpath(folder, NULL);
    ck_assert_ptr_nonnull(absolute);
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", absolute, 1), 0);
}

static void teardown(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static mtree_cache_t cache_of(const hosts_t *hosts)
{
    mtree_cache_t cache = {.version = hosts->version, .days = 7};

    char name[16], address[16];

    for (int at = 0, length;
         sscanf(hosts->text + at, "%15s %15s%n", name, address, &length) == 2;
         at += length) {
        mtree_cache_add_host(&cache, name, address);
    }
    return cache;
}

/* The path of the file that is written for @a hosts. */
static mtree_status_t cache_path(const hosts_t *hosts, char path[MTREE_CACHE_PATH_LENGTH])
{
    UNIT_OWNED(mtree_cache_cleanup) mtree_cache_t cache = cache_of(hosts);
    mtree_status_t status = mtree_cache_open(&cache, 0);

    snprintf(path, MTREE_CACHE_PATH_LENGTH, "%.4000s/%s", cache.folder, cache.name);
    return status;
}

static mtree_status_t read_as(const hosts_t *as, time_t now)
{
    UNIT_OWNED(mtree_cache_cleanup) mtree_cache_t cache = cache_of(as);
    char *text;
    mtree_status_t status = mtree_cache_read(&cache, now, &text);

    ck_assert_int_eq(cache.path != NULL, status == MTREE_OK);
    if (status == MTREE_OK) {
        ck_assert_int_eq(access(cache.path, R_OK), 0);
        unit_has(text, "\ngraph { a -- b }\n");
        free(text);
    }
    return status;
}

static mtree_status_t write_text(const hosts_t *as, time_t measured, bool is_loaded,
                                 const char *text)
{
    UNIT_OWNED(mtree_cache_cleanup) mtree_cache_t cache = cache_of(as);
    const mtree_cache_stamp_t stamp = {measured, is_loaded};

    return mtree_cache_write(&cache, &stamp, measured, text);
}

static void write_one(void)
{
    unit_ok(write_text(&key, written, false, "graph { a -- b }\n"));
}

/* The topology that is read for @a as. */
static void assert_reads(const hosts_t *as, time_t now, const char *text)
{
    UNIT_OWNED(mtree_cache_cleanup) mtree_cache_t cache = cache_of(as);
    UNIT_FREED char *read = NULL;

    unit_ok(mtree_cache_read(&cache, now, &read));
    unit_has(read, text);
}

/* Refused with one line that says why. */
static void assert_refused(const hosts_t *as, time_t now, const char *why)
{
    heard_start();
    unit_invalid(read_as(as, now));
    heard_only(why);
}

UNIT_TEST(test_written_is_read)
{
    char path[MTREE_CACHE_PATH_LENGTH];
    struct stat is;

    ck_assert_int_eq(read_as(&key, written), MTREE_ERR_NOT_FOUND);
    write_one();
    unit_ok(read_as(&key, written + 6 * DAY));
    unit_ok(cache_path(&key, path));
    ck_assert_int_eq(stat(path, &is), 0);
    ck_assert_uint_eq(is.st_mode & 07777, 0600);
    /* And written over. */
    write_one();
    unit_ok(read_as(&key, written));
    ck_assert_int_eq(heard_lines(), 0);
}

/* What was corrected is as old, and as doubtful, as what was measured. */
UNIT_TEST(test_corrected_keeps_stamp)
{
    UNIT_OWNED(mtree_cache_cleanup) mtree_cache_t cache = cache_of(&key);
    const char *corrected = "graph { b -- c }\n";

    ck_assert_int_eq(mtree_cache_correct(&cache, written, corrected),
                     MTREE_ERR_NOT_FOUND);
    write_one();
    unit_ok(mtree_cache_correct(&cache, written + 6 * DAY, corrected));
    assert_reads(&key, written + 6 * DAY, corrected);
    assert_refused(&key, written + 8 * DAY, "it is 8.0 days old");
    unit_ok(write_text(&key, written, true, "graph { a -- b }\n"));
    unit_ok(mtree_cache_correct(&cache, written + DAY / 2, corrected));
    assert_refused(&key, written + 2 * DAY, "less for one measured under load");
}

/* The order of the hosts does not matter, their addresses do. */
UNIT_TEST(test_identity)
{
    const hosts_t turned = {"beta 10.0.0.2 alpha 10.0.0.1", "1.2"};
    const hosts_t moved = {"alpha 10.0.0.2 beta 10.0.0.1", "1.2"};
    const hosts_t fewer = {"alpha 10.0.0.1", "1.2"};
    const hosts_t more = {"alpha 10.0.0.1 beta 10.0.0.2 gamma 10.0.0.3", "1.2"};

    write_one();
    unit_ok(read_as(&turned, written));
    ck_assert_int_eq(read_as(&moved, written), MTREE_ERR_NOT_FOUND);
    /* It serves a part of its hosts, but not more. */
    unit_ok(read_as(&fewer, written));
    ck_assert_int_eq(read_as(&more, written), MTREE_ERR_NOT_FOUND);
    ck_assert_int_eq(heard_lines(), 0);
}

UNIT_TEST(test_stale_and_foreign)
{
    const hosts_t other = {"alpha 10.9.0.1 beta 10.9.0.2", "1.2"};
    const hosts_t newer = {"alpha 10.0.0.1 beta 10.0.0.2", "1.20"};
    char path[MTREE_CACHE_PATH_LENGTH], other_path[MTREE_CACHE_PATH_LENGTH];

    write_one();
    assert_refused(&key, written + 8 * DAY, "8.0 days old");
    assert_refused(&key, written - 2 * DAY, "days old");
    assert_refused(&newer, written, "another version");
    /* Names of files may collide; the stamp tells. */
    unit_ok(cache_path(&key, path));
    unit_ok(cache_path(&other, other_path));
    ck_assert_str_ne(path, other_path);
    ck_assert_int_eq(rename(path, other_path), 0);
    assert_refused(&other, written, "other hosts or addresses");
}

UNIT_TEST(test_files_of_others)
{
    char path[MTREE_CACHE_PATH_LENGTH], aside[MTREE_CACHE_PATH_LENGTH + 8];
    char text[512] = "";
    FILE *file;

    write_one();
    unit_ok(cache_path(&key, path));
    ck_assert_int_eq(chmod(path, 0622), 0);
    assert_refused(&key, written, "others may have written it");
    /* A symbolic link is neither read nor written through. */
    snprintf(aside, sizeof(aside), "%s.aside", path);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(rename(path, aside), 0);
    ck_assert_int_eq(symlink(aside, path), 0);
    assert_refused(&key, written, path);
    unit_ok(write_text(&key, written, false, "graph { c -- d }\n"));
    file = fopen(aside, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
    fclose(file);
    unit_has(text, "a -- b");
    /* What is no cache. */
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("graph { a -- b }\n", file);
    fclose(file);
    assert_refused(&key, written, "no stamp of mtree");
}

#define MANY 100

/* Hosts h0, h1, ...: those from @a first on. */
static hosts_t hosts_from(int first, int count)
{
    hosts_t hosts = {"", "1.2"};
    int at = 0;

    for (int h = first; h < first + count; h++) {
        at += sprintf(hosts.text + at, "h%d 10.1.0.%d ", h, h);
    }
    return hosts;
}

static int count_files(void)
{
    char path[128];
    int count = 0;
    DIR *files;

    snprintf(path, sizeof(path), "%s/mtree", folder);
    files = opendir(path);
    ck_assert_ptr_nonnull(files);
    for (const struct dirent *file; (file = readdir(files)) != NULL;) {
        count += file->d_name[0] != '.';
    }
    closedir(files);
    return count;
}

/* Of several that have all hosts the newest serves, but one measured under load last. */
UNIT_TEST(test_best_of_several)
{
    const hosts_t left = hosts_from(0, 3), right = hosts_from(1, 3);
    const hosts_t common = hosts_from(1, 2);

    unit_ok(write_text(&left, written, false, "graph { left }\n"));
    unit_ok(write_text(&right, written + 60, false, "graph { right }\n"));
    assert_reads(&common, written + DAY, "graph { right }");
    unit_ok(write_text(&right, written + 120, true, "graph { right }\n"));
    assert_reads(&common, written + 60, "graph { left }");
    assert_reads(&right, written + 60, "graph { right }");
    ck_assert_int_eq(heard_lines(), 0);
}

UNIT_TEST(test_loaded_lives_shorter)
{
    unit_ok(write_text(&key, written, true, "graph { a -- b }\n"));
    unit_ok(read_as(&key, written + DAY));
    assert_refused(&key, written + 2 * DAY, "less for one measured under load");
}

/* Write what is known of the hosts of @a cache from files with two of them; the number of
 * all files. */
static int take_parts(const mtree_cache_t *cache, char *parts)
{
    mtree_cache_walk_t walk;
    int count = 0;

    parts[0] = '\0';
    for (walk = mtree_cache_walk(cache); mtree_cache_walk_next(&walk); count++) {
        ck_assert(walk.folder >= 0 && walk.file.name[0] != '\0');
        if (walk.file.fault == NULL && walk.file.num_common >= 2) {
            ck_assert(walk.file.stamp.measured >= written);
            strcat(parts, strstr(walk.file.text, "graph"));
        }
    }
    return count;
}

/* What has two of the hosts is a part of what is known of them. */
UNIT_TEST(test_parts)
{
    const hosts_t all = hosts_from(0, 4);
    UNIT_OWNED(mtree_cache_cleanup) mtree_cache_t cache = cache_of(&all);
    const hosts_t left = hosts_from(0, 2), right = hosts_from(2, 3);
    const hosts_t touching = hosts_from(3, 5);
    char parts[256];

    unit_ok(mtree_cache_open(&cache, written + 3));
    ck_assert_int_eq(take_parts(&cache, parts), 0);
    write_text(&left, written, false, "graph L\n");
    write_text(&right, written + 1, false, "graph R\n");
    write_text(&touching, written + 2, false, "graph T\n");
    ck_assert_int_eq(take_parts(&cache, parts), 3);
    ck_assert_uint_eq(strlen(parts), 2 * strlen("graph L\n"));
    unit_has(parts, "graph L\n");
    unit_has(parts, "graph R\n");
    /* Each has grown old. */
    unit_ok(mtree_cache_open(&cache, written + 8 * DAY));
    ck_assert_int_eq(take_parts(&cache, parts), 3);
    ck_assert_str_eq(parts, "");
}

/* A file goes when it is old, when another has all of its hosts, and when there are too
 * many. */
UNIT_TEST(test_pruning)
{
    hosts_t hosts = hosts_from(0, 2);
    char path[MTREE_CACHE_PATH_LENGTH];

    write_one();
    unit_ok(write_text(&hosts, written + 9 * DAY, false, "graph N\n"));
    ck_assert_int_eq(count_files(), 1);
    hosts = hosts_from(0, 3);
    unit_ok(write_text(&hosts, written + 9 * DAY, false, "graph N\n"));
    ck_assert_int_eq(count_files(), 1);
    /* What was measured under load does not replace what was not. */
    hosts = hosts_from(0, 4);
    unit_ok(write_text(&hosts, written + 9 * DAY, true, "graph N\n"));
    ck_assert_int_eq(count_files(), 2);
    for (int h = 4; h + 1 < MANY; h++) {
        hosts = hosts_from(h, 2);
        unit_ok(write_text(&hosts, written + 9 * DAY + 60 * h, false, "graph N\n"));
    }
    ck_assert_int_eq(count_files(), MTREE_CACHE_MOST_FILES);
    unit_ok(cache_path(&hosts, path));
    ck_assert_int_eq(access(path, F_OK), 0);
    hosts = hosts_from(0, 3);
    unit_ok(cache_path(&hosts, path));
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(heard_lines(), 0);
}

/* Another host's process of the same number is writing to the same folder. */
UNIT_TEST(test_two_writers)
{
    char path[MTREE_CACHE_PATH_LENGTH], other[MTREE_CACHE_PATH_LENGTH + 32];

    write_one();
    unit_ok(cache_path(&key, path));
    snprintf(other, sizeof(other), "%s.%ld", path, (long)getpid());
    fclose(fopen(other, "w"));
    write_one();
    ck_assert_int_eq(heard_lines(), 0);
    ck_assert_int_eq(access(other, F_OK), 0);
    unit_ok(read_as(&key, written));
}

/* The folder is a link to where somebody else may look: nothing is written there. */
UNIT_TEST(test_folder_is_a_link)
{
    char link[128], target[128];

    snprintf(link, sizeof(link), "%s/mtree", folder);
    snprintf(target, sizeof(target), "%s/elsewhere", folder);
    ck_assert_int_eq(mkdir(target, 0700), 0);
    ck_assert_int_eq(symlink("elsewhere", link), 0);
    ck_assert_int_eq(write_text(&key, written, false, "graph { a -- b }\n"),
                     MTREE_ERR_IO);
    ck_assert_int_eq(heard_lines(), 1);
    ck_assert_int_eq(rmdir(target), 0);
}

UNIT_TEST(test_places)
{
    char path[MTREE_CACHE_PATH_LENGTH];

    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "/home/somebody", 1);
    unit_ok(cache_path(&key, path));
    ck_assert_int_eq(strncmp(path, "/home/somebody/.cache/mtree/", 28), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert_int_eq(cache_path(&key, path), MTREE_ERR_NOT_FOUND);
    ck_assert_int_eq(read_as(&key, written), MTREE_ERR_NOT_FOUND);
}

UNIT_FIXTURE(setup, teardown)
