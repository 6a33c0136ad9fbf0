/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "topo/dot/cache_file.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS 16

/* The random digits, behind a dot, of a file that is being written. */
#define TEMPORARY_LENGTH (1 + DIGITS)

/* A file that was not renamed for so long never will be, seconds. */
#define TEMPORARY_SECONDS 3600.0

void mtree_cache_file_name(uint64_t hash, const char *ending,
                           char name[MTREE_CACHE_NAME_LENGTH + 1])
{
    snprintf(name, MTREE_CACHE_NAME_LENGTH + 1, "%016" PRIx64 "%s", hash, ending);
}

mtree_status_t mtree_cache_file_folder(char folder[MTREE_CACHE_PATH_LENGTH])
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool has_xdg = xdg != NULL && xdg[0] == '/';
    int length;

    if (!has_xdg && (home == NULL || home[0] != '/')) {
        return MTREE_ERR_NOT_FOUND;
    }
    length = snprintf(folder, MTREE_CACHE_PATH_LENGTH, "%s%s/mtree", has_xdg ? xdg : home,
                      has_xdg ? "" : "/.cache");
    return length < MTREE_CACHE_PATH_LENGTH - MTREE_CACHE_NAME_LENGTH - 1
               ? MTREE_OK
               : MTREE_ERR_NOT_FOUND;
}

int mtree_cache_file_open(const char *folder)
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

const char *mtree_cache_file_read(int folder, const char *name, char **text_p,
                                  size_t *length_p)
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
    *text_p = mtree_malloc((size_t)is.st_size + 1);
    *length_p = 0;
    while (bytes > 0 && *length_p < (size_t)is.st_size) {
        bytes = read(fd, *text_p + *length_p, (size_t)is.st_size - *length_p);
        *length_p += bytes > 0 ? (size_t)bytes : 0;
    }
    close(fd);
    (*text_p)[*length_p] = '\0';
    return NULL;
}

/*
 * Make a file beside @a name, whose name of its own goes into @a temporary.  -1 with
 * errno.  Processes on several hosts may have one folder and the same number, so random
 * digits tell their files apart.
 */
static int open_temporary(int folder, const char *name,
                          char temporary[MTREE_CACHE_NAME_LENGTH + TEMPORARY_LENGTH + 1])
{
    uint64_t digits;

    if (getrandom(&digits, sizeof(digits), 0) != sizeof(digits)) {
        return -1;
    }
    snprintf(temporary, MTREE_CACHE_NAME_LENGTH + TEMPORARY_LENGTH + 1,
             "%.*s.%016" PRIx64, MTREE_CACHE_NAME_LENGTH, name, digits);
    return openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
}

/* Write @a text to @a fd and close it; false with errno. */
static bool write_temporary(int fd, const char *text)
{
    FILE *out = fdopen(fd, "w");
    bool written;

    if (out == NULL) {
        close(fd);
        return false;
    }
    fputs(text, out);
    /* Not synchronised, which may take long: a file that a crash of the host has cut
     * short is learned anew. */
    written = !ferror(out);
    return fclose(out) == 0 && written;
}

/* Make @a folder, the cache's, and that of all caches if they are missing; open it. */
static int make_folder(const char *folder)
{
    char base[MTREE_CACHE_PATH_LENGTH];

    snprintf(base, sizeof(base), "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    (void)mkdir(base, 0700);
    (void)mkdir(folder, 0700);
    return mtree_cache_file_open(folder);
}

/* Remove the oldest of more than @a most files with the ending of @a name, which was
 * just written. */
static void prune(int folder, const char *name, int most)
{
    int num, kept = 1;
    mtree_cache_entry_t *files = mtree_cache_file_list(folder, name + DIGITS, &num);

    for (int i = 0; i < num; i++) {
        if (strcmp(files[i].name, name) != 0 && ++kept > most) {
            (void)unlinkat(folder, files[i].name, 0);
        }
    }
    free(files);
}

mtree_status_t mtree_cache_file_write(const char *folder, const char *name,
                                      const char *text, int most)
{
    char temporary[MTREE_CACHE_NAME_LENGTH + TEMPORARY_LENGTH + 1];
    int opened = make_folder(folder), fd = -1;
    mtree_status_t status = MTREE_OK;

    if (opened >= 0) {
        fd = open_temporary(opened, name, temporary);
    }
    if (fd < 0 || !write_temporary(fd, text) ||
        renameat(opened, temporary, opened, name) != 0) {
        mtree_warn("cache %s/%s: cannot be written: %s; what it has serves this job only",
                   folder, name, strerror(errno));
        status = MTREE_ERR_IO;
        if (fd >= 0) {
            (void)unlinkat(opened, temporary, 0);
        }
    } else {
        prune(opened, name, most);
    }
    if (opened >= 0) {
        close(opened);
    }
    return status;
}

/* Does @a name begin as those of files with @a ending do? */
static bool has_ending(const char *name, const char *ending)
{
    return strspn(name, "0123456789abcdef") == DIGITS &&
           strncmp(name + DIGITS, ending, strlen(ending)) == 0;
}

static int compare_written(const void *a, const void *b)
{
    const struct timespec *one = &((const mtree_cache_entry_t *)a)->written;
    const struct timespec *other = &((const mtree_cache_entry_t *)b)->written;

    return one->tv_sec != other->tv_sec
               ? (one->tv_sec < other->tv_sec) - (one->tv_sec > other->tv_sec)
               : (one->tv_nsec < other->tv_nsec) - (one->tv_nsec > other->tv_nsec);
}

mtree_cache_entry_t *mtree_cache_file_list(int folder, const char *ending, int *num_p)
{
    const size_t length = DIGITS + strlen(ending);
    struct dirent **entries = NULL;
    const int num_entries = scandirat(folder, ".", &entries, NULL, NULL);
    mtree_cache_entry_t *files =
        mtree_calloc(num_entries > 0 ? (size_t)num_entries : 0, sizeof(*files));
    int num = 0;

    for (int i = 0; i < num_entries; i++) {
        const char *name = entries[i]->d_name;
        struct stat is;

        if (!has_ending(name, ending) ||
            fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) != 0) {
            /* It is none of them, or gone. */
        } else if (name[length] == '\0') {
            memcpy(files[num].name, name, length + 1);
            files[num++].written = is.st_mtim;
        } else if (strlen(name) == length + TEMPORARY_LENGTH &&
                   difftime(time(NULL), is.st_mtime) > TEMPORARY_SECONDS) {
            (void)unlinkat(folder, name, 0);
        }
        free(entries[i]);
    }
    free(entries);
    qsort(files, (size_t)num, sizeof(*files), compare_written);
    *num_p = num;
    return files;
}
