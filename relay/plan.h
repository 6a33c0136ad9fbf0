/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages about a plan, and about each call over it, that rank 0 sends a relay.
 */
#ifndef MTREE_RELAY_PLAN_H
#define MTREE_RELAY_PLAN_H

#include "base/list.h"
#include "schedule/call.h"
#include "schedule/placement.h"
#include "schedule/plan_part_wire.h"

#include <stdint.h>

/* Bytes of the address of a relay, its NUL included. */
#define MTREE_RELAY_ADDRESS 256

typedef struct {
    uint32_t number; /* among the plans of the job */
    mtree_placement_t *placement;
    mtree_plan_part_t *part; /* of the relay's host */
    uint32_t *peers;   /* [ranks + relays] number of each in the job (relay/greeting.h) */
    char **addresses;  /* [relays] */
    mtree_list_t link; /* for a list of the caller's */
    size_t bytes;      /* of the message that it came in; the caller's */
} mtree_relay_plan_t;

/* Free; NULL is allowed. */
void mtree_relay_plan_destroy(mtree_relay_plan_t *plan);

/* The number of the relay itself in a placement: behind the ranks. */
int mtree_relay_plan_self(const mtree_relay_plan_t *plan);

/* Append @a plan to @a wire. */
void mtree_relay_plan_write(const mtree_relay_plan_t *plan, mtree_wire_t *wire);

/* Any bytes may be given.  MTREE_ERR_INVALID: they are no plan for a relay. */
mtree_status_t mtree_relay_plan_read(const void *bytes, size_t length,
                                     mtree_relay_plan_t **plan_p);

/* The start of one call. */
typedef struct {
    uint32_t plan, number; /* of the call, among those over the plan */
    uint32_t context;      /* of the communicator, part of the keys of its sessions */
    mtree_call_t call;     /* of equal blocks */
    uint32_t type, op;     /* relay/fold.h; where it reduces */
} mtree_relay_start_t;

#define MTREE_RELAY_START_BYTES 64

void mtree_relay_start_write(const mtree_relay_start_t *start,
                             unsigned char bytes[MTREE_RELAY_START_BYTES]);

/* Any bytes may be given.  MTREE_ERR_INVALID: no call that relays can serve. */
mtree_status_t mtree_relay_start_read(const void *bytes, size_t length,
                                      mtree_relay_start_t *start);

/* Can relays serve such calls as @a call? */
bool mtree_relay_serves(const mtree_call_t *call);

#endif
