/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/handshake.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tag_range.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/tcp/contact.h"
#include "coll_mtree/tcp/sockets.h"
#include "coll_mtree/transport/progress.h"
#include "coll_mtree/transport/transport.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ompi/mca/pml/pml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the tags: of what two ends say over the PML, and of a rank that ends the job. */
enum { WORD_TAG, END_TAG, NUM_TAGS };

_Static_assert(NUM_TAGS == COLL_MTREE_TCP_TAGS, "the tags");

/* What an end says over the PML. */
typedef enum {
    HERE,   /* how it can be reached */
    ASK,    /* of who dials: it has no answer */
    AGAIN,  /* of who listens, as what follows: it has heard nothing; dial at the next
               addresses */
    NO_MORE /* there are no connections */
} what_t;

typedef struct {
    what_t what;
    int32_t error;                       /* why nothing is heard; 0: it is not known */
    int32_t num_connections;             /* that this end may have */
    unsigned char key[MTREE_CRYPTO_KEY]; /* public; of this handshake alone */
    coll_mtree_contact_t at;
} word_t;

struct coll_mtree_handshake {
    mtree_tcp_peer_t *peer;
    mtree_tcp_dial_t dial;                /* how it is dialed, as far as that is known */
    bool is_dialed;                       /* the peer; by one of the two */
    bool is_vain;                         /* it cannot be reached */
    bool has_spoken, is_asking, is_asked; /* over the PML */
    int rounds, failed;                   /* that the other end has asked; in vain */
    int error;                            /* the last one, at either end */
    unsigned char key[MTREE_CRYPTO_KEY];  /* private; where messages are encrypted */
    coll_mtree_contact_t theirs;
    coll_mtree_message_t *sent, *received;
    word_t *mine, *heard; /* kept until the messages have ended */
};

static coll_mtree_channel_t world_channel(void)
{
    return (coll_mtree_channel_t){.comm = MPI_COMM_WORLD,
                                  .first_tag =
                                      coll_mtree_tag_range_tcp(coll_mtree_tags_limit()),
                                  .longest = COLL_MTREE_ANY_LENGTH,
                                  .wait = COLL_MTREE_WAIT_LATER};
}

/* The message of a word that this end says, or else awaits. */
static coll_mtree_message_t *start_word(const coll_mtree_handshake_t *handshake,
                                        bool says)
{
    const coll_mtree_channel_t channel = world_channel();

    return coll_mtree_message_start(&channel, says, (int)handshake->dial.rank, WORD_TAG,
                                    says ? handshake->mine : handshake->heard,
                                    sizeof(word_t));
}

/* What was said before has left. */
static void say(coll_mtree_handshake_t *handshake, what_t what, int error)
{
    handshake->mine->what = what;
    handshake->mine->error = error;
    handshake->has_spoken = true;
    handshake->sent = start_word(handshake, true);
}

/* The key of the two processes, by what both have told.  False: there is none. */
static bool make_key(const coll_mtree_handshake_t *handshake,
                     unsigned char key[MTREE_CRYPTO_KEY])
{
    const word_t *first = handshake->dial.dials ? handshake->mine : handshake->heard;
    const word_t *second = handshake->dial.dials ? handshake->heard : handshake->mine;
    unsigned char shared[MTREE_CRYPTO_KEY], context[2 * MTREE_CRYPTO_KEY];
    bool is_shared = mtree_crypto_share(handshake->key, handshake->heard->key, shared);

    memcpy(context, first->key, MTREE_CRYPTO_KEY);
    memcpy(context + MTREE_CRYPTO_KEY, second->key, MTREE_CRYPTO_KEY);
    if (is_shared) {
        mtree_crypto_code(shared, sizeof(shared), context, sizeof(context), key);
    }
    explicit_bzero(shared, sizeof(shared));
    return is_shared;
}

/* Where to dial: over the cables, or at all addresses of the other end.  Connections over
 * cables that are lost are made again over these, too. */
static void add_addresses(mtree_tcp_dial_t *dial, const coll_mtree_contact_t *theirs)
{
    dial->num_addresses = dial->is_spread ? dial->num_first : 0;
    for (int i = 0;
         i < theirs->num_addresses && dial->num_addresses < MTREE_TCP_ADDRESSES; i++) {
        dial->addresses[dial->num_addresses++] = theirs->addresses[i];
    }
    dial->num_first = dial->is_spread ? dial->num_first : dial->num_addresses;
}

/* Both know how the other can be reached: who dials begins to, the other waits.  @a most
 * connections are what the other end may have. */
static void begin_to_dial(coll_mtree_handshake_t *handshake, int most)
{
    const coll_mtree_contact_t *own = &handshake->mine->at, *theirs = &handshake->theirs;
    const coll_mtree_contact_t *listening = handshake->dial.dials ? theirs : own;
    const int num_connections = handshake->mine->num_connections;
    mtree_tcp_dial_t *dial = &handshake->dial;
    int fault = 0;

    dial->secret = theirs->secret;
    dial->port = (uint16_t)theirs->port;
    dial->num_connections = num_connections < most ? num_connections : most;
    if (dial->num_connections == 0) {
        fault = EMFILE;
    } else if (dial->is_encrypted && !make_key(handshake, dial->key.bytes)) {
        fault = ENOKEY;
    }
    handshake->error = fault != 0 ? fault : handshake->error;
    handshake->is_vain =
        fault != 0 || listening->port == 0 || listening->num_addresses == 0;
    if (!handshake->is_vain) {
        add_addresses(dial, theirs);
        mtree_tcp_peer_dial(handshake->peer, dial);
        handshake->is_dialed = true;
    }
}

/* Where there are several cables each connection has the rate of its own. */
static void take_cables(mtree_tcp_dial_t *dial, coll_mtree_way_t way)
{
    for (int c = 0; c < way.num_cables && c < MTREE_TOPOLOGY_MAX_CABLES; c++) {
        const mtree_cable_t *cable = &way.cables[c].cable;

        dial->sources[c] = cable->ends[0];
        dial->addresses[c] = cable->ends[1];
        dial->rates[c] = way.num_cables > 1 ? cable->capacity[0] : 0;
        dial->num_first++;
    }
    dial->is_spread = dial->num_first > 0;
}

coll_mtree_handshake_t *coll_mtree_handshake_begin(int rank, mtree_tcp_peer_t *peer,
                                                   int num_connections,
                                                   mtree_tcp_tuning_t tuning,
                                                   coll_mtree_way_t way)
{
    coll_mtree_handshake_t *handshake = mtree_calloc(1, sizeof(*handshake));
    const coll_mtree_contact_t *own = coll_mtree_contact_own();

    handshake->peer = peer;
    handshake->dial =
        (mtree_tcp_dial_t){.dials = coll_mtree_world_rank() < rank,
                           .own_rank = (uint32_t)coll_mtree_world_rank(),
                           .rank = (uint32_t)rank,
                           .is_encrypted = coll_mtree_params.encrypt,
                           .trip = way.trip,
                           .tuning = tuning,
                           .congestion = coll_mtree_congestion_of_sockets()};
    take_cables(&handshake->dial, way);
    handshake->mine = mtree_calloc(1, sizeof(word_t));
    handshake->heard = mtree_calloc(1, sizeof(word_t));
    handshake->mine->at = *own;
    handshake->mine->num_connections = num_connections;
    if (coll_mtree_params.encrypt) {
        /* Else it stays one of zeros, with which nobody shares anything. */
        (void)mtree_crypto_pair_draw(handshake->key, handshake->mine->key);
    }
    handshake->received = start_word(handshake, false);
    if (!coll_mtree_params.encrypt && num_connections > 0 &&
        coll_mtree_contact_find(rank, &handshake->theirs)) {
        begin_to_dial(handshake, num_connections);
    } else {
        say(handshake, HERE, 0);
    }
    return handshake;
}

/* Take what the other end has said; false: there are no connections. */
static bool take_word(coll_mtree_handshake_t *handshake)
{
    const word_t *word = handshake->heard;
    const what_t what = word->what;

    handshake->theirs = word->at;
    handshake->error = word->error != 0 ? word->error : handshake->error;
    if (what == HERE || !(handshake->is_dialed || handshake->is_vain)) {
        begin_to_dial(handshake, word->num_connections);
    }
    if (what == HERE && !handshake->has_spoken) {
        say(handshake, HERE, 0);
    }
    if (what == ASK) {
        handshake->error = word->error;
        handshake->is_asked = true;
        handshake->rounds++;
        handshake->failed += word->error != 0;
    }
    if (what == ASK || what == AGAIN) {
        handshake->is_asking = false;
        mtree_tcp_peer_dial_next(handshake->peer);
    }
    handshake->received = start_word(handshake, false);
    return what != NO_MORE;
}

/* As mtree_tcp_peer_meet(). */
static int meet(coll_mtree_handshake_t *handshake, double now, int *error_p)
{
    *error_p = handshake->error;
    return handshake->is_vain     ? -1
           : handshake->is_dialed ? mtree_tcp_peer_meet(handshake->peer, now, error_p)
                                  : 0;
}

/* The other end has asked, and no greeting has come; as coll_mtree_handshake_poll(). */
static int give_verdict(coll_mtree_handshake_t *handshake)
{
    const bool may_come = !handshake->is_vain && handshake->error != ENOKEY &&
                          mtree_tcp_may_dial_again(handshake->rounds, handshake->failed,
                                                   handshake->mine->at.num_addresses);

    handshake->is_asked = false;
    say(handshake, may_come ? AGAIN : NO_MORE,
        mtree_tcp_listener_error(coll_mtree_contact_listener()));
    return may_come ? 0 : -1;
}

int coll_mtree_handshake_poll(coll_mtree_handshake_t *handshake, double now)
{
    int error, has_met;

    if (coll_mtree_message_test(&handshake->received, NULL) && !take_word(handshake)) {
        return -1;
    }
    has_met = meet(handshake, now, &error);
    if (has_met > 0) {
        return 1;
    }
    if (!coll_mtree_message_test(&handshake->sent, NULL)) {
        return 0;
    }
    if (handshake->is_asked) {
        /* A kernel does not answer for long, either, whose process is away. */
        return has_met < 0 || handshake->error != 0 ? give_verdict(handshake) : 0;
    }
    if (handshake->dial.dials && has_met < 0 && !handshake->is_asking) {
        handshake->is_asking = true;
        handshake->error = error;
        say(handshake, ASK, error);
    }
    return 0;
}

/* Why there are no connections; *remedy_p is what may help. */
static const char *find_failure(const coll_mtree_handshake_t *handshake,
                                const char **remedy_p)
{
    const int error = handshake->error;

    *remedy_p = "let that port pass through firewalls, or name others with "
                "coll_mtree_tcp_ports";
    if (handshake->theirs.port == 0) {
        *remedy_p = "name free ports there with coll_mtree_tcp_ports";
        return "it cannot listen";
    }
    if (error == ENOKEY) {
        *remedy_p = "see whether OpenSSL works on both";
        return "there is no key for it";
    }
    if (error == EMFILE || error == ENFILE) {
        *remedy_p = "raise the limit of open files (ulimit -n) on both";
    }
    return error == 0 ? "what is sent there does not arrive" : strerror(error);
}

/* Seconds in which a rank hears what others have said, in which what it says itself is
 * heard by others, and in which the job ends. */
#define HEARING 1.0
#define SAYING  2.0
#define ENDING  10.0

/* Within so many @a seconds: does a rank below @a limit say that it ends the job? */
static bool another_ends(int limit, double seconds)
{
    const double end = mtree_clock_seconds() + seconds;
    const int tag = world_channel().first_tag - END_TAG;
    int says = 0;

    while (!says && mtree_clock_seconds() < end) {
        for (int rank = 0; rank < limit && !says; rank++) {
            (void)MCA_PML_CALL(
                iprobe(rank, tag, MPI_COMM_WORLD, &says, MPI_STATUS_IGNORE));
        }
        coll_mtree_progress_wait(COLL_MTREE_WAIT_LATER);
    }
    return says;
}

/*
 * Is it this rank that says why the job ends?  Of those that find out at the same time it
 * is the lowest one: of two either the later one hears the other before it says anything,
 * or both hear each other before they are done.
 */
static bool is_first_to_end(void)
{
    const int own = coll_mtree_world_rank(), ranks = ompi_comm_size(MPI_COMM_WORLD);
    const coll_mtree_channel_t channel = world_channel();

    if (another_ends(ranks, HEARING)) {
        return false;
    }
    for (int rank = 0; rank < ranks; rank++) {
        if (rank != own) {
            (void)coll_mtree_message_start(&channel, true, rank, END_TAG, "", 1);
        }
    }
    return !another_ends(own, SAYING);
}

/* Nothing of a call goes unencrypted. */
static void end_job(const coll_mtree_handshake_t *handshake)
{
    const coll_mtree_contact_t *theirs = &handshake->theirs;
    const char *remedy, *failure = find_failure(handshake, &remedy);

    if (is_first_to_end()) {
        mtree_error("no encrypted connections from host %s (rank %d) to port %u of host "
                    "%s (rank %d): %s; %s; the job ends",
                    handshake->mine->at.host, coll_mtree_world_rank(), theirs->port,
                    theirs->host, (int)handshake->dial.rank, failure, remedy);
    } else {
        mtree_clock_sleep(ENDING);
    }
    coll_mtree_end_job();
}

/* The first cable tried is named. */
static void warn(const coll_mtree_handshake_t *handshake)
{
    const mtree_tcp_dial_t *dial = &handshake->dial;
    char from[MTREE_ADDRESS_LENGTH], to[MTREE_ADDRESS_LENGTH];
    char way[sizeof(from) + sizeof(to) + 16] = "";
    const char *remedy, *failure = find_failure(handshake, &remedy);

    if (dial->is_spread) {
        (void)snprintf(way, sizeof(way), " from %s to %s",
                       mtree_address_format(&dial->sources[0], from),
                       mtree_address_format(&dial->addresses[0], to));
    }
    mtree_warn("no TCP connections%s to rank %d (%s): messages to it, and to each rank "
               "without, go over Open MPI's",
               way, (int)dial->rank, failure);
}

void coll_mtree_handshake_refuse(const coll_mtree_handshake_t *handshake)
{
    if (handshake->dial.dials && coll_mtree_params.encrypt) {
        end_job(handshake);
    } else if (handshake->dial.dials && coll_mtree_log_is_first("no TCP connections")) {
        warn(handshake);
    }
}

void coll_mtree_handshake_end(coll_mtree_handshake_t *handshake, bool has_pml)
{
    if (handshake == NULL) {
        return;
    }
    if (has_pml) {
        coll_mtree_message_abandon(&handshake->sent, handshake->mine);
        coll_mtree_message_abandon(&handshake->received, handshake->heard);
    } else {
        coll_mtree_message_forget(&handshake->sent, handshake->mine);
        coll_mtree_message_forget(&handshake->received, handshake->heard);
    }
    explicit_bzero(handshake, sizeof(*handshake));
    free(handshake);
}
