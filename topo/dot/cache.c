/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cache.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_PER_DAY 86400.0

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

void mtree_cache_add_host(mtree_cache_t *cache, const char *name, const char *address)
{
    static const char format[] = HOST "%s %s\n";
    const size_t bytes = (size_t)snprintf(NULL, 0, format, name, address) + 1;
    char *line = mtree_arena_alloc(&cache->arena, bytes, 1);
    const char **added = MTREE_ARENA_APPEND(&cache->arena, cache->lines, cache->num_hosts,
                                            cache->capacity);

    (void)snprintf(line, bytes, format, name, address);
    *added = line;
}

mtree_status_t mtree_cache_open(mtree_cache_t *cache, time_t now)
{
    char folder[MTREE_CACHE_PATH_LENGTH];
    uint64_t hash = MTREE_HASH_INIT;

    if (mtree_cache_file_folder(folder) != MTREE_OK) {
        return MTREE_ERR_NOT_FOUND;
    }
    cache->folder = mtree_arena_strdup(&cache->arena, folder);
    cache->now = now;
    if (cache->num_hosts > 0) {
        qsort(cache->lines, (size_t)cache->num_hosts, sizeof(*cache->lines),
              compare_lines);
    }
    for (int h = 0; h < cache->num_hosts; h++) {
        hash = mtree_hash_bytes(hash, cache->lines[h], strlen(cache->lines[h]));
    }
    mtree_cache_file_name(hash, MTREE_CACHE_TOPOLOGIES, cache->name);
    return MTREE_OK;
}

void mtree_cache_cleanup(mtree_cache_t *cache)
{
    mtree_arena_cleanup(&cache->arena);
    *cache = (mtree_cache_t){.version = NULL};
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

/* Orders what @a at begins with, beside a whole line. */
static int compare_begin(const void *at, const void *line_p)
{
    const char *line = *(const char *const *)line_p;

    return strncmp(at, line, strlen(line));
}

/* Count the hosts from @a at on. */
static void parse_hosts(const mtree_cache_t *cache, const char *at,
                        mtree_cached_t *cached)
{
    while (skip(at, HOST) != NULL && strchr(at, '\n') != NULL) {
        cached->num_common +=
            cache->num_hosts > 0 && bsearch(at, cache->lines, (size_t)cache->num_hosts,
                                            sizeof(*cache->lines), compare_begin) != NULL;
        cached->num_hosts++;
        at = strchr(at, '\n') + 1;
    }
}

/* The reason why the walk's file is not used, in walk->why or static; NULL: it is. */
static const char *parse_stamp(mtree_cache_walk_t *walk)
{
    const mtree_cache_t *cache = walk->cache;
    mtree_cached_t *cached = &walk->file;
    const char *at = skip(cached->text, MAGIC), *version = at, *loaded;
    double age, days = cache->days;

    at = at == NULL ? NULL : strchr(at, '\n');
    at = at == NULL ? NULL : skip(at + 1, WRITTEN);
    at = at == NULL ? NULL : parse_date(at, &cached->stamp.measured);
    if (at == NULL) {
        return "it has no stamp of mtree's";
    }
    version = skip(version, cache->version);
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
        snprintf(walk->why, sizeof(walk->why),
                 "it is %.1f days old, and coll_mtree_cache_days is %g%s", age,
                 cache->days, loaded != NULL ? ", less for one measured under load" : "");
        return walk->why;
    }
    return NULL;
}

mtree_cache_walk_t mtree_cache_walk(const mtree_cache_t *cache)
{
    mtree_cache_walk_t walk = {.cache = cache,
                               .folder = mtree_cache_file_open(cache->folder)};

    if (walk.folder >= 0) {
        walk.entries =
            mtree_cache_file_list(walk.folder, MTREE_CACHE_TOPOLOGIES, &walk.num);
    }
    return walk;
}

bool mtree_cache_walk_next(mtree_cache_walk_t *walk)
{
    mtree_cached_t *file = &walk->file;
    size_t length;

    free(file->text);
    *file = (mtree_cached_t){.text = NULL};
    if (walk->at == walk->num) {
        free(walk->entries);
        if (walk->folder >= 0) {
            close(walk->folder);
        }
        return false;
    }
    memcpy(file->name, walk->entries[walk->at++].name, sizeof(file->name));
    file->fault = mtree_cache_file_read(walk->folder, file->name, &file->text, &length);
    if (file->fault == NULL) {
        file->fault = parse_stamp(walk);
    }
    return true;
}

/* The stamp, and @a text behind it; malloc'ed. */
static char *stamp_text(const mtree_cache_t *cache, const mtree_cache_stamp_t *stamp,
                        const char *text)
{
    char *stamped, date[64];
    size_t length;
    FILE *out = mtree_text_begin(&stamped, &length);
    struct tm broken;

    gmtime_r(&stamp->measured, &broken);
    strftime(date, sizeof(date), DATE, &broken);
    fprintf(out, MAGIC "%s\n" WRITTEN "%s\n%s", cache->version, date,
            stamp->is_loaded ? LOADED : "");
    for (int h = 0; h < cache->num_hosts; h++) {
        fputs(cache->lines[h], out);
    }
    fputs(text, out);
    mtree_text_end(out);
    return stamped;
}

static bool is_used(const mtree_cache_t *cache)
{
    return cache->num_hosts > 0 && cache->days > 0;
}

static bool is_better(const mtree_cached_t *a, const mtree_cached_t *b)
{
    return b->text == NULL || (a->stamp.is_loaded != b->stamp.is_loaded
                                   ? b->stamp.is_loaded
                                   : difftime(a->stamp.measured, b->stamp.measured) > 0);
}

/* The best file with all hosts, whose text becomes the caller's. */
static mtree_status_t find_best(mtree_cache_t *cache, time_t now, mtree_cached_t *best)
{
    mtree_status_t status = MTREE_ERR_NOT_FOUND;
    mtree_cache_walk_t walk;

    if (!is_used(cache) || mtree_cache_open(cache, now) != MTREE_OK) {
        return status;
    }
    *best = (mtree_cached_t){.text = NULL};
    for (walk = mtree_cache_walk(cache); mtree_cache_walk_next(&walk);) {
        mtree_cached_t *file = &walk.file;

        if (file->fault == NULL && file->num_common < cache->num_hosts) {
            file->fault = "it is of other hosts or addresses";
        }
        if (file->fault != NULL && strcmp(file->name, cache->name) == 0) {
            mtree_warn("cache %s/%s: %s; the network is learned anew, or run mtree probe",
                       cache->folder, file->name, file->fault);
            status = MTREE_ERR_INVALID;
        }
        if (file->fault == NULL && is_better(file, best)) {
            free(best->text);
            *best = *file;
            file->text = NULL;
        }
    }
    return best->text != NULL ? MTREE_OK : status;
}

mtree_status_t mtree_cache_read(mtree_cache_t *cache, time_t now, char **text_p)
{
    mtree_cached_t best;
    mtree_status_t status = find_best(cache, now, &best);
    char path[MTREE_CACHE_FILE_LENGTH];

    if (status == MTREE_OK) {
        snprintf(path, sizeof(path), "%s/%s", cache->folder, best.name);
        cache->path = mtree_arena_strdup(&cache->arena, path);
        *text_p = best.text;
    }
    return status;
}

/* Remove what is old, or superfluous beside the file with the @a stamp just written.
 * What has no stamp is not ours to remove. */
static void prune(const mtree_cache_t *cache, const mtree_cache_stamp_t *stamp)
{
    mtree_cache_walk_t walk;

    for (walk = mtree_cache_walk(cache); mtree_cache_walk_next(&walk);) {
        const mtree_cached_t *file = &walk.file;
        bool is_superseded = file->fault == NULL && file->num_common == file->num_hosts &&
                             !stamp->is_loaded;

        if ((is_superseded || file->is_old) && strcmp(file->name, cache->name) != 0) {
            (void)unlinkat(walk.folder, file->name, 0);
        }
    }
}

mtree_status_t mtree_cache_write(mtree_cache_t *cache, const mtree_cache_stamp_t *stamp,
                                 time_t now, const char *text)
{
    mtree_status_t status =
        is_used(cache) ? mtree_cache_open(cache, now) : MTREE_ERR_NOT_FOUND;
    char *stamped;

    if (status != MTREE_OK) {
        return status;
    }
    stamped = stamp_text(cache, stamp, text);
    status = mtree_cache_file_write(cache->folder, cache->name, stamped,
                                    MTREE_CACHE_MOST_FILES);
    free(stamped);
    if (status == MTREE_OK) {
        prune(cache, stamp);
    }
    return status;
}

mtree_status_t mtree_cache_correct(mtree_cache_t *cache, time_t now, const char *text)
{
    mtree_cached_t best;
    mtree_status_t status = find_best(cache, now, &best);

    if (status == MTREE_OK) {
        free(best.text);
        status = mtree_cache_write(cache, &best.stamp, now, text);
    }
    return status;
}
