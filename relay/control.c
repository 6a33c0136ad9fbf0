/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/control.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>

/* Seconds that a relay has to answer. */
#define DIAL_SECONDS 3.0

/* Seconds between two pings, and of polling in silence after which a relay is lost. */
#define PING_SECONDS   1.0
#define SILENT_SECONDS 5.0

void mtree_relay_control_init(mtree_relay_control_t *control, const char *address,
                              const mtree_relay_hello_t *hello,
                              const mtree_relay_key_t *key, double now)
{
    *control = (mtree_relay_control_t){.channel = {.socket = -1}};
    (void)snprintf(control->address, sizeof(control->address), "%s", address);
    control->dialer = mtree_relay_dialer_create(address, hello, key, now, DIAL_SECONDS);
}

bool mtree_relay_control_dial(mtree_relay_control_t *control, double now)
{
    int answer =
        control->dialer == NULL ? 0 : mtree_relay_dialer_poll(control->dialer, now);

    if (answer == 0) {
        return control->dialer != NULL;
    }
    if (answer > 0) {
        mtree_relay_channel_init(&control->channel,
                                 mtree_relay_dialer_take(control->dialer),
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

void mtree_relay_control_fail(mtree_relay_control_t *control, const char *reason)
{
    mtree_relay_channel_cleanup(&control->channel);
    control->is_up = false;
    mtree_warn("relay %s: %s; calls go on without it", control->address, reason);
}

bool mtree_relay_control_send(mtree_relay_control_t *control, mtree_relay_kind_t kind,
                              const void *bytes, size_t length)
{
    control->pinged = kind == MTREE_RELAY_PING ? mtree_clock_seconds() : control->pinged;
    if (control->is_up &&
        mtree_relay_channel_send(&control->channel, kind, bytes, length) != MTREE_OK) {
        mtree_relay_control_fail(control, "its connection is lost");
    }
    return control->is_up;
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

void mtree_relay_control_poll(mtree_relay_control_t *control, double now)
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
        mtree_relay_control_fail(control, "its connection is lost");
    } else if (control->is_up && control->silence.seconds > SILENT_SECONDS) {
        mtree_relay_control_fail(control, "it is silent");
    } else if (control->is_up && now > control->pinged + PING_SECONDS) {
        (void)mtree_relay_control_send(control, MTREE_RELAY_PING, NULL, 0);
    }
}

bool mtree_relay_control_has_refused(const mtree_relay_control_t *control, uint32_t plan,
                                     uint32_t call)
{
    for (int at = 0; at < MTREE_RELAY_REFUSALS; at++) {
        if (control->refused[at].plan == plan && control->refused[at].call == call) {
            return true;
        }
    }
    return false;
}

int mtree_relay_control_worst(const mtree_relay_control_t *controls, int count,
                              int *other_p)
{
    int worst = -1, most = 0;

    for (int i = 0; i < count; i++) {
        int pairs = 0, other = -1;

        for (int j = 0; j < count; j++) {
            bool is_pair = i != j && ((controls[i].unreached >> j & 1) != 0 ||
                                      (controls[j].unreached >> i & 1) != 0);

            pairs += is_pair;
            other = other < 0 && is_pair && controls[j].is_up ? j : other;
        }
        if (controls[i].is_up && other >= 0 && pairs >= most) {
            worst = i;
            most = pairs;
            *other_p = other;
        }
    }
    return worst;
}
