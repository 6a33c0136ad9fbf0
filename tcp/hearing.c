/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/hearing.h"

#include <string.h>
#include <unistd.h>

/* Rounds without a connection until there will be none: this end has polled between them,
 * so it was not a queue of connections that was full while it was away. */
#define FAILED_ROUNDS 2

void mtree_tcp_hearing_init(mtree_tcp_hearing_t *hearing)
{
    *hearing = (mtree_tcp_hearing_t){.num_addresses = 1};
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        hearing->sockets[i] = -1;
    }
}

void mtree_tcp_hearing_cleanup(mtree_tcp_hearing_t *hearing)
{
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        if (hearing->sockets[i] >= 0) {
            (void)close(hearing->sockets[i]);
        }
        hearing->sockets[i] = -1;
    }
}

/* All attempts are found at once by a process that was away for a while, in any order:
 * the newest one counts. */
bool mtree_tcp_hearing_admit(mtree_tcp_hearing_t *hearing,
                             const mtree_tcp_greeting_t *greeting, int socket)
{
    const uint32_t number = greeting->number;

    if (number >= MTREE_TCP_CONNECTIONS ||
        (hearing->sockets[number] >= 0 &&
         hearing->attempts[number] >= greeting->attempt)) {
        return false;
    }
    if (hearing->sockets[number] >= 0) {
        (void)close(hearing->sockets[number]);
    }
    hearing->sockets[number] = socket;
    hearing->attempts[number] = greeting->attempt;
    return true;
}

void mtree_tcp_hearing_ask(mtree_tcp_hearing_t *hearing, const uint32_t *said)
{
    hearing->is_asked = true;
    hearing->time = (mtree_tcp_polled_time_t){.seconds = 0};
    hearing->rounds++;
    hearing->failed += said == NULL;
    if (said == NULL) {
        hearing->time.seconds = MTREE_TCP_HEARING_SECONDS;
        memset(hearing->said, 0, sizeof(hearing->said));
    } else {
        memcpy(hearing->said, said,
               (size_t)hearing->num_connections * sizeof(hearing->said[0]));
    }
}

static bool all_are_heard(const mtree_tcp_hearing_t *hearing)
{
    for (int i = 0; i < hearing->num_connections; i++) {
        if (hearing->sockets[i] < 0 || hearing->attempts[i] != hearing->said[i]) {
            return false;
        }
    }
    return true;
}

mtree_tcp_verdict_t mtree_tcp_hearing_poll(mtree_tcp_hearing_t *hearing, double now)
{
    if (!hearing->is_asked) {
        return MTREE_TCP_NOT_HEARD;
    }
    if (all_are_heard(hearing)) {
        hearing->is_asked = false;
        return MTREE_TCP_HEARD;
    }
    mtree_tcp_polled_time_add(&hearing->time, now);
    if (hearing->time.seconds < MTREE_TCP_HEARING_SECONDS) {
        return MTREE_TCP_NOT_HEARD;
    }
    hearing->is_asked = false;
    return hearing->failed < FAILED_ROUNDS && hearing->rounds <= hearing->num_addresses
               ? MTREE_TCP_DIAL_AGAIN
               : MTREE_TCP_DIAL_NO_MORE;
}

void mtree_tcp_hearing_sockets(mtree_tcp_hearing_t *hearing, int *sockets)
{
    for (int i = 0; i < hearing->num_connections; i++) {
        sockets[i] = hearing->sockets[i];
        hearing->sockets[i] = -1;
    }
}
