/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/cache.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/coll_mtree.h"

#include "base/arena.h"
#include "base/array.h"
#include "topo/dot/cache.h"
#include "topo/dot/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a fabric's name before an address. */
#define FABRIC_LENGTH 32

typedef struct {
    mtree_cache_key_t key;
    mtree_arena_t arena; /* of the key's arrays */
} cached_hosts_t;

/* A map of one fabric is none of another: its name is a part of the address. */
static const char *format_address(const mtree_address_t *address, char *text)
{
    const char *fabric = coll_mtree_host_fabric();
    char number[MTREE_ADDRESS_LENGTH];

    if (strcmp(fabric, "tcp") == 0) {
        return mtree_address_format(address, text);
    }
    snprintf(text, MTREE_ADDRESS_LENGTH + FABRIC_LENGTH, "%.*s:%s", FABRIC_LENGTH - 2,
             fabric, mtree_address_format(address, number));
    return text;
}

/* False when there is no memory, or when nothing is to be kept of such hosts.  To be
 * cleaned up in any case. */
static bool cached_hosts_init(cached_hosts_t *hosts,
                              const coll_mtree_host_t *contributions,
                              const coll_mtree_host_numbers_t *numbers)
{
    size_t count = (size_t)numbers->num_hosts;
    char(*text)[MTREE_ADDRESS_LENGTH + FABRIC_LENGTH];
    const char **names, **addresses;

    *hosts = (cached_hosts_t){.arena = {NULL}};
    MTREE_ARENA_ARRAY(&hosts->arena, names, count);
    MTREE_ARENA_ARRAY(&hosts->arena, addresses, count);
    MTREE_ARENA_ARRAY(&hosts->arena, text, count);
    if (hosts->arena.status != MTREE_OK) {
        return false;
    }
    for (int rank = 0; rank < numbers->num_ranks; rank++) {
        if (contributions[rank].is_replaced) {
            return false;
        }
    }
    for (size_t h = 0; h < count; h++) {
        const coll_mtree_host_t *host = &contributions[numbers->first[h]];

        names[h] = host->name;
        addresses[h] = format_address(&host->addresses[0], text[h]);
    }
    hosts->key = (mtree_cache_key_t){.num_hosts = numbers->num_hosts,
                                     .names = names,
                                     .addresses = addresses,
                                     .version = MTREE_VERSION};
    return true;
}

char *coll_mtree_topology_cache_read(const coll_mtree_host_t *contributions,
                                     const coll_mtree_host_numbers_t *numbers)
{
    cached_hosts_t hosts;
    size_t length;
    char *text;

    if (!cached_hosts_init(&hosts, contributions, numbers) ||
        mtree_cache_read(&hosts.key, coll_mtree_params.cache_days, time(NULL), &text,
                         &length) != MTREE_OK) {
        text = NULL;
    }
    mtree_arena_cleanup(&hosts.arena);
    return text;
}

/* Without memory it is measured again. */
static void take_part(void *arg, const char *text, size_t length,
                      const mtree_cache_stamp_t *stamp)
{
    coll_mtree_probe_parts_t *parts = arg;

    if (!stamp->is_loaded &&
        mtree_array_reserve(&parts->texts, &parts->capacity, parts->count + 1,
                            sizeof(*parts->texts)) == MTREE_OK) {
        parts->texts[parts->count] = strndup(text, length);
        parts->count += parts->texts[parts->count] != NULL;
        if (parts->count == 1 || difftime(stamp->measured, parts->oldest) < 0) {
            parts->oldest = stamp->measured;
        }
    }
}

void coll_mtree_topology_cache_read_parts(const coll_mtree_host_t *contributions,
                                          const coll_mtree_host_numbers_t *numbers,
                                          coll_mtree_probe_parts_t *parts)
{
    cached_hosts_t hosts;

    if (cached_hosts_init(&hosts, contributions, numbers)) {
        (void)mtree_cache_read_parts(&hosts.key, coll_mtree_params.cache_days, time(NULL),
                                     take_part, parts);
    }
    mtree_arena_cleanup(&hosts.arena);
}

void coll_mtree_topology_cache_write(const coll_mtree_host_t *contributions,
                                     const coll_mtree_host_numbers_t *numbers,
                                     const coll_mtree_probe_parts_t *parts,
                                     const char *text)
{
    cached_hosts_t hosts;

    if (cached_hosts_init(&hosts, contributions, numbers)) {
        time_t now = time(NULL);
        const mtree_cache_stamp_t stamp = {parts->was_used ? parts->oldest : now,
                                           parts->is_loaded};

        (void)mtree_cache_write(&hosts.key, &stamp, coll_mtree_params.cache_days, now,
                                text);
    }
    mtree_arena_cleanup(&hosts.arena);
}

/* The topology as text, malloc'ed; NULL: no memory. */
static char *format_topology(const mtree_topology_t *topology)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    bool written = out != NULL && mtree_topology_write(topology, out) == MTREE_OK;

    if (out != NULL && fclose(out) == 0 && written) {
        return text;
    }
    free(text);
    return NULL;
}

void coll_mtree_topology_cache_correct(const coll_mtree_host_t *hosts, int num_hosts,
                                       const mtree_topology_t *topology)
{
    const char **names = calloc((size_t)num_hosts, sizeof(*names));
    char *text = format_topology(topology);
    coll_mtree_host_numbers_t numbers = {.num_ranks = 0};

    for (int h = 0; names != NULL && h < num_hosts; h++) {
        names[h] = hosts[h].name;
    }
    if (names != NULL && text != NULL &&
        coll_mtree_host_numbers_create(names, num_hosts, &numbers) == MTREE_OK) {
        coll_mtree_topology_cache_write(hosts, &numbers,
                                        &(coll_mtree_probe_parts_t){.count = 0}, text);
    }
    coll_mtree_host_numbers_cleanup(&numbers);
    free(text);
    free(names);
}
