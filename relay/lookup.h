/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of "host:port", "[IPv6]:port" or "host,host:port".
 *
 * The system's function waits for the network.  So a relay, which serves others
 * meanwhile, has names looked up by a thread.
 */
#ifndef MTREE_RELAY_LOOKUP_H
#define MTREE_RELAY_LOOKUP_H

#include "base/address.h"

#include <stdint.h>

#define MTREE_RELAY_ADDRESSES 4

typedef struct {
    mtree_address_t addresses[MTREE_RELAY_ADDRESSES];
    int count; /* 0: they are not known */
    uint16_t port;
} mtree_relay_found_t;

/* Look @a address up, and wait. */
void mtree_relay_look_up(const char *address, mtree_relay_found_t *found);

typedef struct mtree_relay_lookup mtree_relay_lookup_t;

/* Begin to look @a address up; NULL: there is no memory or no thread. */
mtree_relay_lookup_t *mtree_relay_lookup_create(const char *address);

/* True: *found. */
bool mtree_relay_lookup_poll(mtree_relay_lookup_t *lookup, mtree_relay_found_t *found);

/* Free; NULL is allowed.  A thread that still waits ends later, so its code must stay. */
void mtree_relay_lookup_destroy(mtree_relay_lookup_t *lookup);

#endif
