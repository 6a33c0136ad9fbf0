/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The relays of the job that a rank 0 begins: it asks them, sends them plans and calls,
 * and notices when one is lost.
 *
 * One thread, which plans, adds relays, asks them and sends plans.  Any thread may do the
 * rest meanwhile, and does not wait for relays that are asked.
 */
#ifndef MTREE_RELAY_ROSTER_H
#define MTREE_RELAY_ROSTER_H

#include "planner/plan/plan.h"
#include "relay/channel.h"
#include "relay/dialer.h"
#include "relay/plan.h"
#include "tcp/polled_time.h"

#include <pthread.h>

/* Refusals of a relay that are kept, the newest: as many calls of a job as it has under
 * way.  Threads may have several, and the one that hears of a refusal may wait for
 * another call. */
#define MTREE_RELAY_REFUSALS 64

/* Messages of a relay that one poll reads, so that one that sends without end holds
 * nobody. */
#define MTREE_RELAY_MESSAGES 64

/* A control connection: it is dialed once, carries messages while the relay is up, and is
 * not made again when the relay is lost. */
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

typedef struct {
    pthread_mutex_t lock;
    mtree_relay_control_t relays[MTREE_RELAY_RELAYS]; /* [num_relays] by their numbers */
    int num_relays;
    uint32_t num_plans;
    mtree_relay_pass_t pass;
    bool is_encrypted;
} mtree_relay_roster_t;

/* Close all control connections, and forget the key.  Nobody uses @a roster. */
void mtree_relay_roster_close(mtree_relay_roster_t *roster);

/* In the thread that plans: begin to dial the relay at @a address, unless it was; and
 * continue with all.  True: some have yet to answer. */
void mtree_relay_roster_add(mtree_relay_roster_t *roster, const char *address);
bool mtree_relay_roster_dial(mtree_relay_roster_t *roster);

/* The numbers at which the relay at @a address has answered, which stay; NULL: it is not
 * up. */
const char *mtree_relay_roster_reached(mtree_relay_roster_t *roster, const char *address);

/* Are all relays of @a plan up? */
bool mtree_relay_roster_is_up(mtree_relay_roster_t *roster, const mtree_plan_t *plan);

/*
 * Send the relays of @a plan the message about it (relay/plan.h), *length_p bytes, which
 * is returned, malloc'ed.  @a peers [num_ranks + relays] has the numbers of ranks, and
 * room for those of relays.  NULL: a relay is lost, or the plan too large.
 */
unsigned char *mtree_relay_roster_send_plan(mtree_relay_roster_t *roster,
                                            const mtree_plan_t *plan, int num_ranks,
                                            const int *host, uint32_t *peers,
                                            size_t *length_p);

/* Have the relays of @a plan start the call @a start, cancel it, or answer a ping, by @a
 * kind; false: one is lost. */
bool mtree_relay_roster_tell(mtree_relay_roster_t *roster, const mtree_relay_plan_t *plan,
                             mtree_relay_kind_t kind, const mtree_relay_start_t *start);

/* The state of a call at its relays. */
typedef enum {
    MTREE_RELAY_SERVES,
    MTREE_RELAY_REFUSES, /* one refused the call, or failed in it; all are up */
    MTREE_RELAY_LOST     /* one is lost, which is logged once */
} mtree_relay_state_t;

typedef struct {
    mtree_relay_state_t state;
    bool is_answer;      /* each has answered the last ping, or is lost */
    const char *refuses; /* the address of the first that refuses the call */
} mtree_relay_report_t;

/* While the call @a start over @a plan is under way, at @a now (mtree_clock_seconds()):
 * read the relays' messages.  They are pinged now and then, and lost when silent. */
mtree_relay_report_t mtree_relay_roster_poll(mtree_relay_roster_t *roster,
                                             const mtree_relay_plan_t *plan,
                                             const mtree_relay_start_t *start,
                                             double now);

/* Process @a rank of MPI_COMM_WORLD cannot reach relay @a i of @a plan: it is lost. */
void mtree_relay_roster_drop(mtree_relay_roster_t *roster, const mtree_relay_plan_t *plan,
                             int i, int rank);

/* Drop some of the relays that have reported that they cannot reach each other, so that
 * those that are left can; false: none had to be. */
bool mtree_relay_roster_drop_unreached(mtree_relay_roster_t *roster);

#endif
