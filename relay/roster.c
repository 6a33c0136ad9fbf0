/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/roster.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a relay has to answer. */
#define DIAL_SECONDS 3.0

/* Seconds between two pings, and of polling in silence after which a relay is lost. */
#define PING_SECONDS   1.0
#define SILENT_SECONDS 5.0

void mtree_relay_roster_close(mtree_relay_roster_t *roster)
{
    for (int i = 0; i < roster->num_relays; i++) {
        mtree_relay_channel_cleanup(&roster->relays[i].channel);
    }
    roster->num_relays = 0;
    explicit_bzero(&roster->pass.key, sizeof(roster->pass.key));
}

/* NULL: there is none.  Addresses and their number change in the thread that plans alone,
 * so this needs no lock there. */
static mtree_relay_control_t *find(mtree_relay_roster_t *roster, const char *address)
{
    for (int i = 0; i < roster->num_relays; i++) {
        if (strcmp(roster->relays[i].address, address) == 0 ||
            strcmp(roster->relays[i].reached, address) == 0) {
            return &roster->relays[i];
        }
    }
    return NULL;
}

void mtree_relay_roster_add(mtree_relay_roster_t *roster, const char *address)
{
    const double now = mtree_clock_seconds();
    mtree_relay_control_t *relay = &roster->relays[roster->num_relays];
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL,
                                       .number = (uint32_t)roster->num_relays,
                                       .is_encrypted = roster->is_encrypted,
                                       .job = roster->pass.job};

    if (find(roster, address) != NULL || roster->num_relays == MTREE_RELAY_RELAYS ||
        strlen(address) >= MTREE_RELAY_ADDRESS) {
        return;
    }
    /* The system may wait for names, so nobody else sees the relay yet. */
    *relay = (mtree_relay_control_t){.channel = {.socket = -1}};
    (void)snprintf(relay->address, sizeof(relay->address), "%s", address);
    relay->dialer =
        mtree_relay_dialer_create(address, &hello, &roster->pass.key, now, DIAL_SECONDS);
    pthread_mutex_lock(&roster->lock);
    roster->num_relays++;
    pthread_mutex_unlock(&roster->lock);
}

/* Continue to dial; true: the relay has yet to answer. */
static bool control_dial(mtree_relay_control_t *control, double now)
{
    const int answer = mtree_relay_dialer_poll(control->dialer, now);

    if (answer == 0) {
        return true;
    }
    if (answer > 0) {
        mtree_relay_channel_init(&control->channel,
                                 mtree_tcp_dialer_take(&control->dialer->attempts),
                                 control->dialer->key);
        mtree_info("relay %s: it answers, and has %llu bytes for calls", control->address,
                   (unsigned long long)control->dialer->welcome.memory);
        mtree_relay_found_write(&control->dialer->found, control->reached);
        control->pinged = control->received = now;
        control->is_up = true;
    } else {
        mtree_warn("relay %s: %s; planned without it", control->address,
                   control->dialer->reason);
    }
    mtree_relay_dialer_destroy(control->dialer);
    control->dialer = NULL;
    return false;
}

bool mtree_relay_roster_dial(mtree_relay_roster_t *roster)
{
    const double now = mtree_clock_seconds();
    bool some = false;

    pthread_mutex_lock(&roster->lock);
    for (int i = 0; i < roster->num_relays; i++) {
        some |= roster->relays[i].dialer != NULL && control_dial(&roster->relays[i], now);
    }
    pthread_mutex_unlock(&roster->lock);
    return some;
}

const char *mtree_relay_roster_reached(mtree_relay_roster_t *roster, const char *address)
{
    const mtree_relay_control_t *relay;
    bool is_up;

    pthread_mutex_lock(&roster->lock);
    relay = find(roster, address);
    is_up = relay != NULL && relay->is_up;
    pthread_mutex_unlock(&roster->lock);
    return is_up ? relay->reached : NULL;
}

/* Are all relays of @a plan up?  Then their numbers in the job go to @a numbers. */
static bool find_numbers(mtree_relay_roster_t *roster, const mtree_plan_t *plan,
                         uint32_t *numbers)
{
    for (int i = 0; i < plan->num_relays; i++) {
        const mtree_relay_control_t *relay = find(roster, plan->relays[i]);

        if (relay == NULL || !relay->is_up) {
            return false;
        }
        numbers[i] = MTREE_RELAY_IS_RELAY | (uint32_t)(relay - roster->relays);
    }
    return true;
}

bool mtree_relay_roster_is_up(mtree_relay_roster_t *roster, const mtree_plan_t *plan)
{
    uint32_t numbers[MTREE_RELAY_RELAYS];
    bool all;

    pthread_mutex_lock(&roster->lock);
    all = find_numbers(roster, plan, numbers);
    pthread_mutex_unlock(&roster->lock);
    return all;
}

/* The relay is lost, which is logged with @a reason. */
static void control_fail(mtree_relay_control_t *control, const char *reason)
{
    mtree_relay_channel_cleanup(&control->channel);
    control->is_up = false;
    mtree_warn("relay %s: %s; calls go on without it", control->address, reason);
}

/* Send a message; false: the relay is lost. */
static bool control_send(mtree_relay_control_t *control, mtree_relay_kind_t kind,
                         const void *bytes, size_t length)
{
    control->pinged = kind == MTREE_RELAY_PING ? mtree_clock_seconds() : control->pinged;
    if (control->is_up &&
        mtree_relay_channel_send(&control->channel, kind, bytes, length) != MTREE_OK) {
        control_fail(control, "its connection is lost");
    }
    return control->is_up;
}

/* Send the relays with these @a numbers a message; false: one of them is lost. */
static bool send_all(mtree_relay_roster_t *roster, const uint32_t *numbers, int count,
                     mtree_relay_kind_t kind, const void *bytes, size_t length)
{
    bool all = true;

    for (int i = 0; i < count; i++) {
        all = control_send(&roster->relays[numbers[i] & ~MTREE_RELAY_IS_RELAY], kind,
                           bytes, length) &&
              all;
    }
    return all;
}

unsigned char *mtree_relay_roster_send_plan(mtree_relay_roster_t *roster,
                                            const mtree_plan_t *plan, int num_ranks,
                                            const int *host, uint32_t *peers,
                                            size_t *length_p)
{
    uint32_t *numbers = peers + num_ranks;
    unsigned char *message = NULL;

    pthread_mutex_lock(&roster->lock);
    if (!find_numbers(roster, plan, numbers) ||
        mtree_relay_plan_write(plan, ++roster->num_plans, num_ranks, host, peers,
                               &message, length_p) != MTREE_OK ||
        !send_all(roster, numbers, plan->num_relays, MTREE_RELAY_PLAN, message,
                  *length_p)) {
        free(message);
        message = NULL;
    }
    pthread_mutex_unlock(&roster->lock);
    return message;
}

/* Relay @a i of @a plan. */
static mtree_relay_control_t *relay_of(mtree_relay_roster_t *roster,
                                       const mtree_relay_plan_t *plan, int i)
{
    return &roster->relays[mtree_relay_plan_number(plan, i)];
}

bool mtree_relay_roster_tell(mtree_relay_roster_t *roster, const mtree_relay_plan_t *plan,
                             mtree_relay_kind_t kind, const mtree_relay_start_t *start)
{
    unsigned char bytes[MTREE_RELAY_START_BYTES];
    const size_t length = kind == MTREE_RELAY_START    ? sizeof(bytes)
                          : kind == MTREE_RELAY_CANCEL ? MTREE_RELAY_CALL_BYTES
                                                       : 0;
    bool all;

    mtree_relay_start_write(start, bytes);
    pthread_mutex_lock(&roster->lock);
    all = send_all(roster, plan->peers + plan->placement->num_ranks,
                   plan->placement->num_relays, kind, bytes, length);
    pthread_mutex_unlock(&roster->lock);
    return all;
}

static void take_message(mtree_relay_control_t *control,
                         const mtree_relay_message_t *message)
{
    uint32_t other;

    if (message->kind == MTREE_RELAY_REFUSED &&
        message->length == MTREE_RELAY_CALL_BYTES) {
        unsigned at = control->num_refused++ % MTREE_RELAY_REFUSALS;

        control->refused[at].plan = mtree_get32(message->bytes);
        control->refused[at].call = mtree_get32(message->bytes + 4);
    } else if (message->kind == MTREE_RELAY_UNREACHED &&
               message->length == MTREE_RELAY_UNREACHED_BYTES) {
        other = mtree_get32(message->bytes);
        control->unreached |= other < MTREE_RELAY_RELAYS ? UINT64_C(1) << other : 0;
    }
}

/* Read what the relay has reported.  One that is up is pinged now and then, and is lost
 * when it is silent. */
static void control_poll(mtree_relay_control_t *control, double now)
{
    mtree_relay_message_t message;
    int answer = 0, count = 0;

    mtree_tcp_polled_time_add(&control->silence, now);
    while (control->is_up && count++ < MTREE_RELAY_MESSAGES &&
           (answer = mtree_relay_channel_poll(&control->channel, &message)) > 0) {
        take_message(control, &message);
        control->received = now;
        control->silence.seconds = 0;
    }
    if (answer < 0) {
        control_fail(control, "its connection is lost");
    } else if (control->is_up && control->silence.seconds > SILENT_SECONDS) {
        control_fail(control, "it is silent");
    } else if (control->is_up && now > control->pinged + PING_SECONDS) {
        (void)control_send(control, MTREE_RELAY_PING, NULL, 0);
    }
}

/* Has it reported that it refused the call @a start? */
static bool has_refused(const mtree_relay_control_t *control,
                        const mtree_relay_start_t *start)
{
    for (int at = 0; at < MTREE_RELAY_REFUSALS; at++) {
        if (control->refused[at].plan == start->plan &&
            control->refused[at].call == start->number) {
            return true;
        }
    }
    return false;
}

mtree_relay_report_t mtree_relay_roster_poll(mtree_relay_roster_t *roster,
                                             const mtree_relay_plan_t *plan,
                                             const mtree_relay_start_t *start, double now)
{
    mtree_relay_report_t report = {.state = MTREE_RELAY_SERVES, .is_answer = true};

    pthread_mutex_lock(&roster->lock);
    for (int i = 0; i < plan->placement->num_relays; i++) {
        mtree_relay_control_t *relay = relay_of(roster, plan, i);

        control_poll(relay, now);
        report.is_answer &= !relay->is_up || relay->received > relay->pinged;
        if (!relay->is_up) {
            report.state = MTREE_RELAY_LOST;
        } else if (report.state == MTREE_RELAY_SERVES && has_refused(relay, start)) {
            report.state = MTREE_RELAY_REFUSES;
            report.refuses = relay->address;
        }
    }
    pthread_mutex_unlock(&roster->lock);
    return report;
}

void mtree_relay_roster_drop(mtree_relay_roster_t *roster, const mtree_relay_plan_t *plan,
                             int i, int rank)
{
    mtree_relay_control_t *relay = relay_of(roster, plan, i);
    char reason[80];

    (void)snprintf(reason, sizeof(reason), "process %d of MPI_COMM_WORLD cannot reach it",
                   rank);
    pthread_mutex_lock(&roster->lock);
    if (relay->is_up) {
        control_fail(relay, reason);
    }
    pthread_mutex_unlock(&roster->lock);
}

/*
 * The relay to leave out first, of those that are up, so that those that are left reach
 * each other: that which has been in most pairs that cannot, since it is the likeliest to
 * be cut off; of equals the one with the highest number, which the other dials.  *other_p
 * is one that is up and in a pair with it.  -1: all reach each other.
 */
static int find_worst(const mtree_relay_roster_t *roster, int *other_p)
{
    const mtree_relay_control_t *relays = roster->relays;
    int worst = -1, most = 0;

    for (int i = 0; i < roster->num_relays; i++) {
        int pairs = 0, other = -1;

        for (int j = 0; j < roster->num_relays; j++) {
            bool is_pair = i != j && ((relays[i].unreached >> j & 1) != 0 ||
                                      (relays[j].unreached >> i & 1) != 0);

            pairs += is_pair;
            other = other < 0 && is_pair && relays[j].is_up ? j : other;
        }
        if (relays[i].is_up && other >= 0 && pairs >= most) {
            worst = i;
            most = pairs;
            *other_p = other;
        }
    }
    return worst;
}

bool mtree_relay_roster_drop_unreached(mtree_relay_roster_t *roster)
{
    char reason[MTREE_RELAY_ADDRESS + 80];
    bool some = false;
    int worst, other;

    pthread_mutex_lock(&roster->lock);
    while ((worst = find_worst(roster, &other)) >= 0) {
        (void)snprintf(reason, sizeof(reason), "it and relay %s cannot reach each other",
                       roster->relays[other].address);
        control_fail(&roster->relays[worst], reason);
        some = true;
    }
    pthread_mutex_unlock(&roster->lock);
    return some;
}
