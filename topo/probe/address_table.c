/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/address_table.h"

#include "base/array.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

void mtree_probe_addresses_clear(mtree_probe_addresses_t *addresses)
{
    for (int i = 0; i < addresses->num_addresses; ++i) {
        free(addresses->items[i]);
    }
    free(addresses->items);
    mtree_hash_table_cleanup(&addresses->by_text);
    *addresses = (mtree_probe_addresses_t){0};
}

static bool has_text(const mtree_hash_link_t *link, const void *text)
{
    return strcmp(MTREE_CONTAINER_OF(link, mtree_probe_address_t, link)->text, text) == 0;
}

static mtree_status_t add(mtree_probe_addresses_t *addresses, const char *text,
                          uint64_t hash)
{
    const size_t size = strlen(text) + 1;
    mtree_probe_address_t *address = malloc(sizeof(*address) + size);

    if (address == NULL ||
        mtree_array_reserve(&addresses->items, &addresses->capacity,
                            addresses->num_addresses + 1,
                            sizeof(mtree_probe_address_t *)) != MTREE_OK ||
        mtree_hash_table_add(&addresses->by_text, &address->link, hash) != MTREE_OK) {
        free(address);
        return mtree_no_memory("the addresses of routes");
    }
    address->number = addresses->num_addresses;
    address->owner = -1;
    memcpy(address->text, text, size);
    addresses->items[addresses->num_addresses++] = address;
    return MTREE_OK;
}

mtree_status_t mtree_probe_addresses_find(mtree_probe_addresses_t *addresses,
                                          const char *text, int *address_p)
{
    const uint64_t hash = mtree_hash_string(MTREE_HASH_INIT, text);
    mtree_hash_link_t *link =
        mtree_hash_table_find(&addresses->by_text, hash, has_text, text);

    if (link != NULL) {
        *address_p = MTREE_CONTAINER_OF(link, mtree_probe_address_t, link)->number;
        return MTREE_OK;
    }
    *address_p = addresses->num_addresses;
    return add(addresses, text, hash);
}
