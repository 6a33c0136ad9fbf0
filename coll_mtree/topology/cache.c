/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/cache.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/coll_mtree.h"

#include "base/array.h"
#include "base/memory.h"
#include "topo/dot/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a fabric's name before an address. */
#define FABRIC_LENGTH 32

#define TEXT_LENGTH (FABRIC_LENGTH + MTREE_ADDRESS_LENGTH)

/* A map of one fabric is none of another: its name is a part of the address. */
static void format_address(const mtree_address_t *address, char *text)
{
    const char *fabric = coll_mtree_host_fabric();
    bool is_tcp = strcmp(fabric, "tcp") == 0;
    char number[MTREE_ADDRESS_LENGTH];

    snprintf(text, TEXT_LENGTH, "%.*s%s%s", FABRIC_LENGTH - 2, is_tcp ? "" : fabric,
             is_tcp ? "" : ":", mtree_address_format(address, number));
}

static bool is_replaced(const coll_mtree_host_t *contributions,
                        const coll_mtree_host_numbers_t *numbers)
{
    for (int rank = 0; rank < numbers->num_ranks; rank++) {
        if (contributions[rank].is_replaced) {
            return true;
        }
    }
    return false;
}

void coll_mtree_cached_hosts_init(coll_mtree_cached_hosts_t *hosts,
                                  const coll_mtree_host_t *contributions,
                                  const coll_mtree_host_numbers_t *numbers)
{
    const char **names, **addresses;
    char text[TEXT_LENGTH];

    *hosts = (coll_mtree_cached_hosts_t){.arena = {NULL}};
    if (is_replaced(contributions, numbers)) {
        return;
    }
    MTREE_ARENA_ARRAY(&hosts->arena, names, (size_t)numbers->num_hosts);
    MTREE_ARENA_ARRAY(&hosts->arena, addresses, (size_t)numbers->num_hosts);
    for (int h = 0; h < numbers->num_hosts; h++) {
        const coll_mtree_host_t *host = &contributions[numbers->first[h]];

        format_address(&host->addresses[0], text);
        names[h] = mtree_arena_strdup(&hosts->arena, host->name);
        addresses[h] = mtree_arena_strdup(&hosts->arena, text);
    }
    hosts->key = (mtree_cache_key_t){.num_hosts = numbers->num_hosts,
                                     .names = names,
                                     .addresses = addresses,
                                     .version = MTREE_VERSION};
}

void coll_mtree_cached_hosts_cleanup(coll_mtree_cached_hosts_t *hosts)
{
    mtree_arena_cleanup(&hosts->arena);
    *hosts = (coll_mtree_cached_hosts_t){.arena = {NULL}};
}

char *coll_mtree_topology_cache_read(coll_mtree_cached_hosts_t *hosts)
{
    char path[MTREE_CACHE_FILE_LENGTH], *text;
    size_t length;

    if (hosts->key.num_hosts == 0 ||
        mtree_cache_read(&hosts->key, coll_mtree_params.cache_days, time(NULL), path,
                         &text, &length) != MTREE_OK) {
        return NULL;
    }
    hosts->path = mtree_arena_strdup(&hosts->arena, path);
    return text;
}

static void take_part(void *arg, const char *text, size_t length,
                      const mtree_cache_stamp_t *stamp)
{
    coll_mtree_probe_parts_t *parts = arg;

    if (!stamp->is_loaded) {
        mtree_array_reserve(&parts->texts, &parts->capacity, parts->count + 1,
                            sizeof(*parts->texts));
        parts->texts[parts->count] = mtree_calloc(1, length + 1);
        memcpy(parts->texts[parts->count++], text, length);
        if (parts->count == 1 || difftime(stamp->measured, parts->oldest) < 0) {
            parts->oldest = stamp->measured;
        }
    }
}

void coll_mtree_topology_cache_read_parts(const coll_mtree_cached_hosts_t *hosts,
                                          coll_mtree_probe_parts_t *parts)
{
    if (hosts->key.num_hosts > 0) {
        (void)mtree_cache_read_parts(&hosts->key, coll_mtree_params.cache_days,
                                     time(NULL), take_part, parts);
    }
}

void coll_mtree_topology_cache_write(const coll_mtree_cached_hosts_t *hosts,
                                     const coll_mtree_probe_parts_t *parts,
                                     const char *text)
{
    time_t now = time(NULL);
    const mtree_cache_stamp_t stamp = {parts->was_used ? parts->oldest : now,
                                       parts->is_loaded};

    if (hosts->key.num_hosts > 0 && coll_mtree_params.cache_days > 0) {
        (void)mtree_cache_write(&hosts->key, &stamp, coll_mtree_params.cache_days, now,
                                text);
    }
}

void coll_mtree_topology_cache_correct(const coll_mtree_cached_hosts_t *hosts,
                                       const mtree_topology_t *topology)
{
    size_t length;
    char *text;
    FILE *out;

    if (hosts->key.num_hosts == 0 || coll_mtree_params.cache_days <= 0) {
        return;
    }
    out = mtree_text_begin(&text, &length);
    mtree_require(mtree_topology_write(topology, out));
    mtree_text_end(out);
    (void)mtree_cache_correct(&hosts->key, coll_mtree_params.cache_days, time(NULL),
                              text);
    free(text);
}
