/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cache.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS_PER_DAY 86400.0

/* Bytes of the name of a file that is being written. */
#define ASIDE_LENGTH 64

/* The begin of the lines of the stamp. */
#define MAGIC   "// learned by mtree "
#define WRITTEN "// on "
#define HOST    "// host "
#define DATE    "%Y-%m-%dT%H:%M:%SZ"

#define ADVICE "; the network is learned anew, or run mtree probe"

static mtree_status_t no_memory(void)
{
    return mtree_no_memory("the cache of topologies");
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "// host NAME ADDRESS"; malloc'ed, or NULL. */
static char *key_line(const mtree_cache_key_t *key, int host)
{
    static const char format[] = HOST "%s %s\n";
    int bytes = snprintf(NULL, 0, format, key->names[host], key->addresses[host]);
    char *line = malloc((size_t)bytes + 1);

    if (line != NULL) {
        snprintf(line, (size_t)bytes + 1, format, key->names[host], key->addresses[host]);
    }
    return line;
}

/* The lines of all hosts, sorted, as one text; malloc'ed. */
static mtree_status_t key_lines(const mtree_cache_key_t *key, char **text_p)
{
    size_t hosts = (size_t)key->num_hosts, length = 1, made = 0;
    char **lines = calloc(hosts + 1, sizeof(*lines)), *text = NULL, *end;

    while (lines != NULL && made < hosts &&
           (lines[made] = key_line(key, (int)made)) != NULL) {
        length += strlen(lines[made++]);
    }
    if (lines != NULL && made == hosts) {
        text = malloc(length);
    }
    if (text != NULL) {
        qsort(lines, hosts, sizeof(*lines), compare_lines);
        end = text;
        *end = '\0';
        for (size_t i = 0; i < hosts; i++) {
            end = stpcpy(end, lines[i]);
        }
    }
    while (made > 0) {
        free(lines[--made]);
    }
    free(lines);
    *text_p = text;
    return text == NULL ? no_memory() : MTREE_OK;
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
               MTREE_CACHE_PATH_LENGTH;
}

static mtree_status_t path_of_lines(const char *lines, char *path)
{
    char base[MTREE_CACHE_PATH_LENGTH], folder[MTREE_CACHE_PATH_LENGTH];

    if (!cache_folder(base, folder) ||
        snprintf(path, MTREE_CACHE_PATH_LENGTH, "%s/%016" PRIx64 ".dot", folder,
                 mtree_hash_bytes(MTREE_HASH_INIT, lines, strlen(lines))) >=
            MTREE_CACHE_PATH_LENGTH) {
        return MTREE_ERR_NOT_FOUND;
    }
    return MTREE_OK;
}

mtree_status_t mtree_cache_path(const mtree_cache_key_t *key, char *path)
{
    char *lines;
    mtree_status_t status = key_lines(key, &lines);

    if (status == MTREE_OK) {
        status = path_of_lines(lines, path);
        free(lines);
    }
    return status;
}

static mtree_status_t refuse(const char *path, const char *why)
{
    mtree_warn("cache %s: %s" ADVICE, path, why);
    return MTREE_ERR_INVALID;
}

/* Read a file that this user owns, that nobody else may write, and that is no link. */
static mtree_status_t read_own(const char *path, char **text_p, size_t *length_p)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat is;
    char *text;
    size_t got = 0;
    ssize_t bytes;

    if (fd < 0) {
        return errno == ENOENT ? MTREE_ERR_NOT_FOUND : refuse(path, strerror(errno));
    }
    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode) || is.st_uid != geteuid() ||
        (is.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
        is.st_size > (off_t)MTREE_FILE_MAX_BYTES) {
        close(fd);
        return refuse(path, "others may have written it");
    }
    text = malloc((size_t)is.st_size + 1);
    if (text == NULL) {
        close(fd);
        return no_memory();
    }
    while (got < (size_t)is.st_size &&
           (bytes = read(fd, text + got, (size_t)is.st_size - got)) > 0) {
        got += (size_t)bytes;
    }
    close(fd);
    text[got] = '\0';
    *text_p = text;
    *length_p = got;
    return MTREE_OK;
}

/* Read the date at the begin of @a text; returns what follows it, NULL: there is none. */
static const char *parse_date(const char *text, time_t *date_p)
{
    struct tm date = {.tm_isdst = 0};
    int length = 0;

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &date.tm_year, &date.tm_mon,
               &date.tm_mday, &date.tm_hour, &date.tm_min, &date.tm_sec, &length) != 6 ||
        length == 0) {
        return NULL;
    }
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    *date_p = timegm(&date);
    return text + length;
}

/* The reason why the stamp of @a text is refused, in @a why or static; NULL: it is not.
 */
static const char *stamp_fault(const char *text, const mtree_cache_key_t *key,
                               const char *lines, double days, time_t now, char *why,
                               size_t why_length)
{
    const char *line = strchr(text, '\n');
    size_t version = strlen(key->version);
    time_t date;
    double age;

    if (strncmp(text, MAGIC, strlen(MAGIC)) != 0 || line == NULL ||
        strncmp(line + 1, WRITTEN, strlen(WRITTEN)) != 0 ||
        (line = parse_date(line + 1 + strlen(WRITTEN), &date)) == NULL || *line != '\n') {
        return "it has no stamp of mtree's";
    }
    if (strncmp(text + strlen(MAGIC), key->version, version) != 0 ||
        text[strlen(MAGIC) + version] != '\n') {
        return "another version of mtree wrote it";
    }
    if (strncmp(line + 1, lines, strlen(lines)) != 0 ||
        strncmp(line + 1 + strlen(lines), HOST, strlen(HOST)) == 0) {
        return "it is of other hosts or addresses";
    }
    age = difftime(now, date) / SECONDS_PER_DAY;
    if (age > days || age < -1) {
        snprintf(why, why_length, "it is %.1f days old, and coll_mtree_cache_days is %g",
                 age, days);
        return why;
    }
    return NULL;
}

mtree_status_t mtree_cache_read(const mtree_cache_key_t *key, double days, time_t now,
                                char **text_p, size_t *length_p)
{
    char path[MTREE_CACHE_PATH_LENGTH], why[128], *lines, *text;
    mtree_status_t status = key_lines(key, &lines);
    const char *fault;
    size_t length;

    if (status != MTREE_OK) {
        return status;
    }
    status = path_of_lines(lines, path);
    if (status == MTREE_OK) {
        status = read_own(path, &text, &length);
    }
    if (status == MTREE_OK) {
        fault = stamp_fault(text, key, lines, days, now, why, sizeof(why));
        if (fault == NULL) {
            *text_p = text;
            *length_p = length;
        } else {
            free(text);
            status = refuse(path, fault);
        }
    }
    free(lines);
    return status;
}

/* Open a folder of this user, which is made if it is missing; returns its descriptor, or
 * -1. */
static int open_folder(const char *base, const char *folder)
{
    struct stat is;
    int fd;

    (void)mkdir(base, 0700);
    (void)mkdir(folder, 0700);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &is) != 0 || is.st_uid != geteuid())) {
        close(fd);
        errno = EPERM;
        fd = -1;
    }
    return fd;
}

/*
 * Make a file beside @a name, whose name of its own goes into @a aside of ASIDE_LENGTH
 * bytes; -1 with errno.  Processes on several hosts may have one folder and the same
 * number, so random digits tell their files apart.
 */
static int open_aside(int folder, const char *name, char *aside)
{
    uint64_t digits;

    if (getrandom(&digits, sizeof(digits), 0) != sizeof(digits)) {
        return -1;
    }
    snprintf(aside, ASIDE_LENGTH, "%.32s.%016" PRIx64, name, digits);
    return openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
}

/* Write the new file to @a fd and close it; false with errno. */
static bool write_aside(int fd, const char *stamp, const char *lines, const char *text)
{
    FILE *out = fdopen(fd, "w");
    bool written;

    if (out == NULL) {
        close(fd);
        return false;
    }
    written = fputs(stamp, out) >= 0 && fputs(lines, out) >= 0 && fputs(text, out) >= 0 &&
              fflush(out) == 0 && fsync(fd) == 0;
    return fclose(out) == 0 && written;
}

static mtree_status_t write_file(const char *path, const char *stamp, const char *lines,
                                 const char *text)
{
    char base[MTREE_CACHE_PATH_LENGTH], own[MTREE_CACHE_PATH_LENGTH];
    const char *name = strrchr(path, '/') + 1;
    char aside[ASIDE_LENGTH];
    mtree_status_t status = MTREE_OK;
    int folder, fd = -1;

    if (!cache_folder(base, own)) {
        return MTREE_ERR_NOT_FOUND;
    }
    folder = open_folder(base, own);
    if (folder >= 0) {
        fd = open_aside(folder, name, aside);
    }
    if (fd < 0 || !write_aside(fd, stamp, lines, text) ||
        renameat(folder, aside, folder, name) != 0) {
        mtree_warn("cache %s: cannot be written: %s; the topology serves this job only",
                   path, strerror(errno));
        status = MTREE_ERR_IO;
        if (fd >= 0) {
            (void)unlinkat(folder, aside, 0);
        }
    }
    if (folder >= 0) {
        close(folder);
    }
    return status;
}

mtree_status_t mtree_cache_write(const mtree_cache_key_t *key, time_t now,
                                 const char *text)
{
    char path[MTREE_CACHE_PATH_LENGTH], date[64], stamp[256], *lines;
    mtree_status_t status = key_lines(key, &lines);
    struct tm broken;

    if (status != MTREE_OK) {
        return status;
    }
    status = path_of_lines(lines, path);
    if (status == MTREE_OK) {
        gmtime_r(&now, &broken);
        strftime(date, sizeof(date), DATE, &broken);
        snprintf(stamp, sizeof(stamp), MAGIC "%s\n" WRITTEN "%s\n", key->version, date);
        status = write_file(path, stamp, lines, text);
    }
    free(lines);
    return status;
}
