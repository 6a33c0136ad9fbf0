/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/registry.h"

#include "coll_mtree/compat.h"

#include "base/log.h"
#include "topo/dot/read.h"

#include <stdlib.h>

typedef struct learned {
    mtree_topology_t *topology;
    struct learned *older;
} learned_t;

static learned_t *newest;
static opal_mutex_t newest_lock = OPAL_MUTEX_STATIC_INIT;

const mtree_topology_t *coll_mtree_topology_registry_add(const char *text, size_t length,
                                                         const char *origin)
{
    learned_t *learned = malloc(sizeof(*learned));
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    opal_mutex_lock(&newest_lock);
    if (learned != NULL) {
        status = mtree_topology_parse(text, length, origin, &learned->topology);
    }
    if (status == MTREE_OK) {
        learned->older = newest;
        newest = learned;
    }
    opal_mutex_unlock(&newest_lock);
    if (status != MTREE_OK) {
        free(learned);
        return NULL;
    }
    return learned->topology;
}

static bool has_all(const mtree_topology_t *topology,
                    const coll_mtree_host_t *contribution, int ranks)
{
    for (int rank = 0; rank < ranks; rank++) {
        if (mtree_topology_find_host(topology, contribution[rank].name) < 0) {
            return false;
        }
    }
    return true;
}

const mtree_topology_t *
coll_mtree_topology_registry_find(const coll_mtree_host_t *contribution, int ranks)
{
    const learned_t *learned;

    opal_mutex_lock(&newest_lock);
    learned = newest;
    while (learned != NULL && !has_all(learned->topology, contribution, ranks)) {
        learned = learned->older;
    }
    opal_mutex_unlock(&newest_lock);
    return learned == NULL ? NULL : learned->topology;
}

void coll_mtree_topology_registry_close(void)
{
    while (newest != NULL) {
        learned_t *learned = newest;

        newest = learned->older;
        mtree_topology_destroy(learned->topology);
        free(learned);
    }
}
