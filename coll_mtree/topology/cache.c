/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/cache.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/coll_mtree.h"

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

void coll_mtree_topology_cache_init(mtree_cache_t *cache, const coll_mtree_hosts_t *hosts)
{
    const char *replaced = coll_mtree_params.hosts;
    const bool is_real = replaced == NULL || replaced[0] == '\0';
    char text[TEXT_LENGTH];

    *cache =
        (mtree_cache_t){.version = MTREE_VERSION, .days = coll_mtree_params.cache_days};
    for (int h = 0; is_real && h < hosts->numbers.num_hosts; h++) {
        format_address(&hosts->list[h].addresses[0], text);
        mtree_cache_add_host(cache, hosts->list[h].name, text);
    }
}

void coll_mtree_topology_cache_correct(mtree_cache_t *cache,
                                       const mtree_topology_t *topology)
{
    size_t length;
    char *text;
    FILE *out;

    if (cache->num_hosts == 0 || cache->days <= 0) {
        return;
    }
    out = mtree_text_begin(&text, &length);
    mtree_require(mtree_topology_write(topology, out));
    mtree_text_end(out);
    (void)mtree_cache_correct(cache, time(NULL), text);
    free(text);
}
