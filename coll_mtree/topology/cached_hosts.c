/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/cached_hosts.h"

#include "coll_mtree/coll_mtree.h"

#include <stdio.h>
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

bool coll_mtree_cached_hosts_init(coll_mtree_cached_hosts_t *hosts,
                                  const coll_mtree_host_t *contributions,
                                  const coll_mtree_host_numbers_t *numbers)
{
    mtree_arena_t arena = {NULL};
    const char **names, **addresses;
    char text[TEXT_LENGTH];

    *hosts = (coll_mtree_cached_hosts_t){.arena = {NULL}};
    if (is_replaced(contributions, numbers)) {
        return false;
    }
    MTREE_ARENA_ARRAY(&arena, names, (size_t)numbers->num_hosts);
    MTREE_ARENA_ARRAY(&arena, addresses, (size_t)numbers->num_hosts);
    for (int h = 0; arena.status == MTREE_OK && h < numbers->num_hosts; h++) {
        const coll_mtree_host_t *host = &contributions[numbers->first[h]];

        format_address(&host->addresses[0], text);
        names[h] = mtree_arena_strdup(&arena, host->name);
        addresses[h] = mtree_arena_strdup(&arena, text);
    }
    hosts->key = (mtree_cache_key_t){.num_hosts = numbers->num_hosts,
                                     .names = names,
                                     .addresses = addresses,
                                     .version = MTREE_VERSION};
    hosts->arena = arena;
    if (arena.status != MTREE_OK) {
        coll_mtree_cached_hosts_cleanup(hosts);
        return false;
    }
    return true;
}

void coll_mtree_cached_hosts_cleanup(coll_mtree_cached_hosts_t *hosts)
{
    mtree_arena_cleanup(&hosts->arena);
    *hosts = (coll_mtree_cached_hosts_t){.arena = {NULL}};
}
