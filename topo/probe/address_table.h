/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses as numbers, and whose they are.
 */
#ifndef MTREE_TOPO_PROBE_ADDRESS_TABLE_H
#define MTREE_TOPO_PROBE_ADDRESS_TABLE_H

#include "base/status.h"

typedef struct {
    int num_addresses, room;
    char **texts;
    int *owners; /* the host that has it, or -1 */
    int *slots;  /* [num_slots] hash table of addresses, -1 where free */
    int num_slots;
} mtree_probe_addresses_t;

/* Free what @a addresses, zeroed before the first use, holds. */
void mtree_probe_addresses_clear(mtree_probe_addresses_t *addresses);

/* The number of @a text, which is added when it is new, then without an owner.
 * MTREE_ERR_NO_MEMORY (logged). */
mtree_status_t mtree_probe_addresses_find(mtree_probe_addresses_t *addresses,
                                          const char *text, int *address_p);

#endif
