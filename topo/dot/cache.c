/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cache.h"

#include "base/log.h"
#include "topo/dot/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_LENGTH MTREE_CACHE_NAME_LENGTH

mtree_status_t mtree_cache_path(const mtree_cache_key_t *key, char *path)
{
    mtree_cache_folder_t cache;
    mtree_status_t status = mtree_cache_folder_init(&cache, key, 0, 0);

    if (status == MTREE_OK) {
        snprintf(path, MTREE_CACHE_PATH_LENGTH, "%.*s/%s",
                 MTREE_CACHE_PATH_LENGTH - NAME_LENGTH - 2, cache.folder, cache.name);
    }
    mtree_cache_folder_cleanup(&cache);
    return status;
}

/* A search for the best file with all hosts. */
typedef struct {
    const mtree_cache_folder_t *cache;
    mtree_cached_t best; /* without a text: none yet */
    mtree_status_t status;
} search_t;

static bool is_better(const mtree_cached_t *a, const mtree_cached_t *b)
{
    return b->text == NULL || (a->stamp.is_loaded != b->stamp.is_loaded
                                   ? b->stamp.is_loaded
                                   : difftime(a->stamp.measured, b->stamp.measured) > 0);
}

static void search_visit(void *arg, int folder, const char *name, mtree_cached_t *cached,
                         const char *fault)
{
    search_t *search = arg;
    const mtree_cache_folder_t *cache = search->cache;
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
    }
}

/* The best file with all hosts, whose text becomes the caller's. */
static mtree_status_t find_best(const mtree_cache_key_t *key, double days, time_t now,
                                mtree_cached_t *best_p)
{
    mtree_cache_folder_t cache;
    search_t search = {.cache = &cache, .status = MTREE_ERR_NOT_FOUND};
    mtree_status_t status = mtree_cache_folder_init(&cache, key, days, now);

    if (status == MTREE_OK) {
        status = mtree_cache_folder_visit(&cache, search_visit, &search);
    }
    if (status == MTREE_OK && search.best.text != NULL) {
        *best_p = search.best;
    } else if (status == MTREE_OK) {
        status = search.status;
    }
    mtree_cache_folder_cleanup(&cache);
    return status;
}

mtree_status_t mtree_cache_read(const mtree_cache_key_t *key, double days, time_t now,
                                char **text_p, size_t *length_p)
{
    mtree_cached_t best;
    mtree_status_t status = find_best(key, days, now, &best);

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

static void part_visit(void *arg, int folder, const char *name, mtree_cached_t *cached,
                       const char *fault)
{
    const parts_t *parts = arg;

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
    mtree_cache_folder_t cache;
    mtree_status_t status = mtree_cache_folder_init(&cache, key, days, now);

    if (status == MTREE_OK) {
        status = mtree_cache_folder_visit(&cache, part_visit, &parts);
    }
    mtree_cache_folder_cleanup(&cache);
    return status;
}

/* The files that stay when others are removed. */
typedef struct {
    const mtree_cache_folder_t *cache;
    const mtree_cache_stamp_t *stamp; /* of the file just written */
    int count;
    char oldest[NAME_LENGTH + 1];
    time_t oldest_measured;
} pruning_t;

/* Without a stamp it is not ours to remove. */
static void prune_visit(void *arg, int folder, const char *name, mtree_cached_t *cached,
                        const char *fault)
{
    pruning_t *pruning = arg;
    bool is_superseded = fault == NULL && cached->num_common == cached->num_hosts &&
                         !pruning->stamp->is_loaded;

    if (strcmp(name, pruning->cache->name) == 0 || cached->stamp.measured == 0) {
        return;
    }
    if (is_superseded || cached->is_old) {
        (void)unlinkat(folder, name, 0);
        return;
    }
    if (pruning->count++ == 0 ||
        difftime(cached->stamp.measured, pruning->oldest_measured) < 0) {
        snprintf(pruning->oldest, sizeof(pruning->oldest), "%.*s", NAME_LENGTH, name);
        pruning->oldest_measured = cached->stamp.measured;
    }
}

/* Remove what is superfluous beside the file just written. */
static void prune(const mtree_cache_folder_t *cache, const mtree_cache_stamp_t *stamp)
{
    pruning_t pruning = {.cache = cache, .stamp = stamp};
    int folder = mtree_cache_file_open(cache->folder);

    if (folder < 0) {
        return;
    }
    /* Writers may have left several too many. */
    do {
        pruning.count = 0;
        (void)mtree_cache_folder_visit(cache, prune_visit, &pruning);
    } while (pruning.count >= MTREE_CACHE_MOST_FILES &&
             unlinkat(folder, pruning.oldest, 0) == 0);
    close(folder);
}

mtree_status_t mtree_cache_write(const mtree_cache_key_t *key,
                                 const mtree_cache_stamp_t *stamp, double days,
                                 time_t now, const char *text)
{
    mtree_cache_folder_t cache;
    mtree_status_t status = mtree_cache_folder_init(&cache, key, days, now);

    if (status == MTREE_OK) {
        status = mtree_cache_folder_write(&cache, stamp, text);
    }
    if (status == MTREE_OK) {
        prune(&cache, stamp);
    }
    mtree_cache_folder_cleanup(&cache);
    return status;
}

mtree_status_t mtree_cache_correct(const mtree_cache_key_t *key, double days, time_t now,
                                   const char *text)
{
    mtree_cached_t best;
    mtree_status_t status = find_best(key, days, now, &best);

    if (status == MTREE_OK) {
        free(best.text);
        status = mtree_cache_write(key, &best.stamp, days, now, text);
    }
    return status;
}
