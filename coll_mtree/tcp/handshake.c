/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/handshake_private.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/tcp/encryption.h"
#include "coll_mtree/tcp/sockets.h"
#include "coll_mtree/transport/transport.h"

#include "base/log.h"
#include "tcp/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tags, from the first of them. */
enum { CONTACT, WORD };

static coll_mtree_channel_t world_channel(void)
{
    return (coll_mtree_channel_t){.comm = MPI_COMM_WORLD,
                                  .first_tag = coll_mtree_tags_tcp(),
                                  .longest = COLL_MTREE_ANY_LENGTH,
                                  .wait = COLL_MTREE_WAIT_LATER};
}

/* Where messages are to be encrypted.  Nobody shares anything with a key of zeros. */
static void draw_key(coll_mtree_handshake_t *handshake)
{
    unsigned char *told = handshake->mine->contact.key;

    if (coll_mtree_params_encrypt() && !mtree_crypto_pair_draw(handshake->key, told)) {
        memset(told, 0, MTREE_CRYPTO_KEY);
    }
}

/* Both have told their public keys: is there what it takes to send messages? */
static bool share_key(coll_mtree_handshake_t *handshake)
{
    return !coll_mtree_params_encrypt() ||
           mtree_crypto_share(handshake->key, handshake->theirs->contact.key,
                              handshake->shared);
}

bool coll_mtree_handshake_keys(const coll_mtree_handshake_t *handshake,
                               mtree_tls_key_t *keys)
{
    bool is_first = handshake->dials;
    const contact_t *mine = &handshake->mine->contact, *theirs;
    unsigned char context[2 * MTREE_CRYPTO_KEY + 1];

    theirs = &handshake->theirs->contact;
    memcpy(context, is_first ? mine->key : theirs->key, MTREE_CRYPTO_KEY);
    memcpy(context + MTREE_CRYPTO_KEY, is_first ? theirs->key : mine->key,
           MTREE_CRYPTO_KEY);
    for (int i = 0; i < handshake->num_connections && coll_mtree_params_encrypt(); i++) {
        context[2 * MTREE_CRYPTO_KEY] = (unsigned char)i;
        keys[i].is_client = is_first;
        mtree_crypto_code(handshake->shared, sizeof(handshake->shared), context,
                          sizeof(context), keys[i].bytes);
    }
    return coll_mtree_params_encrypt();
}

/* The listener is to keep so many @a more, where @a handshake listens. */
static void await_connections(coll_mtree_handshake_t *handshake, int more)
{
    mtree_tcp_listener_t *listener = coll_mtree_contact_listener();

    if (listener != NULL && !handshake->dials) {
        handshake->num_awaited += more;
        mtree_tcp_listener_await(listener, more);
    }
}

void coll_mtree_handshake_introduce(coll_mtree_handshake_t *handshake)
{
    coll_mtree_channel_t channel = world_channel();

    handshake->sent = coll_mtree_message_send(
        &channel, handshake->rank, CONTACT, &handshake->mine->contact, sizeof(contact_t));
}

coll_mtree_handshake_t *coll_mtree_handshake_begin(int rank, int num_connections,
                                                   coll_mtree_way_t way,
                                                   mtree_tcp_admit_t admit)
{
    coll_mtree_handshake_t *handshake = coll_mtree_calloc(1, sizeof(*handshake));
    coll_mtree_channel_t channel = world_channel();

    handshake->rank = rank;
    handshake->dials = coll_mtree_world_rank() < rank;
    handshake->trip = way.trip;
    for (int c = 0; c < way.cables.count && c < MTREE_TOPOLOGY_MAX_CABLES; c++) {
        handshake->cables[handshake->num_cables++] = way.cables.list[c].cable;
    }
    mtree_tcp_hearing_init(&handshake->hearing);
    handshake->mine = coll_mtree_calloc(1, sizeof(messages_t));
    handshake->theirs = coll_mtree_calloc(1, sizeof(messages_t));
    handshake->mine->contact.at = *coll_mtree_contact_own(admit);
    handshake->mine->contact.num_connections = num_connections;
    await_connections(handshake, num_connections);
    draw_key(handshake);
    coll_mtree_direct_begin(handshake);
    handshake->received = coll_mtree_message_recv(
        &channel, rank, CONTACT, &handshake->theirs->contact, sizeof(contact_t));
    if (handshake->state == EXCHANGING) {
        coll_mtree_handshake_introduce(handshake);
    }
    return handshake;
}

/* It may come before the other end's contact, by another way. */
bool coll_mtree_handshake_admit(coll_mtree_handshake_t *handshake,
                                const mtree_tcp_greeting_t *greeting, int socket)
{
    if (handshake->dials ||
        !mtree_tcp_hearing_admit(&handshake->hearing, greeting, socket)) {
        return false;
    }
    handshake->num_greeted = greeting->position < MTREE_TCP_CONNECTIONS
                                 ? (int)greeting->position
                                 : MTREE_TCP_CONNECTIONS;
    return true;
}

/* Send this end's word, which is in `mine`. */
static void say(coll_mtree_handshake_t *handshake, const void *word, size_t length)
{
    coll_mtree_channel_t channel = world_channel();

    handshake->sent =
        coll_mtree_message_send(&channel, handshake->rank, WORD, word, length);
}

/* Await the other end's word, in `theirs`. */
static void await(coll_mtree_handshake_t *handshake, void *word, size_t length)
{
    coll_mtree_channel_t channel = world_channel();

    handshake->received =
        coll_mtree_message_recv(&channel, handshake->rank, WORD, word, length);
}

/* Where to dial: over the cables, or at all addresses of the other end; and how far that
 * is. */
static void fill_addresses(const coll_mtree_handshake_t *handshake,
                           mtree_tcp_dial_t *dial)
{
    const coll_mtree_contact_t *theirs = &handshake->theirs->contact.at;

    dial->trip = handshake->trip;
    dial->num_addresses = theirs->num_addresses;
    memcpy(dial->addresses, theirs->addresses, sizeof(dial->addresses));
    dial->is_spread = handshake->num_cables > 0;
    for (int c = 0; c < handshake->num_cables; c++) {
        dial->sources[c] = handshake->cables[c].ends[0];
        dial->addresses[c] = handshake->cables[c].ends[1];
        dial->num_addresses = c + 1;
    }
}

void coll_mtree_handshake_dial(coll_mtree_handshake_t *handshake, int num_connections)
{
    const coll_mtree_contact_t *theirs = &handshake->theirs->contact.at;
    mtree_tcp_dial_t dial = {.rank = (uint32_t)coll_mtree_world_rank(),
                             .secret = theirs->secret,
                             .port = (uint16_t)theirs->port,
                             .num_connections = num_connections};

    fill_addresses(handshake, &dial);
    if (handshake->dialer == NULL) {
        handshake->dialer = mtree_tcp_dialer_create(&dial);
    } else {
        mtree_tcp_dialer_change(handshake->dialer, &dial);
    }
    coll_mtree_require(handshake->dialer == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
}

/* Both know how the other can be reached: who dials begins to, the other waits.  False:
 * there is no way, which the other end finds, too. */
static bool handshake_connect(coll_mtree_handshake_t *handshake)
{
    const contact_t *theirs = &handshake->theirs->contact;
    const coll_mtree_contact_t *listening =
        handshake->dials ? &theirs->at : &handshake->mine->contact.at;
    const int most = handshake->mine->contact.num_connections;

    if (handshake->dials && theirs->num_heard > 0) {
        handshake->state = AWAITING_ANSWER;
        return true;
    }
    handshake->num_connections =
        theirs->num_connections < most ? theirs->num_connections : most;
    handshake->has_key = share_key(handshake);
    if (handshake->num_connections == 0) {
        handshake->error = EMFILE;
    }
    if (handshake->num_connections == 0 || listening->port == 0 ||
        listening->num_addresses == 0) {
        return false;
    }
    if (handshake->dials) {
        coll_mtree_handshake_dial(handshake, handshake->num_connections);
        handshake->state = DIALING;
    } else {
        handshake->hearing.num_addresses = listening->num_addresses;
        handshake->hearing.num_connections = handshake->num_connections;
        handshake->state = HEARING;
        await(handshake, &handshake->theirs->dialed, sizeof(dialed_t));
    }
    return true;
}

/* Of who dials: at the end of a round the other end is asked, also of one that failed:
 * a kernel does not answer for long, either, whose process is away. */
static void handshake_dial(coll_mtree_handshake_t *handshake, double now)
{
    dialed_t *dialed = &handshake->mine->dialed;
    int stands = -1;

    if (!coll_mtree_message_test(&handshake->sent, NULL)) {
        return;
    }
    dialed->error = ENOKEY;
    if (handshake->has_key) {
        stands = mtree_tcp_dialer_poll(handshake->dialer, now, &dialed->error);
    }
    if (stands == 0) {
        return;
    }
    if (stands > 0) {
        dialed->error = 0;
        mtree_tcp_dialer_attempts(handshake->dialer, dialed->attempts);
    }
    handshake->error = dialed->error;
    handshake->state = ASKING;
    say(handshake, dialed, sizeof(*dialed));
    await(handshake, &handshake->theirs->heard, sizeof(heard_t));
}

/* Of who dials: the other end has answered. */
static int handshake_conclude(coll_mtree_handshake_t *handshake)
{
    const heard_t *heard = &handshake->theirs->heard;

    handshake->error = heard->error != 0 ? heard->error : handshake->error;
    if (heard->verdict == MTREE_TCP_DIAL_AGAIN) {
        mtree_tcp_dialer_redial(handshake->dialer);
        handshake->state = DIALING;
        return 0;
    }
    return heard->verdict == MTREE_TCP_HEARD ? 1 : -1;
}

/* Of who listens. */
static int handshake_hear(coll_mtree_handshake_t *handshake, double now)
{
    const dialed_t *dialed = &handshake->theirs->dialed;
    heard_t *heard = &handshake->mine->heard;
    mtree_tcp_verdict_t verdict;

    if (handshake->received != NULL) {
        if (!coll_mtree_message_test(&handshake->received, NULL) ||
            !coll_mtree_message_test(&handshake->sent, NULL)) {
            return 0;
        }
        mtree_tcp_hearing_ask(&handshake->hearing,
                              dialed->error == 0 ? dialed->attempts : NULL);
    }
    verdict = !handshake->has_key || dialed->error == ENOKEY
                  ? MTREE_TCP_DIAL_NO_MORE
                  : mtree_tcp_hearing_poll(&handshake->hearing, now);
    if (verdict == MTREE_TCP_NOT_HEARD) {
        return 0;
    }
    *heard = (heard_t){verdict, mtree_tcp_listener_error(coll_mtree_contact_listener())};
    say(handshake, heard, sizeof(*heard));
    if (verdict == MTREE_TCP_DIAL_AGAIN) {
        await(handshake, &handshake->theirs->dialed, sizeof(*dialed));
        return 0;
    }
    return verdict == MTREE_TCP_HEARD ? 1 : -1;
}

int coll_mtree_handshake_poll(coll_mtree_handshake_t *handshake, double now)
{
    switch (handshake->state) {
    case CALLING:
    case AWAITING_ANSWER:
    case AWAITING_CALL:
        return coll_mtree_direct_poll(handshake, now);
    case EXCHANGING:
        if (coll_mtree_direct_poll(handshake, now) == 1) {
            return 1;
        }
        return coll_mtree_message_test(&handshake->sent, NULL) &&
                       coll_mtree_message_test(&handshake->received, NULL) &&
                       !handshake_connect(handshake)
                   ? -1
                   : 0;
    case DIALING:
        handshake_dial(handshake, now);
        return 0;
    case ASKING:
        return coll_mtree_message_test(&handshake->received, NULL)
                   ? handshake_conclude(handshake)
                   : 0;
    default:
        return handshake_hear(handshake, now);
    }
}

int coll_mtree_handshake_sockets(coll_mtree_handshake_t *handshake, int *sockets)
{
    if (handshake->dialer != NULL) {
        mtree_tcp_dialer_sockets(handshake->dialer, sockets);
    } else {
        mtree_tcp_hearing_sockets(&handshake->hearing, sockets);
        mtree_tcp_hearing_cleanup(&handshake->hearing);
    }
    for (int i = 0; i < handshake->num_connections; i++) {
        coll_mtree_socket_tune(sockets[i]);
    }
    return handshake->num_connections;
}

void coll_mtree_handshake_rates(const coll_mtree_handshake_t *handshake, double *rates)
{
    for (int i = 0; i < handshake->num_connections; i++) {
        rates[i] = handshake->num_cables > 1
                       ? handshake->cables[i % handshake->num_cables].capacity[0]
                       : 0;
    }
}

void coll_mtree_handshake_redial(const coll_mtree_handshake_t *handshake,
                                 mtree_tcp_redial_t *redial)
{
    const messages_t *dialer = handshake->dials ? handshake->mine : handshake->theirs;
    const coll_mtree_contact_t *theirs = &handshake->theirs->contact.at;

    *redial = (mtree_tcp_redial_t){.dial = {.rank = (uint32_t)coll_mtree_world_rank(),
                                            .secret = theirs->secret,
                                            .port = (uint16_t)theirs->port},
                                   .dials = handshake->dials,
                                   .rank = (uint32_t)handshake->rank,
                                   .secret = handshake->mine->contact.at.secret,
                                   .congestion = coll_mtree_congestion_control()};
    memcpy(redial->attempts, dialer->dialed.attempts, sizeof(redial->attempts));
    fill_addresses(handshake, &redial->dial);
    redial->num_first = redial->dial.num_addresses;
    for (int i = 0; handshake->num_cables > 0 && i < theirs->num_addresses &&
                    redial->dial.num_addresses < MTREE_TCP_ADDRESSES;
         i++) {
        redial->dial.addresses[redial->dial.num_addresses++] = theirs->addresses[i];
    }
}

/* Why there are no connections. */
typedef struct {
    const char *what, *remedy;
    char way[2 * MTREE_ADDRESS_LENGTH + 16]; /* the first cable tried, " from A to B"; or
                                                empty */
} failure_t;

static failure_t find_failure(const coll_mtree_handshake_t *handshake)
{
    failure_t failure = {
        .what = handshake->error == 0 ? "what is sent there does not arrive"
                                      : strerror(handshake->error),
        .remedy = "let that port pass through firewalls, or name others with "
                  "coll_mtree_tcp_ports"};

    if (handshake->num_cables > 0) {
        char from[MTREE_ADDRESS_LENGTH], to[MTREE_ADDRESS_LENGTH];

        (void)snprintf(failure.way, sizeof(failure.way), " from %s to %s",
                       mtree_address_format(&handshake->cables[0].ends[0], from),
                       mtree_address_format(&handshake->cables[0].ends[1], to));
    }
    if (handshake->theirs->contact.at.port == 0) {
        failure.what = "it cannot listen";
        failure.remedy = "name free ports there with coll_mtree_tcp_ports";
    } else if (handshake->error == EMFILE || handshake->error == ENFILE) {
        failure.remedy = "raise the limit of open files (ulimit -n) on both";
    } else if (!handshake->has_key) {
        failure.what = "there is no key for it";
        failure.remedy = "see whether OpenSSL works on both";
    }
    return failure;
}

/* Nothing of a call goes unencrypted. */
static void end_job(const coll_mtree_handshake_t *handshake, const failure_t *failure)
{
    const coll_mtree_contact_t *theirs = &handshake->theirs->contact.at;

    if (coll_mtree_encryption_take_turn()) {
        mtree_error("no encrypted connections from host %s (rank %d) to port %u of host "
                    "%s (rank %d): %s; %s; the job ends",
                    handshake->mine->contact.at.host, coll_mtree_world_rank(),
                    theirs->port, theirs->host, handshake->rank, failure->what,
                    failure->remedy);
    }
    coll_mtree_end_job();
}

void coll_mtree_handshake_refuse(const coll_mtree_handshake_t *handshake)
{
    static bool is_told;
    const failure_t failure = find_failure(handshake);

    if (handshake->dials && coll_mtree_params_encrypt()) {
        end_job(handshake, &failure);
    } else if (handshake->dials && !is_told) {
        is_told = true;
        mtree_warn("no TCP connections%s to rank %d (%s): messages to it, and to each "
                   "rank without, go over Open MPI's",
                   failure.way, handshake->rank, failure.what);
    }
}

void coll_mtree_handshake_end(coll_mtree_handshake_t *handshake, bool has_pml)
{
    if (handshake == NULL) {
        return;
    }
    await_connections(handshake, -handshake->num_awaited);
    mtree_tcp_hearing_cleanup(&handshake->hearing);
    mtree_tcp_dialer_destroy(handshake->dialer);
    if (has_pml) {
        coll_mtree_message_abandon(&handshake->sent, handshake->mine);
        coll_mtree_message_abandon(&handshake->received, handshake->theirs);
    } else {
        coll_mtree_message_forget(&handshake->sent, handshake->mine);
        coll_mtree_message_forget(&handshake->received, handshake->theirs);
    }
    explicit_bzero(handshake, sizeof(*handshake));
    free(handshake);
}
