/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/roster.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mtree_relay_roster_close(mtree_relay_roster_t *roster)
{
    for (int i = 0; i < roster->num_relays; i++) {
        mtree_relay_channel_cleanup(&roster->relays[i].channel);
    }
    roster->num_relays = 0;
    explicit_bzero(&roster->key, sizeof(roster->key));
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
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL,
                                       .number = (uint32_t)roster->num_relays,
                                       .is_encrypted = roster->is_encrypted,
                                       .job = roster->id};

    if (find(roster, address) != NULL || roster->num_relays == MTREE_RELAY_RELAYS ||
        strlen(address) >= MTREE_RELAY_ADDRESS) {
        return;
    }
    /* The system may wait for names, so nobody else sees the relay yet. */
    mtree_relay_control_init(&roster->relays[roster->num_relays], address, &hello,
                             &roster->key, mtree_clock_seconds());
    pthread_mutex_lock(&roster->lock);
    roster->num_relays++;
    pthread_mutex_unlock(&roster->lock);
}

/* Relays that have yet to answer. */
static int dial(mtree_relay_roster_t *roster)
{
    const double now = mtree_clock_seconds();
    int dialing = 0;

    pthread_mutex_lock(&roster->lock);
    for (int i = 0; i < roster->num_relays; i++) {
        dialing += mtree_relay_control_dial(&roster->relays[i], now);
    }
    pthread_mutex_unlock(&roster->lock);
    return dialing;
}

void mtree_relay_roster_await(mtree_relay_roster_t *roster)
{
    while (dial(roster) > 0) {
        mtree_clock_sleep(0.002);
    }
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

/* Send the relays with these @a numbers a message; false: one of them is lost. */
static bool send_all(mtree_relay_roster_t *roster, const uint32_t *numbers, int count,
                     mtree_relay_kind_t kind, const void *bytes, size_t length)
{
    bool all = true;

    for (int i = 0; i < count; i++) {
        all =
            mtree_relay_control_send(&roster->relays[numbers[i] & ~MTREE_RELAY_IS_RELAY],
                                     kind, bytes, length) &&
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

mtree_relay_report_t mtree_relay_roster_poll(mtree_relay_roster_t *roster,
                                             const mtree_relay_plan_t *plan,
                                             const mtree_relay_start_t *start)
{
    const double now = mtree_clock_seconds();
    mtree_relay_report_t report = {.state = MTREE_RELAY_SERVES, .is_answer = true};

    pthread_mutex_lock(&roster->lock);
    for (int i = 0; i < plan->placement->num_relays; i++) {
        mtree_relay_control_t *relay = relay_of(roster, plan, i);

        mtree_relay_control_poll(relay, now);
        report.is_answer &= !relay->is_up || relay->received > relay->pinged;
        if (!relay->is_up) {
            report.state = MTREE_RELAY_LOST;
        } else if (report.state == MTREE_RELAY_SERVES &&
                   mtree_relay_control_has_refused(relay, start->plan, start->number)) {
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
        mtree_relay_control_fail(relay, reason);
    }
    pthread_mutex_unlock(&roster->lock);
}

bool mtree_relay_roster_drop_unreached(mtree_relay_roster_t *roster)
{
    char reason[MTREE_RELAY_ADDRESS + 80];
    bool some = false;
    int worst, other;

    pthread_mutex_lock(&roster->lock);
    while ((worst = mtree_relay_control_worst(roster->relays, roster->num_relays,
                                              &other)) >= 0) {
        (void)snprintf(reason, sizeof(reason), "it and relay %s cannot reach each other",
                       roster->relays[other].address);
        mtree_relay_control_fail(&roster->relays[worst], reason);
        some = true;
    }
    pthread_mutex_unlock(&roster->lock);
    return some;
}
