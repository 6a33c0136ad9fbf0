/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cache.h"

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

mtree_status_t mtree_cache_init(mtree_cache_t *cache, const mtree_cache_key_t *key,
                                double days, time_t now)
{
    static const char format[] = HOST "%s %s\n";
    uint64_t hash = MTREE_HASH_INIT;

    *cache = (mtree_cache_t){.key = key, .days = days, .now = now};
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

void mtree_cache_cleanup(mtree_cache_t *cache)
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
        cached->num_common += bsearch(at, cache->lines, (size_t)cache->key->num_hosts,
                                      sizeof(*cache->lines), compare_begin) != NULL;
        cached->num_hosts++;
        at = strchr(at, '\n') + 1;
    }
}

/* The reason why the file is not used, in @a why or static; NULL: it is. */
static const char *parse_stamp(const mtree_cache_t *cache, mtree_cached_t *cached,
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
    const mtree_cache_t *cache;
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
    visitor->visit(visitor->arg, visitor->cache, folder, name, &cached, fault);
    free(cached.text);
}

mtree_status_t mtree_cache_visit(const mtree_cache_t *cache, mtree_cache_visit_t visit,
                                 void *arg)
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
static char *stamp_text(const mtree_cache_t *cache, const mtree_cache_stamp_t *stamp,
                        const char *text)
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

/* Write the file for the key.  MTREE_ERR_IO, with a warning. */
static mtree_status_t write_file(const mtree_cache_t *cache,
                                 const mtree_cache_stamp_t *stamp, const char *text)
{
    char *stamped = stamp_text(cache, stamp, text);
    mtree_status_t status =
        stamped == NULL ? mtree_no_memory("the cache of topologies")
                        : mtree_cache_file_write(cache->folder, cache->name, stamped);

    free(stamped);
    return status;
}

/* A search for the best file with all hosts. */
typedef struct {
    mtree_cached_t best; /* without a text: none yet */
    char *path;          /* where it is, [MTREE_CACHE_FILE_LENGTH] */
    mtree_status_t status;
} search_t;

static bool is_better(const mtree_cached_t *a, const mtree_cached_t *b)
{
    return b->text == NULL || (a->stamp.is_loaded != b->stamp.is_loaded
                                   ? b->stamp.is_loaded
                                   : difftime(a->stamp.measured, b->stamp.measured) > 0);
}

static void search_visit(void *arg, const mtree_cache_t *cache, int folder,
                         const char *name, mtree_cached_t *cached, const char *fault)
{
    search_t *search = arg;
    bool has_all = fault == NULL && cached->num_common == cache->key->num_hosts;

    (void)folder;
    if (fault == NULL && !has_all) {
        fault = "it is of other hosts or addresses";
    }
    if (fault != NULL && strcmp(name, cache->name) == 0) {
        mtree_warn("cache %s/%s: %s; the network is learned anew, or run mtree probe",
                   cache->folder, name, fault);
        search->status = MTREE_ERR_INVALID;
    }
    if (has_all && is_better(cached, &search->best)) {
        free(search->best.text);
        search->best = *cached;
        cached->text = NULL;
        snprintf(search->path, MTREE_CACHE_FILE_LENGTH, "%s/%s", cache->folder, name);
    }
}

/* Visit all files for @a key. */
static mtree_status_t visit_all(const mtree_cache_key_t *key, double days, time_t now,
                                mtree_cache_visit_t visit, void *arg)
{
    mtree_cache_t cache;
    mtree_status_t status = mtree_cache_init(&cache, key, days, now);

    if (status == MTREE_OK) {
        status = mtree_cache_visit(&cache, visit, arg);
    }
    mtree_cache_cleanup(&cache);
    return status;
}

/* The best file with all hosts, whose text becomes the caller's, and where it is. */
static mtree_status_t find_best(const mtree_cache_key_t *key, double days, time_t now,
                                char path[MTREE_CACHE_FILE_LENGTH],
                                mtree_cached_t *best_p)
{
    search_t search = {.path = path, .status = MTREE_ERR_NOT_FOUND};
    mtree_status_t status = visit_all(key, days, now, search_visit, &search);

    *best_p = search.best;
    return status == MTREE_OK && search.best.text == NULL ? search.status : status;
}

mtree_status_t mtree_cache_read(const mtree_cache_key_t *key, double days, time_t now,
                                char path[MTREE_CACHE_FILE_LENGTH], char **text_p,
                                size_t *length_p)
{
    mtree_cached_t best;
    mtree_status_t status = find_best(key, days, now, path, &best);

    if (status == MTREE_OK) {
        *text_p = best.text;
        *length_p = best.length;
    }
    return status;
}

typedef struct {
    mtree_cache_take_t take;
    void *arg;
} parts_t;

static void part_visit(void *arg, const mtree_cache_t *cache, int folder,
                       const char *name, mtree_cached_t *cached, const char *fault)
{
    const parts_t *parts = arg;

    (void)cache;
    (void)folder;
    (void)name;
    if (fault == NULL && cached->num_common >= 2) {
        parts->take(parts->arg, cached->text, cached->length, &cached->stamp);
    }
}

mtree_status_t mtree_cache_read_parts(const mtree_cache_key_t *key, double days,
                                      time_t now, mtree_cache_take_t take, void *arg)
{
    parts_t parts = {take, arg};

    return visit_all(key, days, now, part_visit, &parts);
}

/* The files that stay when others are removed. */
typedef struct {
    const mtree_cache_stamp_t *stamp; /* of the file just written */
    int count;
    char oldest[MTREE_CACHE_NAME_LENGTH + 1];
    time_t oldest_measured;
} pruning_t;

/* Without a stamp it is not ours to remove. */
static void prune_visit(void *arg, const mtree_cache_t *cache, int folder,
                        const char *name, mtree_cached_t *cached, const char *fault)
{
    pruning_t *pruning = arg;
    bool is_superseded = fault == NULL && cached->num_common == cached->num_hosts &&
                         !pruning->stamp->is_loaded;

    if (strcmp(name, cache->name) == 0 || cached->stamp.measured == 0) {
        return;
    }
    if (is_superseded || cached->is_old) {
        (void)unlinkat(folder, name, 0);
        return;
    }
    if (pruning->count++ == 0 ||
        difftime(cached->stamp.measured, pruning->oldest_measured) < 0) {
        snprintf(pruning->oldest, sizeof(pruning->oldest), "%.*s",
                 MTREE_CACHE_NAME_LENGTH, name);
        pruning->oldest_measured = cached->stamp.measured;
    }
}

/* Remove what is superfluous beside the file just written. */
static void prune(const mtree_cache_t *cache, const mtree_cache_stamp_t *stamp)
{
    pruning_t pruning = {.stamp = stamp};
    int folder = mtree_cache_file_open(cache->folder);

    if (folder < 0) {
        return;
    }
    /* Writers may have left several too many. */
    do {
        pruning.count = 0;
        (void)mtree_cache_visit(cache, prune_visit, &pruning);
    } while (pruning.count >= MTREE_CACHE_MOST_FILES &&
             unlinkat(folder, pruning.oldest, 0) == 0);
    close(folder);
}

mtree_status_t mtree_cache_write(const mtree_cache_key_t *key,
                                 const mtree_cache_stamp_t *stamp, double days,
                                 time_t now, const char *text)
{
    mtree_cache_t cache;
    mtree_status_t status = mtree_cache_init(&cache, key, days, now);

    if (status == MTREE_OK) {
        status = write_file(&cache, stamp, text);
    }
    if (status == MTREE_OK) {
        prune(&cache, stamp);
    }
    mtree_cache_cleanup(&cache);
    return status;
}

mtree_status_t mtree_cache_correct(const mtree_cache_key_t *key, double days, time_t now,
                                   const char *text)
{
    char path[MTREE_CACHE_FILE_LENGTH];
    mtree_cached_t best;
    mtree_status_t status = find_best(key, days, now, path, &best);

    if (status == MTREE_OK) {
        free(best.text);
        status = mtree_cache_write(key, &best.stamp, days, now, text);
    }
    return status;
}
