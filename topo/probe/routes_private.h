/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree_probe_routes_t holds.  Internal to routes.c, traceroute_search.c, alias.c
 * and router_graph.c.
 */
#ifndef MTREE_TOPO_PROBE_ROUTES_PRIVATE_H
#define MTREE_TOPO_PROBE_ROUTES_PRIVATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "topo/probe/routes.h"

/* Instead of the number of an address: a router that did not answer. */
#define MTREE_PROBE_SILENT (-1)

typedef struct {
    mtree_hash_link_t link;
    int number; /* in the table */
    int owner;  /* the host that has it, or -1 */
    int vertex; /* of the search for routes, or -1 */
    char text[];
} mtree_probe_address_t;

/* Addresses, numbered, and which host has them. */
typedef struct {
    int num_addresses, capacity;
    mtree_probe_address_t **items; /* [num_addresses] */
    mtree_hash_table_t by_text;
} mtree_probe_addresses_t;

typedef struct {
    int from, to;
    int num_hops;
    int *hops; /* numbers of addresses, or MTREE_PROBE_SILENT */
} mtree_probe_traceroute_t;

struct mtree_probe_routes {
    int num_hosts;
    mtree_probe_addresses_t addresses;
    int num_traceroutes, traceroute_capacity;
    mtree_probe_traceroute_t *traceroutes; /* by their ends */
    mtree_arena_t arena;                   /* of all of these, but for the hash table */
};

/* The address @a text, which is added when it is new, then without owner and vertex. */
mtree_probe_address_t *mtree_probe_find_address(mtree_probe_routes_t *routes,
                                                const char *text);

/*
 * The addresses of each router: [address] is the least number of an address of the same
 * router.  The array is @a arena's.
 */
int *mtree_probe_find_aliases(const mtree_probe_routes_t *routes, mtree_arena_t *arena);

#endif
