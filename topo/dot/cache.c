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

mtree_status_t mtree_cache_open(mtree_cache_t *cache, double days, time_t now)
{
    char folder[MTREE_CACHE_PATH_LENGTH];
    uint64_t hash = MTREE_HASH_INIT;

    if (mtree_cache_file_folder(folder) != MTREE_OK) {
        return MTREE_ERR_NOT_FOUND;
    }
    cache->folder = mtree_arena_strdup(&cache->arena, folder);
    cache->days = days;
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
    size_t length;
    const char *fault = mtree_cache_file_read(folder, name, &cached.text, &length);
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

/* A search for the best file with all hosts. */
typedef struct {
    mtree_cached_t best; /* without a text: none yet */
    char name[MTREE_CACHE_NAME_LENGTH + 1];
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
    bool has_all = fault == NULL && cached->num_common == cache->num_hosts;

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
        snprintf(search->name, sizeof(search->name), "%.*s", MTREE_CACHE_NAME_LENGTH,
                 name);
    }
}

/* The best file with all hosts, whose text becomes the caller's. */
static mtree_status_t find_best(mtree_cache_t *cache, double days, time_t now,
                                search_t *search)
{
    mtree_status_t status = mtree_cache_open(cache, days, now);

    *search = (search_t){.status = MTREE_ERR_NOT_FOUND};
    if (status == MTREE_OK) {
        status = mtree_cache_visit(cache, search_visit, search);
    }
    return status == MTREE_OK && search->best.text == NULL ? search->status : status;
}

mtree_status_t mtree_cache_read(mtree_cache_t *cache, double days, time_t now,
                                char **text_p)
{
    search_t search;
    mtree_status_t status = find_best(cache, days, now, &search);
    char path[MTREE_CACHE_FILE_LENGTH];

    if (status == MTREE_OK) {
        snprintf(path, sizeof(path), "%s/%s", cache->folder, search.name);
        cache->path = mtree_arena_strdup(&cache->arena, path);
        *text_p = search.best.text;
    }
    return status;
}

/* Remove what is old, or superfluous beside the file with the stamp @a arg just written.
 * What has no stamp is not ours to remove. */
static void prune_visit(void *arg, const mtree_cache_t *cache, int folder,
                        const char *name, mtree_cached_t *cached, const char *fault)
{
    const mtree_cache_stamp_t *stamp = arg;
    bool is_superseded =
        fault == NULL && cached->num_common == cached->num_hosts && !stamp->is_loaded;

    if ((is_superseded || cached->is_old) && strcmp(name, cache->name) != 0) {
        (void)unlinkat(folder, name, 0);
    }
}

mtree_status_t mtree_cache_write(mtree_cache_t *cache, const mtree_cache_stamp_t *stamp,
                                 double days, time_t now, const char *text)
{
    mtree_cache_stamp_t written = *stamp;
    mtree_status_t status = mtree_cache_open(cache, days, now);
    char *stamped;

    if (status != MTREE_OK) {
        return status;
    }
    stamped = stamp_text(cache, stamp, text);
    status = mtree_cache_file_write(cache->folder, cache->name, stamped,
                                    MTREE_CACHE_MOST_FILES);
    free(stamped);
    return status == MTREE_OK ? mtree_cache_visit(cache, prune_visit, &written) : status;
}

mtree_status_t mtree_cache_correct(mtree_cache_t *cache, double days, time_t now,
                                   const char *text)
{
    search_t search;
    mtree_status_t status = find_best(cache, days, now, &search);

    if (status == MTREE_OK) {
        free(search.best.text);
        status = mtree_cache_write(cache, &search.best.stamp, days, now, text);
    }
    return status;
}
