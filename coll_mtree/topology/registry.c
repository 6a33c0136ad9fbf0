/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/registry.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/compat.h"

#include "base/list.h"
#include "topo/dot/read.h"

#include <stdlib.h>

typedef struct {
    mtree_topology_t *topology;
    mtree_list_t link;
} learned_t;

static mtree_list_t all = {&all, &all}; /* learned_t, the oldest first */
static opal_mutex_t all_lock = OPAL_MUTEX_STATIC_INIT;

const mtree_topology_t *coll_mtree_topology_registry_add(const char *text, size_t length,
                                                         const char *origin)
{
    mtree_topology_t *topology;
    learned_t *learned;

    if (mtree_topology_parse(text, length, origin, &topology) != MTREE_OK) {
        return NULL;
    }
    learned = coll_mtree_malloc(sizeof(*learned));
    learned->topology = topology;
    opal_mutex_lock(&all_lock);
    mtree_list_append(&all, &learned->link);
    opal_mutex_unlock(&all_lock);
    return topology;
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
    const mtree_topology_t *newest = NULL;
    mtree_list_t *link;

    opal_mutex_lock(&all_lock);
    MTREE_LIST_FOR_EACH(link, &all)
    {
        const mtree_topology_t *topology =
            MTREE_CONTAINER_OF(link, learned_t, link)->topology;

        newest = has_all(topology, contribution, ranks) ? topology : newest;
    }
    opal_mutex_unlock(&all_lock);
    return newest;
}

void coll_mtree_topology_registry_close(void)
{
    mtree_list_t *link;

    while ((link = mtree_list_take(&all)) != NULL) {
        learned_t *learned = MTREE_CONTAINER_OF(link, learned_t, link);

        mtree_topology_destroy(learned->topology);
        free(learned);
    }
}
