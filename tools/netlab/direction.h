/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a link that the relay plays: packets on their way, and what happens to
 * them.
 */
#ifndef MTREE_TOOLS_NETLAB_DIRECTION_H
#define MTREE_TOOLS_NETLAB_DIRECTION_H

#include "base/random.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define NETLAB_NANOSECONDS INT64_C(1000000000)

/* What happens to the packets of a link.  Times are ns. */
typedef struct {
    int64_t delay;
    int64_t jitter; /* the most that a packet takes beyond the delay */
    double rate;    /* bits/s that arrive at most */
    double loss,
        reorder; /* the parts of packets that are lost, and that overtake others */
} netlab_conditions_t;

/*
 * What a direction adds to its delay: it moves evenly from one draw to the next, over at
 * least twice the largest jitter, so packets keep their order.
 */
typedef struct {
    int64_t period;
    int64_t since; /* when it was `from`; `to` one period later */
    int64_t from, to;
} netlab_jitter_t;

/*
 * Packets in the order of their time.  The ring's memory is mapped twice in a row, so
 * that each record is contiguous.  `head` and `tail` count bytes and only grow, except
 * that both go back to zero when the ring runs empty (which keeps using the same, warm,
 * pages).
 */
typedef struct {
    int in, out; /* packet sockets */
    netlab_conditions_t conditions;
    netlab_jitter_t jitter;
    mtree_random_t random; /* the same losses in each lab */
    char *ring;
    uint64_t ring_size, head, tail;
} netlab_direction_t;

/* Packets go from the socket @a in to @a out.  @a seed tells directions apart.
 * MTREE_ERR_NO_MEMORY. */
mtree_status_t netlab_direction_init(netlab_direction_t *direction, int in, int out,
                                     const netlab_conditions_t *conditions,
                                     uint64_t seed);

/*
 * Receive what has arrived.  A full ring drops, as any full queue.  @a now is
 * CLOCK_MONOTONIC, @a wall_lag is CLOCK_REALTIME minus that.
 */
void netlab_direction_receive(netlab_direction_t *direction, int64_t wall_lag,
                              int64_t now);

/* Send what is due up to @a until.  Returns whether packets are left. */
bool netlab_direction_send(netlab_direction_t *direction, int64_t until);

#endif
