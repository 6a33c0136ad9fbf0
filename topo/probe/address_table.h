/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table that numbers addresses and knows which host has them.
 */
#ifndef MTREE_TOPO_PROBE_ADDRESS_TABLE_H
#define MTREE_TOPO_PROBE_ADDRESS_TABLE_H

#include "base/hash.h"
#include "base/status.h"

typedef struct {
    mtree_hash_link_t link;
    int number; /* in the table */
    int owner;  /* the host that has it, or -1 */
    char text[];
} mtree_probe_address_t;

/* Zeroed: empty. */
typedef struct {
    int num_addresses, capacity;
    mtree_probe_address_t **items; /* [num_addresses] */
    mtree_hash_table_t by_text;
} mtree_probe_addresses_t;

/* Free what @a addresses holds. */
void mtree_probe_addresses_clear(mtree_probe_addresses_t *addresses);

/* The number of @a text, which is added when it is new, then without an owner.
 * MTREE_ERR_NO_MEMORY (logged). */
mtree_status_t mtree_probe_addresses_find(mtree_probe_addresses_t *addresses,
                                          const char *text, int *address_p);

#endif
