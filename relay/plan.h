/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages about a plan, which rank 0 sends all ranks and relays, and about each call
 * over it, which it sends a relay.
 */
#ifndef MTREE_RELAY_PLAN_H
#define MTREE_RELAY_PLAN_H

#include "base/list.h"
#include "relay/dialer.h"
#include "relay/greeting.h"
#include "schedule/call.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"

#include <stdint.h>

/* A plan with relays, as a rank or a relay reads it. */
typedef struct {
    uint32_t number;              /* among the plans of the job */
    mtree_placement_t *placement; /* of ranks and relays; localities are not known */
    mtree_plan_part_t *part;      /* of the reader's host */
    uint32_t *peers; /* [ranks + relays] number of each in the job (relay/greeting.h) */
    char (*addresses)[MTREE_RELAY_ADDRESS]; /* [relays] numbers */
    int self;                               /* the reader's number in the placement */
    mtree_list_t link;                      /* for a list of the caller's */
    size_t bytes;  /* that it may take; the caller's, as the next */
    int num_calls; /* over it that are under way */
} mtree_relay_plan_t;

/* Free; NULL is allowed. */
void mtree_relay_plan_destroy(mtree_relay_plan_t *plan);

/* The number in the job of relay @a i of @a plan. */
uint32_t mtree_relay_plan_number(const mtree_relay_plan_t *plan, int i);

/*
 * The message about @a plan, whose relays have addresses, for ranks on @a host [@a
 * num_ranks]; of the numbers @a peers [ranks + relays] that of a rank is its rank in
 * MPI_COMM_WORLD.  The same for all who read it.  *bytes_p is malloc'ed, *length_p bytes.
 * MTREE_ERR_LIMIT: it is too long to be read, and *bytes_p is NULL.
 */
mtree_status_t mtree_relay_plan_write(const mtree_plan_t *plan, uint32_t number,
                                      int num_ranks, const int *host,
                                      const uint32_t *peers, unsigned char **bytes_p,
                                      size_t *length_p);

/* For number @a self of the job.  Any bytes may be given.  MTREE_ERR_INVALID: they are no
 * plan for it; what is no plan at all is logged. */
mtree_status_t mtree_relay_plan_read(const void *bytes, size_t length, uint32_t self,
                                     mtree_relay_plan_t **plan_p);

/* The start of one call. */
typedef struct {
    uint32_t plan, number; /* of the call, among those over the plan */
    uint32_t context;      /* of the communicator, part of the keys of its sessions */
    mtree_call_t call;     /* of equal blocks */
    uint32_t type, op;     /* relay/fold.h; where it reduces.  Then a unit of the call is
                              one number, else a byte */
} mtree_relay_start_t;

#define MTREE_RELAY_START_BYTES 44

/* It begins with the numbers of plan and call, by which it is cancelled and refused. */
void mtree_relay_start_write(const mtree_relay_start_t *start,
                             unsigned char bytes[MTREE_RELAY_START_BYTES]);

/* Any bytes may be given.  MTREE_ERR_INVALID: no call that relays can serve. */
mtree_status_t mtree_relay_start_read(const void *bytes, size_t length,
                                      mtree_relay_start_t *start);

/* Can relays serve such calls as @a call? */
bool mtree_relay_serves(const mtree_call_t *call);

#endif
