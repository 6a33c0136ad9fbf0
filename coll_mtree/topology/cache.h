/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of topologies (topo/dot/cache.h) for the hosts of a communicator.
 */
#ifndef COLL_MTREE_TOPOLOGY_CACHE_H
#define COLL_MTREE_TOPOLOGY_CACHE_H

#include "coll_mtree/control/host.h"
#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/probe/probe.h"

#include "base/arena.h"
#include "topo/dot/cache.h"
#include "topo/topology.h"

/* The hosts of a communicator as the key of a file in the cache.  No hosts: names are
 * coll_mtree_hosts's, of which nothing is kept.  All zero: the same. */
typedef struct {
    mtree_cache_key_t key;
    const char *path;    /* of the file that was read; NULL: none was */
    mtree_arena_t arena; /* of the path and all that the key refers to */
} coll_mtree_cached_hosts_t;

/* The key for the hosts of @a contributions [ranks], which @a numbers numbers.  It names
 * the fabric that carries messages. */
void coll_mtree_cached_hosts_init(coll_mtree_cached_hosts_t *hosts,
                                  const coll_mtree_host_t *contributions,
                                  const coll_mtree_host_numbers_t *numbers);
void coll_mtree_cached_hosts_cleanup(coll_mtree_cached_hosts_t *hosts);

/* What the cache has for @a hosts, malloc'ed; NULL when there is nothing or, with one
 * line, when it does not fit. */
char *coll_mtree_topology_cache_read(coll_mtree_cached_hosts_t *hosts);

/* Add to @a parts what the cache has of some of them. */
void coll_mtree_topology_cache_read_parts(const coll_mtree_cached_hosts_t *hosts,
                                          coll_mtree_probe_parts_t *parts);

/* Write what a probe, which was given @a parts, found for them. */
void coll_mtree_topology_cache_write(const coll_mtree_cached_hosts_t *hosts,
                                     const coll_mtree_probe_parts_t *parts,
                                     const char *text);

/* Where the cache has a topology of @a hosts, write @a topology, which it turned out to
 * be while the job ran, as old as that. */
void coll_mtree_topology_cache_correct(const coll_mtree_cached_hosts_t *hosts,
                                       const mtree_topology_t *topology);

#endif
