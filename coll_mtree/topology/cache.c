/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/cache.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/coll_mtree.h"

#include "topo/dot/cache.h"

#include <stdlib.h>

typedef struct {
    mtree_cache_key_t key;
    const char **names;
    const char **addresses;
    char (*text)[MTREE_ADDRESS_LENGTH];
} store_key_t;

static void store_key_cleanup(store_key_t *store)
{
    free(store->names);
    free(store->addresses);
    free(store->text);
}

/* False when there is no memory, or when nothing is to be kept of such hosts. */
static bool store_key_init(store_key_t *store, const coll_mtree_host_t *contribution,
                           int ranks, const int *host, int num_hosts)
{
    size_t hosts = (size_t)num_hosts;
    int found = 0;

    store->names = calloc(hosts, sizeof(*store->names));
    store->addresses = calloc(hosts, sizeof(*store->addresses));
    store->text = calloc(hosts, sizeof(*store->text));
    if (store->names == NULL || store->addresses == NULL || store->text == NULL) {
        store_key_cleanup(store);
        return false;
    }
    for (int rank = 0; rank < ranks; rank++) {
        if (contribution[rank].is_replaced) {
            store_key_cleanup(store);
            return false;
        }
        if (host[rank] == found) {
            store->names[found] = contribution[rank].name;
            store->addresses[found] = mtree_address_format(
                &contribution[rank].addresses[0], store->text[found]);
            found++;
        }
    }
    store->key = (mtree_cache_key_t){.num_hosts = num_hosts,
                                     .names = store->names,
                                     .addresses = store->addresses,
                                     .version = MTREE_VERSION};
    return true;
}

char *coll_mtree_topology_cache_read(const coll_mtree_host_t *contribution, int ranks,
                                     const int *host, int num_hosts)
{
    store_key_t store;
    size_t length;
    char *text;

    if (!store_key_init(&store, contribution, ranks, host, num_hosts)) {
        return NULL;
    }
    if (mtree_cache_read(&store.key, coll_mtree_params.cache_days, time(NULL), &text,
                         &length) != MTREE_OK) {
        text = NULL;
    }
    store_key_cleanup(&store);
    return text;
}

void coll_mtree_topology_cache_write(const coll_mtree_host_t *contribution, int ranks,
                                     const int *host, int num_hosts, const char *text)
{
    store_key_t store;

    if (store_key_init(&store, contribution, ranks, host, num_hosts)) {
        (void)mtree_cache_write(&store.key, time(NULL), text);
        store_key_cleanup(&store);
    }
}
