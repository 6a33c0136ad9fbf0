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

void coll_mtree_topology_cache_init(mtree_cache_t *cache,
                                    const coll_mtree_host_t *contributions,
                                    const coll_mtree_host_numbers_t *numbers)
{
    const int num_hosts = is_replaced(contributions, numbers) ? 0 : numbers->num_hosts;
    char text[TEXT_LENGTH];

    *cache =
        (mtree_cache_t){.version = MTREE_VERSION, .days = coll_mtree_params.cache_days};
    for (int h = 0; h < num_hosts; h++) {
        const coll_mtree_host_t *host = &contributions[numbers->first[h]];

        format_address(&host->addresses[0], text);
        mtree_cache_add_host(cache, host->name, text);
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
