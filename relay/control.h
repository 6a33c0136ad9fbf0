/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0's control connection to one relay: it is dialed once, carries messages while the
 * relay is up, and is not made again when the relay is lost.
 */
#ifndef MTREE_RELAY_CONTROL_H
#define MTREE_RELAY_CONTROL_H

#include "relay/channel.h"
#include "relay/dialer.h"
#include "relay/plan.h"
#include "tcp/polled_time.h"

/* Relays of a job at most; each has a number below that. */
#define MTREE_RELAY_RELAYS 64

/* Refusals of a relay that are kept, the newest: as many calls of a job as it has under
 * way.  Threads may have several, and the one that hears of a refusal may wait for
 * another call. */
#define MTREE_RELAY_REFUSALS 64

/* Messages of a relay that one poll reads, so that one that sends without end holds
 * nobody. */
#define MTREE_RELAY_MESSAGES 64

typedef struct {
    char address[MTREE_RELAY_ADDRESS];
    char reached[MTREE_RELAY_ADDRESS]; /* the same as numbers, when it has answered */
    mtree_relay_dialer_t *dialer;      /* NULL: it has answered, or will not */
    mtree_relay_channel_t channel;
    bool is_up;
    double pinged, received; /* mtree_clock_seconds() of the last ping and message */
    mtree_tcp_polled_time_t silence; /* since the latter */
    /* Calls that it has refused, or that have failed there.  Zeros: none, since plans are
     * numbered from 1. */
    struct {
        uint32_t plan, call;
    } refused[MTREE_RELAY_REFUSALS];
    unsigned num_refused;
    uint64_t unreached; /* bit j: it cannot reach relay j */
} mtree_relay_control_t;

/* Begin to dial @a address, of less than MTREE_RELAY_ADDRESS bytes, with @a hello for a
 * job with @a key, at @a now (mtree_clock_seconds()). */
void mtree_relay_control_init(mtree_relay_control_t *control, const char *address,
                              const mtree_relay_hello_t *hello,
                              const mtree_relay_key_t *key, double now);

/* Continue to dial; true: the relay has yet to answer. */
bool mtree_relay_control_dial(mtree_relay_control_t *control, double now);

/* The relay is lost, which is logged with @a reason. */
void mtree_relay_control_fail(mtree_relay_control_t *control, const char *reason);

/* Send a message; false: the relay is lost. */
bool mtree_relay_control_send(mtree_relay_control_t *control, mtree_relay_kind_t kind,
                              const void *bytes, size_t length);

/* Read what it has reported.  A relay that is up is pinged now and then, and is lost when
 * it is silent. */
void mtree_relay_control_poll(mtree_relay_control_t *control, double now);

/* Has it reported that it refused number @a call of plan number @a plan? */
bool mtree_relay_control_has_refused(const mtree_relay_control_t *control, uint32_t plan,
                                     uint32_t call);

/*
 * The relay to leave out first, of those of @a controls, [@a count] by their numbers,
 * that are up, so that those that are left reach each other: that which has been in most
 * pairs that cannot, since it is the likeliest to be cut off; of equals the one with the
 * highest number, which the other dials.  *other_p is one that is up and in a pair with
 * it.  -1: all reach each other.
 */
int mtree_relay_control_worst(const mtree_relay_control_t *controls, int count,
                              int *other_p);

#endif
