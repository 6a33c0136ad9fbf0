/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/handshake_private.h"

#include "coll_mtree/base/params.h"

#include <string.h>

/* Seconds of polling, and round trips, in which the answer of a process comes that is
 * there. */
#define PATIENCE 3.0
#define TRIPS    2

void coll_mtree_direct_begin(coll_mtree_handshake_t *handshake)
{
    coll_mtree_contact_t *theirs = &handshake->theirs->contact.at;
    const int num_connections = handshake->mine->contact.num_connections;

    if (coll_mtree_params_encrypt() || num_connections == 0 ||
        !coll_mtree_contact_is_published() ||
        !coll_mtree_contact_find(handshake->rank, theirs)) {
        return;
    }
    handshake->has_key = true;
    if (handshake->dials) {
        coll_mtree_handshake_dial(handshake, num_connections);
        handshake->state = CALLING;
    } else {
        handshake->state = AWAITING_CALL;
    }
}

/* Who dials has no answer: over the PML it gets one. */
static int turn_to_pml(coll_mtree_handshake_t *handshake)
{
    coll_mtree_handshake_introduce(handshake);
    handshake->state = EXCHANGING;
    return 0;
}

/* The other end, which has not been asked to, tells how it can be reached: it does not
 * answer directly. */
static bool is_declined(coll_mtree_handshake_t *handshake)
{
    return handshake->theirs->contact.num_heard == 0 &&
           coll_mtree_message_test(&handshake->received, NULL);
}

static int direct_call(coll_mtree_handshake_t *handshake, double now)
{
    int stands = mtree_tcp_dialer_poll(handshake->dialer, now, &handshake->error);

    if (stands < 0 || is_declined(handshake)) {
        return turn_to_pml(handshake);
    }
    if (stands > 0) {
        handshake->may_be_answered = true;
        handshake->state = AWAITING_ANSWER;
    }
    return 0;
}

/* The connections stand at both ends. */
static int stand(coll_mtree_handshake_t *handshake, int count)
{
    handshake->num_connections = count;
    mtree_tcp_dialer_keep(handshake->dialer, count);
    mtree_tcp_dialer_attempts(handshake->dialer, handshake->mine->dialed.attempts);
    handshake->state = ANSWERED;
    return 1;
}

/* Of who dials.  What the other end has said over the PML, that it has heard, holds where
 * the answer is lost with its connection, too: that is made again. */
static int read_answer(coll_mtree_handshake_t *handshake)
{
    const int said = handshake->theirs->contact.num_heard;
    int count, answer;

    answer =
        mtree_tcp_dialer_answer(handshake->dialer, (uint32_t)handshake->rank, &count);
    if (answer == 0) {
        return 0;
    }
    if (answer > 0 || (handshake->received == NULL && said > 0)) {
        return stand(handshake, answer > 0 ? count : said);
    }
    return -1;
}

static int direct_answer(coll_mtree_handshake_t *handshake, double now)
{
    const double patience = PATIENCE + TRIPS * handshake->trip;
    int answer = read_answer(handshake);

    if (answer > 0 || handshake->theirs->contact.num_heard > 0) {
        return answer;
    }
    mtree_tcp_polled_time_add(&handshake->called, now);
    return answer < 0 || handshake->called.seconds > patience || is_declined(handshake)
               ? turn_to_pml(handshake)
               : 0;
}

/* How many connections there are to be, of which all greetings have come; 0: not yet. */
static int count_called(const coll_mtree_handshake_t *handshake)
{
    const int most = handshake->mine->contact.num_connections;
    const int count = handshake->num_greeted < most ? handshake->num_greeted : most;

    for (int i = 0; i < count; i++) {
        if (handshake->hearing.sockets[i] < 0) {
            return 0;
        }
    }
    return count;
}

static int direct_hear(coll_mtree_handshake_t *handshake)
{
    mtree_tcp_hearing_t *hearing = &handshake->hearing;
    int count = count_called(handshake);

    if (count > 0 &&
        mtree_tcp_dialer_reply(hearing->sockets[0], (uint32_t)coll_mtree_world_rank(),
                               hearing->attempts[0], count,
                               &handshake->mine->contact.at.secret)) {
        handshake->num_connections = hearing->num_connections = count;
        handshake->mine->contact.num_heard = count;
        memcpy(handshake->theirs->dialed.attempts, hearing->attempts,
               sizeof(hearing->attempts));
        handshake->state = ANSWERED;
        return 1;
    }
    return coll_mtree_message_test(&handshake->received, NULL) ? turn_to_pml(handshake)
                                                               : 0;
}

int coll_mtree_direct_poll(coll_mtree_handshake_t *handshake, double now)
{
    switch (handshake->state) {
    case CALLING:
        return direct_call(handshake, now);
    case AWAITING_ANSWER:
        return direct_answer(handshake, now);
    case AWAITING_CALL:
        return direct_hear(handshake);
    default:
        return handshake->may_be_answered && read_answer(handshake) > 0;
    }
}

bool coll_mtree_handshake_is_over(coll_mtree_handshake_t *handshake, bool is_known)
{
    if (handshake->dials || handshake->state != ANSWERED || is_known) {
        return true;
    }
    if (handshake->received != NULL) {
        if (!coll_mtree_message_test(&handshake->received, NULL)) {
            return false;
        }
        coll_mtree_handshake_introduce(handshake);
    }
    return coll_mtree_message_test(&handshake->sent, NULL);
}
