/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cache_folder.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS_PER_DAY 86400.0

#define NAME_LENGTH MTREE_CACHE_NAME_LENGTH
#define TEMPORARY_LENGTH                                                                 \
    (NAME_LENGTH + 1 + 16 + 1) /* while they are written: random digits */

#define ENDING ".dot"

/* A file that was not renamed for so long never will be, seconds. */
#define TEMPORARY_SECONDS 3600.0

/* The begin of the lines of the stamp. */
#define MAGIC   "// learned by mtree "
#define WRITTEN "// on "
#define LOADED  "// measured under load\n"
#define HOST    "// host "
#define DATE    "%Y-%m-%dT%H:%M:%SZ"

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The folder of caches and mtree's own in it; false when there is none. */
static bool cache_folder(char *base, char *folder)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;

    if (xdg != NULL && xdg[0] == '/') {
        length = snprintf(base, MTREE_CACHE_PATH_LENGTH, "%s", xdg);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(base, MTREE_CACHE_PATH_LENGTH, "%s/.cache", home);
    } else {
        return false;
    }
    return length < MTREE_CACHE_PATH_LENGTH &&
           snprintf(folder, MTREE_CACHE_PATH_LENGTH, "%s/mtree", base) <
               MTREE_CACHE_PATH_LENGTH - NAME_LENGTH - 1;
}

/* To be cleaned up also when this fails. */
mtree_status_t mtree_cache_folder_init(mtree_cache_folder_t *cache,
                                       const mtree_cache_key_t *key, double days,
                                       time_t now)
{
    static const char format[] = HOST "%s %s\n";
    char base[MTREE_CACHE_PATH_LENGTH];
    uint64_t hash = MTREE_HASH_INIT;

    *cache = (mtree_cache_folder_t){.key = key, .days = days, .now = now};
    MTREE_ARENA_ARRAY(&cache->arena, cache->lines, (size_t)key->num_hosts);
    for (int h = 0; cache->arena.status == MTREE_OK && h < key->num_hosts; h++) {
        int bytes = snprintf(NULL, 0, format, key->names[h], key->addresses[h]) + 1;
        char *line = mtree_arena_alloc(&cache->arena, (size_t)bytes, 1);

        if (line != NULL) {
            snprintf(line, (size_t)bytes, format, key->names[h], key->addresses[h]);
            cache->lines[h] = line;
        }
    }
    if (cache->arena.status != MTREE_OK) {
        return mtree_no_memory("the cache of topologies");
    }
    qsort(cache->lines, (size_t)key->num_hosts, sizeof(*cache->lines), compare_lines);
    for (int h = 0; h < key->num_hosts; h++) {
        hash = mtree_hash_bytes(hash, cache->lines[h], strlen(cache->lines[h]));
    }
    snprintf(cache->name, sizeof(cache->name), "%016" PRIx64 ENDING, hash);
    return cache_folder(base, cache->folder) ? MTREE_OK : MTREE_ERR_NOT_FOUND;
}

void mtree_cache_folder_cleanup(mtree_cache_folder_t *cache)
{
    mtree_arena_cleanup(&cache->arena);
}

/* Read the date at the begin of @a text; returns what follows it, NULL: there is none. */
static const char *parse_date(const char *text, time_t *date_p)
{
    struct tm date = {.tm_isdst = 0};
    int length = 0;

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ\n%n", &date.tm_year, &date.tm_mon,
               &date.tm_mday, &date.tm_hour, &date.tm_min, &date.tm_sec, &length) != 6 ||
        length == 0) {
        return NULL;
    }
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    *date_p = timegm(&date);
    return text + length;
}

/* What follows @a prefix at the begin of @a text, or NULL. */
static const char *skip(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text != NULL && strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Count the hosts from @a at on. */
static void parse_hosts(const mtree_cache_folder_t *cache, const char *at,
                        mtree_cached_t *cached)
{
    while (skip(at, HOST) != NULL && strchr(at, '\n') != NULL) {
        for (int h = 0; h < cache->key->num_hosts; h++) {
            cached->num_common += skip(at, cache->lines[h]) != NULL;
        }
        cached->num_hosts++;
        at = strchr(at, '\n') + 1;
    }
}

/* The reason why the file is not used, in @a why or static; NULL: it is. */
static const char *parse_stamp(const mtree_cache_folder_t *cache, mtree_cached_t *cached,
                               char *why, size_t why_length)
{
    const char *at = skip(cached->text, MAGIC), *version = at, *loaded;
    double age, days = cache->days;

    at = at == NULL ? NULL : strchr(at, '\n');
    at = at == NULL ? NULL : skip(at + 1, WRITTEN);
    at = at == NULL ? NULL : parse_date(at, &cached->stamp.measured);
    if (at == NULL) {
        return "it has no stamp of mtree's";
    }
    version = skip(version, cache->key->version);
    if (version == NULL || *version != '\n') {
        return "another version of mtree wrote it";
    }
    loaded = skip(at, LOADED);
    cached->stamp.is_loaded = loaded != NULL;
    parse_hosts(cache, loaded != NULL ? loaded : at, cached);
    age = difftime(cache->now, cached->stamp.measured) / SECONDS_PER_DAY;
    days *= cached->stamp.is_loaded ? MTREE_CACHE_LOADED_LIFE : 1;
    cached->is_old = age > days || age < -1;
    if (cached->is_old) {
        snprintf(why, why_length,
                 "it is %.1f days old, and coll_mtree_cache_days is %g%s", age,
                 cache->days, loaded != NULL ? ", less for one measured under load" : "");
        return why;
    }
    return NULL;
}

/* Read a file that this user owns, that nobody else may write, and that is no link; NULL,
 * or why that cannot be. */
static const char *read_own(int folder, const char *name, mtree_cached_t *cached)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat is;
    ssize_t bytes = 1;

    if (fd < 0) {
        return strerror(errno);
    }
    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode) || is.st_uid != geteuid() ||
        (is.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
        is.st_size > (off_t)MTREE_FILE_MAX_BYTES) {
        close(fd);
        return "others may have written it";
    }
    cached->text = malloc((size_t)is.st_size + 1);
    while (cached->text != NULL && bytes > 0 && cached->length < (size_t)is.st_size) {
        bytes =
            read(fd, cached->text + cached->length, (size_t)is.st_size - cached->length);
        cached->length += bytes > 0 ? (size_t)bytes : 0;
    }
    close(fd);
    if (cached->text == NULL) {
        return "there is no memory for it";
    }
    cached->text[cached->length] = '\0';
    return NULL;
}

/* Open a folder of this user; returns its descriptor, or -1. */
int mtree_cache_folder_open(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat is;

    if (fd >= 0 && (fstat(fd, &is) != 0 || is.st_uid != geteuid())) {
        close(fd);
        errno = EPERM;
        fd = -1;
    }
    return fd;
}

/* Does @a name begin as those of its files do? */
static bool is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_LENGTH - 4 &&
           strncmp(name + NAME_LENGTH - 4, ENDING, 4) == 0;
}

/* Remove what a writer has left behind, which did not come to its end. */
static void remove_abandoned(int folder, const char *name)
{
    struct stat is;

    if (fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) == 0 &&
        difftime(time(NULL), is.st_mtime) > TEMPORARY_SECONDS) {
        (void)unlinkat(folder, name, 0);
    }
}

static void visit_file(const mtree_cache_folder_t *cache, int folder, const char *name,
                       mtree_cache_visit_t visit, void *arg)
{
    mtree_cached_t cached = {.text = NULL};
    const char *fault = read_own(folder, name, &cached);
    char why[160];

    if (fault == NULL) {
        fault = parse_stamp(cache, &cached, why, sizeof(why));
    }
    visit(arg, folder, name, &cached, fault);
    free(cached.text);
}

mtree_status_t mtree_cache_folder_visit(const mtree_cache_folder_t *cache,
                                        mtree_cache_visit_t visit, void *arg)
{
    int fd = mtree_cache_folder_open(cache->folder);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return MTREE_ERR_NOT_FOUND;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (!is_ours(entry->d_name)) {
            continue;
        }
        if (entry->d_name[NAME_LENGTH] == '\0') {
            visit_file(cache, fd, entry->d_name, visit, arg);
        } else if (strlen(entry->d_name) == TEMPORARY_LENGTH - 1) {
            remove_abandoned(fd, entry->d_name);
        }
    }
    closedir(folder);
    return MTREE_OK;
}

/*
 * Make a file beside @a name, whose name of its own goes into @a temporary of
 * TEMPORARY_LENGTH bytes; -1 with errno.  Processes on several hosts may have one folder
 * and the same number, so random digits tell their files apart.
 */
static int open_temporary(int folder, const char *name, char *temporary)
{
    uint64_t digits;

    if (getrandom(&digits, sizeof(digits), 0) != sizeof(digits)) {
        return -1;
    }
    snprintf(temporary, TEMPORARY_LENGTH, "%.20s.%016" PRIx64, name, digits);
    return openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
}

/* Write the new file to @a fd and close it; false with errno. */
static bool write_temporary(int fd, const mtree_cache_folder_t *cache,
                            const mtree_cache_stamp_t *stamp, const char *text)
{
    FILE *out = fdopen(fd, "w");
    char date[64];
    struct tm broken;
    bool written;

    if (out == NULL) {
        close(fd);
        return false;
    }
    gmtime_r(&stamp->measured, &broken);
    strftime(date, sizeof(date), DATE, &broken);
    fprintf(out, MAGIC "%s\n" WRITTEN "%s\n%s", cache->key->version, date,
            stamp->is_loaded ? LOADED : "");
    for (int h = 0; h < cache->key->num_hosts; h++) {
        fputs(cache->lines[h], out);
    }
    fputs(text, out);
    /* Not synchronised, which may take long: a file that a crash of the host has cut
     * short is measured anew. */
    written = !ferror(out);
    return fclose(out) == 0 && written;
}

/* Make the cache's folder, if it is missing, and open it. */
static int make_folder(const mtree_cache_folder_t *cache)
{
    char base[MTREE_CACHE_PATH_LENGTH], folder[MTREE_CACHE_PATH_LENGTH];

    if (cache_folder(base, folder)) {
        (void)mkdir(base, 0700);
        (void)mkdir(folder, 0700);
    }
    return mtree_cache_folder_open(cache->folder);
}

mtree_status_t mtree_cache_folder_write(const mtree_cache_folder_t *cache,
                                        const mtree_cache_stamp_t *stamp,
                                        const char *text)
{
    int folder = make_folder(cache), fd = -1;
    char temporary[TEMPORARY_LENGTH];
    mtree_status_t status = MTREE_OK;

    if (folder >= 0) {
        fd = open_temporary(folder, cache->name, temporary);
    }
    if (fd < 0 || !write_temporary(fd, cache, stamp, text) ||
        renameat(folder, temporary, folder, cache->name) != 0) {
        mtree_warn("cache %s/%s: cannot be written: %s; what it has serves this job only",
                   cache->folder, cache->name, strerror(errno));
        status = MTREE_ERR_IO;
        if (fd >= 0) {
            (void)unlinkat(folder, temporary, 0);
        }
    }
    if (folder >= 0) {
        close(folder);
    }
    return status;
}
