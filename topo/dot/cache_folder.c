/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cache_folder.h"

#include "base/hash.h"
#include "base/log.h"

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

/* To be cleaned up also when this fails. */
mtree_status_t mtree_cache_folder_init(mtree_cache_folder_t *cache,
                                       const mtree_cache_key_t *key, double days,
                                       time_t now)
{
    static const char format[] = HOST "%s %s\n";
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
    mtree_cache_file_name(hash, MTREE_CACHE_TOPOLOGIES, cache->name);
    return mtree_cache_file_folder(cache->folder);
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

typedef struct {
    const mtree_cache_folder_t *cache;
    mtree_cache_visit_t visit;
    void *arg;
} visitor_t;

static void visit_file(void *arg, int folder, const char *name)
{
    const visitor_t *visitor = arg;
    mtree_cached_t cached = {.text = NULL};
    const char *fault = mtree_cache_file_read(folder, name, &cached.text, &cached.length);
    char why[160];

    if (fault == NULL) {
        fault = parse_stamp(visitor->cache, &cached, why, sizeof(why));
    }
    visitor->visit(visitor->arg, folder, name, &cached, fault);
    free(cached.text);
}

mtree_status_t mtree_cache_folder_visit(const mtree_cache_folder_t *cache,
                                        mtree_cache_visit_t visit, void *arg)
{
    visitor_t visitor = {cache, visit, arg};
    int folder = mtree_cache_file_open(cache->folder);

    if (folder < 0) {
        return MTREE_ERR_NOT_FOUND;
    }
    mtree_cache_file_visit(folder, MTREE_CACHE_TOPOLOGIES, visit_file, &visitor);
    close(folder);
    return MTREE_OK;
}

/* The stamp, and @a text behind it; malloc'ed, NULL: no memory. */
static char *stamp_text(const mtree_cache_folder_t *cache,
                        const mtree_cache_stamp_t *stamp, const char *text)
{
    char *stamped = NULL, date[64];
    size_t length;
    FILE *out = open_memstream(&stamped, &length);
    struct tm broken;

    if (out == NULL) {
        return NULL;
    }
    gmtime_r(&stamp->measured, &broken);
    strftime(date, sizeof(date), DATE, &broken);
    fprintf(out, MAGIC "%s\n" WRITTEN "%s\n%s", cache->key->version, date,
            stamp->is_loaded ? LOADED : "");
    for (int h = 0; h < cache->key->num_hosts; h++) {
        fputs(cache->lines[h], out);
    }
    fputs(text, out);
    if (fclose(out) != 0) {
        free(stamped);
        return NULL;
    }
    return stamped;
}

mtree_status_t mtree_cache_folder_write(const mtree_cache_folder_t *cache,
                                        const mtree_cache_stamp_t *stamp,
                                        const char *text)
{
    char *stamped = stamp_text(cache, stamp, text);
    mtree_status_t status =
        stamped == NULL ? mtree_no_memory("the cache of topologies")
                        : mtree_cache_file_write(cache->folder, cache->name, stamped);

    free(stamped);
    return status;
}
