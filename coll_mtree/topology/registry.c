/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/registry.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/compat.h"

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "topo/dot/read.h"

#include <math.h>
#include <stdlib.h>

/* Seconds of a round trip that is long, and of the longest on earth. */
#define LONG_TRIP 0.002
#define MOST_TRIP 0.5

static struct {
    mtree_topology_t **learned; /* [count] the oldest first */
    int count, capacity;
    opal_mutex_t lock;
    /* The user's: read once per process, so that an error in it is logged once. */
    bool is_read;
    mtree_topology_t *of_user; /* NULL: none that can be used */
} all = {.lock = OPAL_MUTEX_STATIC_INIT};

const mtree_topology_t *coll_mtree_topology_registry_user(void)
{
    const char *path = coll_mtree_params.topology;

    if (!all.is_read) {
        all.is_read = true;
        mtree_log_about("coll_mtree_topology", "the fallback serves");
        if (mtree_topology_read(path, &all.of_user) != MTREE_OK) {
            all.of_user = NULL;
        }
        mtree_log_about(NULL, NULL);
    }
    return all.of_user;
}

double coll_mtree_topology_registry_user_trip(void)
{
    const mtree_topology_t *of = coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE
                                     ? coll_mtree_topology_registry_user()
                                     : NULL;
    double sum = 0, longest = 0;

    for (int l = 0; of != NULL && l < of->num_links; l++) {
        if (of->links[l].num_cables > 0) {
            return 0;
        }
        sum += of->links[l].latency;
        longest = fmax(longest, of->links[l].latency);
    }
    /* No way takes a link twice. */
    return 2 * longest >= LONG_TRIP ? fmin(2 * sum, MOST_TRIP) : 0;
}

const mtree_topology_t *coll_mtree_topology_registry_add(const char *text, size_t length,
                                                         const char *origin)
{
    mtree_topology_t *topology;

    if (mtree_topology_parse(text, length, origin, &topology) != MTREE_OK) {
        return NULL;
    }
    opal_mutex_lock(&all.lock);
    mtree_array_reserve(&all.learned, &all.capacity, all.count + 1, sizeof(*all.learned));
    all.learned[all.count++] = topology;
    opal_mutex_unlock(&all.lock);
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

    opal_mutex_lock(&all.lock);
    for (int i = all.count; newest == NULL && i-- > 0;) {
        newest = has_all(all.learned[i], contribution, ranks) ? all.learned[i] : NULL;
    }
    opal_mutex_unlock(&all.lock);
    return newest;
}

void coll_mtree_topology_registry_close(void)
{
    mtree_topology_destroy(all.of_user);
    all.of_user = NULL;
    all.is_read = false;
    while (all.count > 0) {
        mtree_topology_destroy(all.learned[--all.count]);
    }
    free(all.learned);
    all.learned = NULL;
    all.capacity = 0;
}
