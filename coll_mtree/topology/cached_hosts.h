/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hosts of a communicator as the key of a file in the cache (topo/dot/cache.h).
 */
#ifndef COLL_MTREE_TOPOLOGY_CACHED_HOSTS_H
#define COLL_MTREE_TOPOLOGY_CACHED_HOSTS_H

#include "coll_mtree/control/host.h"
#include "coll_mtree/control/host_numbers.h"

#include "base/arena.h"
#include "topo/dot/cache.h"

/* All zero: none. */
typedef struct {
    mtree_cache_key_t key;
    mtree_arena_t arena; /* of all that the key refers to */
} coll_mtree_cached_hosts_t;

/*
 * The key for the hosts of @a contributions [ranks], which @a numbers numbers.  It names
 * the fabric that carries messages.  False, all zero: there is no memory, or names are
 * coll_mtree_hosts's, of which nothing is kept.
 */
bool coll_mtree_cached_hosts_init(coll_mtree_cached_hosts_t *hosts,
                                  const coll_mtree_host_t *contributions,
                                  const coll_mtree_host_numbers_t *numbers);
void coll_mtree_cached_hosts_cleanup(coll_mtree_cached_hosts_t *hosts);

#endif
