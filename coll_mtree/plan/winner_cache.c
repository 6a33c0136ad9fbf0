/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/winner_cache.h"

#include "coll_mtree/base/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE "cache "

/* MTREE_ERR_NOT_FOUND: there is no file; others: it is of no use. */
static mtree_status_t read_file(const coll_mtree_cached_hosts_t *hosts,
                                coll_mtree_winners_t *winners)
{
    char source[sizeof(SOURCE) + MTREE_CACHE_PATH_LENGTH] = SOURCE;
    mtree_status_t status;
    size_t length;
    char *text;

    status = mtree_cache_read(&hosts->key, coll_mtree_params.cache_days, time(NULL),
                              &text, &length);
    if (status != MTREE_OK) {
        return status;
    }
    (void)mtree_cache_path(&hosts->key, source + strlen(SOURCE));
    status = coll_mtree_winners_read(winners, text, source, hosts->key.names,
                                     hosts->key.num_hosts);
    free(text);
    if (status != MTREE_OK) {
        coll_mtree_winners_cleanup(winners);
        coll_mtree_winners_init(winners);
    }
    return status;
}

void coll_mtree_winner_cache_init(coll_mtree_winner_cache_t *cache)
{
    *cache = (coll_mtree_winner_cache_t){.hosts = {.arena = {NULL}}};
    coll_mtree_winners_init(&cache->earlier);
    coll_mtree_winners_init(&cache->found);
}

void coll_mtree_winner_cache_open(coll_mtree_winner_cache_t *cache,
                                  const coll_mtree_host_t *contributions,
                                  const coll_mtree_host_numbers_t *numbers)
{
    if (coll_mtree_params.cache_days > 0 &&
        coll_mtree_cached_hosts_init(&cache->hosts, MTREE_CACHE_WINNERS, contributions,
                                     numbers)) {
        mtree_status_t status = read_file(&cache->hosts, &cache->earlier);

        cache->is_garbage = status != MTREE_OK && status != MTREE_ERR_NOT_FOUND;
    }
}

static void write_file(const coll_mtree_winner_cache_t *cache)
{
    const coll_mtree_cached_hosts_t *hosts = &cache->hosts;
    double days = coll_mtree_params.cache_days;
    coll_mtree_winners_t all;
    time_t now = time(NULL);
    char *text = NULL;
    bool was_there;

    coll_mtree_winners_init(&all);
    /* Other jobs may have written it meanwhile. */
    was_there = !cache->is_garbage && read_file(hosts, &all) == MTREE_OK;
    if (coll_mtree_winners_merge(&all, &cache->found)) {
        text = coll_mtree_winners_write(&all, hosts->key.names);
    }
    if (text != NULL && was_there) {
        (void)mtree_cache_correct(&hosts->key, days, now, text);
    } else if (text != NULL) {
        (void)mtree_cache_write(&hosts->key, &(mtree_cache_stamp_t){now, false}, days,
                                now, text);
    }
    free(text);
    coll_mtree_winners_cleanup(&all);
}

void coll_mtree_winner_cache_close(coll_mtree_winner_cache_t *cache)
{
    if (cache->hosts.key.num_hosts > 0 && !coll_mtree_winners_is_empty(&cache->found)) {
        write_file(cache);
    }
    coll_mtree_winners_cleanup(&cache->earlier);
    coll_mtree_winners_cleanup(&cache->found);
    coll_mtree_cached_hosts_cleanup(&cache->hosts);
}
