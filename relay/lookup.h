/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of "host:port", "[IPv6]:port" or "host,host:port".
 *
 * The system waits for the network where it looks a name up.  So rank 0 alone does, in
 * the planning thread, and tells the others numbers.
 */
#ifndef MTREE_RELAY_LOOKUP_H
#define MTREE_RELAY_LOOKUP_H

#include "base/address.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the text of addresses, its NUL included. */
#define MTREE_RELAY_ADDRESS 256

#define MTREE_RELAY_ADDRESSES 4

typedef struct {
    mtree_address_t addresses[MTREE_RELAY_ADDRESSES];
    int count; /* 0: they are not known */
    uint16_t port;
} mtree_relay_found_t;

/* Read @a text, whose hosts may be names where @a looks_up; then wait for them. */
void mtree_relay_look_up(const char *text, bool looks_up, mtree_relay_found_t *found);

/* The same addresses as numbers; "": there are none. */
void mtree_relay_found_write(const mtree_relay_found_t *found,
                             char text[MTREE_RELAY_ADDRESS]);

#endif
