/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/handshake.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/tcp/sockets.h"
#include "coll_mtree/transport/transport.h"

#include "tcp/dialer.h"
#include "tcp/socket.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tags, from the first of them. */
enum { CONTACT, RESULT };

typedef enum {
    EXCHANGING, /* both tell how they can be reached */
    DIALING,    /* this end makes the connections */
    AWAITING    /* the other end does, and will say whether they stand */
} state_t;

/* How a process can be reached.  Sent as it is: all processes of a communicator store
 * numbers in the same way. */
typedef struct {
    uint32_t port; /* 0: this end cannot listen */
    int num_addresses;
    mtree_address_t addresses[MTREE_TCP_ADDRESSES];
    mtree_tcp_secret_t secret;
    unsigned char key[MTREE_CRYPTO_KEY]; /* public; of this handshake alone */
} contact_t;

typedef struct {
    contact_t contact;
    uint32_t result; /* of who dials: the connections stand */
} messages_t;

struct coll_mtree_handshake {
    int rank;
    int num_connections;
    state_t state;
    const char *reason;
    unsigned char key[MTREE_CRYPTO_KEY]; /* private; where messages are encrypted */
    mtree_record_key_t shared; /* with the other end, once both have told: `has_key` */
    bool has_key;              /* or needs none */
    coll_mtree_message_t *sent, *received;
    mtree_tcp_dialer_t *dialer;
    int sockets[MTREE_TCP_CONNECTIONS];       /* -1: it is not there */
    uint32_t attempts[MTREE_TCP_CONNECTIONS]; /* of the sockets that are there */
    messages_t *mine, *theirs;                /* kept until the messages have ended */
};

static mtree_tcp_listener_t *listener; /* NULL: nobody is expected */
static contact_t own;                  /* its secret is drawn once */
static bool is_drawn;

_Static_assert(MTREE_TCP_ADDRESSES == COLL_MTREE_HOST_ADDRESSES, "a host's addresses");

static coll_mtree_channel_t world_channel(void)
{
    return (coll_mtree_channel_t){.comm = MPI_COMM_WORLD,
                                  .first_tag = coll_mtree_tags_tcp(),
                                  .longest = COLL_MTREE_ANY_LENGTH,
                                  .wait = COLL_MTREE_WAIT_LATER};
}

static void describe_own(void)
{
    coll_mtree_host_t host;

    coll_mtree_host_describe(&host);
    memcpy(own.addresses, host.addresses, sizeof(own.addresses));
    while (own.num_addresses < MTREE_TCP_ADDRESSES &&
           own.addresses[own.num_addresses].family != AF_UNSPEC) {
        own.num_addresses++;
    }
    is_drawn = mtree_tcp_secret_draw(&own.secret) == MTREE_OK;
}

/* Without a secret, or a port that is free, nobody listens. */
static void begin_to_listen(mtree_tcp_admit_t admit)
{
    mtree_tcp_ports_t ports;

    if (!is_drawn) {
        describe_own();
    }
    if (coll_mtree_listening_ports(&ports) && is_drawn) {
        listener = mtree_tcp_listener_create(&ports, &own.secret, admit, NULL);
    }
    own.port = listener == NULL ? 0 : mtree_tcp_listener_port(listener);
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
                              handshake->shared.bytes);
}

bool coll_mtree_handshake_keys(const coll_mtree_handshake_t *handshake,
                               mtree_record_keys_t *keys)
{
    bool is_first = coll_mtree_world_rank() < handshake->rank;
    const contact_t *mine = &handshake->mine->contact, *theirs;
    unsigned char context[2 * MTREE_CRYPTO_KEY + 1];

    theirs = &handshake->theirs->contact;
    memcpy(context, is_first ? mine->key : theirs->key, MTREE_CRYPTO_KEY);
    memcpy(context + MTREE_CRYPTO_KEY, is_first ? theirs->key : mine->key,
           MTREE_CRYPTO_KEY);
    for (int i = 0; i < handshake->num_connections && coll_mtree_params_encrypt(); i++) {
        context[2 * MTREE_CRYPTO_KEY] = (unsigned char)i;
        mtree_record_keys_derive(&handshake->shared, context, sizeof(context), is_first,
                                 &keys[i]);
    }
    return coll_mtree_params_encrypt();
}

coll_mtree_handshake_t *coll_mtree_handshake_begin(int rank, int num_connections,
                                                   mtree_tcp_admit_t admit)
{
    coll_mtree_handshake_t *handshake = calloc(1, sizeof(*handshake));
    coll_mtree_channel_t channel = world_channel();

    if (handshake == NULL) {
        return NULL;
    }
    if (listener == NULL) {
        begin_to_listen(admit);
    }
    handshake->rank = rank;
    handshake->num_connections = num_connections;
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        handshake->sockets[i] = -1;
    }
    handshake->mine = calloc(1, sizeof(messages_t));
    handshake->theirs = calloc(1, sizeof(messages_t));
    if (handshake->mine != NULL && handshake->theirs != NULL) {
        handshake->mine->contact = own;
        draw_key(handshake);
        handshake->received = coll_mtree_message_recv(
            &channel, rank, CONTACT, &handshake->theirs->contact, sizeof(contact_t));
        handshake->sent = coll_mtree_message_send(
            &channel, rank, CONTACT, &handshake->mine->contact, sizeof(contact_t));
    }
    if (handshake->received == NULL || handshake->sent == NULL) {
        coll_mtree_handshake_end(handshake);
        handshake = NULL;
    }
    return handshake;
}

/* Is there no connection of that number, or one that who dials has given up since?  All
 * its attempts are found at once by a process that was away for a while. */
static bool is_newest(const coll_mtree_handshake_t *handshake,
                      const mtree_tcp_greeting_t *greeting)
{
    return handshake->sockets[greeting->number] < 0 ||
           handshake->attempts[greeting->number] < greeting->attempt;
}

bool coll_mtree_handshake_admit(coll_mtree_handshake_t *handshake,
                                const mtree_tcp_greeting_t *greeting, int socket)
{
    const mtree_tcp_greeting_t welcome = {.secret = handshake->theirs->contact.secret};
    uint32_t number = greeting->number;

    if (handshake->state != AWAITING || !handshake->has_key ||
        number >= (uint32_t)handshake->num_connections ||
        !is_newest(handshake, greeting) || !mtree_tcp_greeting_send(socket, &welcome)) {
        return false;
    }
    if (handshake->sockets[number] >= 0) {
        (void)close(handshake->sockets[number]);
    }
    handshake->sockets[number] = socket;
    handshake->attempts[number] = greeting->attempt;
    return true;
}

void coll_mtree_handshakes_listen(double now)
{
    if (listener != NULL) {
        mtree_tcp_listener_poll(listener, now);
    }
}

/* Both know how the other can be reached: who dials begins to, the other waits. */
static void handshake_connect(coll_mtree_handshake_t *handshake, double now)
{
    const contact_t *theirs = &handshake->theirs->contact;
    coll_mtree_channel_t channel = world_channel();
    mtree_tcp_dial_t dial = {.rank = (uint32_t)coll_mtree_world_rank(),
                             .mine = own.secret,
                             .theirs = theirs->secret,
                             .num_addresses = theirs->num_addresses,
                             .port = (uint16_t)theirs->port,
                             .num_connections = handshake->num_connections};

    handshake->has_key = share_key(handshake);
    if (!handshake->has_key) {
        dial.port = 0;
    }
    if (coll_mtree_world_rank() > handshake->rank) {
        handshake->state = AWAITING;
        handshake->received =
            coll_mtree_message_recv(&channel, handshake->rank, RESULT,
                                    &handshake->theirs->result, sizeof(uint32_t));
        return;
    }
    memcpy(dial.addresses, theirs->addresses, sizeof(dial.addresses));
    handshake->state = DIALING;
    handshake->dialer = mtree_tcp_dialer_create(&dial, now);
}

/* As mtree_tcp_dialer_poll(); the other end is told. */
static int handshake_dial(coll_mtree_handshake_t *handshake, double now)
{
    coll_mtree_channel_t channel = world_channel();
    int stands =
        handshake->dialer == NULL ? -1 : mtree_tcp_dialer_poll(handshake->dialer, now);

    if (stands == 0) {
        return 0;
    }
    handshake->reason = !handshake->has_key                    ? "there is no key for it"
                        : handshake->theirs->contact.port == 0 ? "it cannot listen"
                                                               : "it does not answer";
    if (stands > 0) {
        mtree_tcp_dialer_sockets(handshake->dialer, handshake->sockets);
    }
    handshake->mine->result = stands > 0;
    handshake->sent = coll_mtree_message_send(&channel, handshake->rank, RESULT,
                                              &handshake->mine->result, sizeof(uint32_t));
    return stands;
}

int coll_mtree_handshake_poll(coll_mtree_handshake_t *handshake, double now)
{
    mtree_status_t status = MTREE_OK;

    if (handshake->state == EXCHANGING &&
        coll_mtree_message_test(&handshake->sent, &status) &&
        coll_mtree_message_test(&handshake->received, &status)) {
        handshake_connect(handshake, now);
    }
    if (handshake->state == DIALING) {
        return handshake_dial(handshake, now);
    }
    if (handshake->state == AWAITING &&
        coll_mtree_message_test(&handshake->received, NULL)) {
        handshake->reason =
            own.port == 0 ? "this end cannot listen" : "it cannot connect";
        return handshake->theirs->result != 0 ? 1 : -1;
    }
    return 0;
}

int coll_mtree_handshake_sockets(coll_mtree_handshake_t *handshake, int *sockets)
{
    for (int i = 0; i < handshake->num_connections; i++) {
        coll_mtree_socket_tune(handshake->sockets[i]);
        sockets[i] = handshake->sockets[i];
        handshake->sockets[i] = -1;
    }
    return handshake->num_connections;
}

const char *coll_mtree_handshake_reason(const coll_mtree_handshake_t *handshake)
{
    return handshake->reason;
}

void coll_mtree_handshakes_close(void)
{
    mtree_tcp_listener_destroy(listener);
    listener = NULL;
}

void coll_mtree_handshake_end(coll_mtree_handshake_t *handshake)
{
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        if (handshake->sockets[i] >= 0) {
            (void)close(handshake->sockets[i]);
        }
    }
    mtree_tcp_dialer_destroy(handshake->dialer);
    explicit_bzero(handshake->key, sizeof(handshake->key));
    explicit_bzero(&handshake->shared, sizeof(handshake->shared));
    coll_mtree_message_abandon(&handshake->sent, handshake->mine);
    coll_mtree_message_abandon(&handshake->received, handshake->theirs);
    free(handshake);
}
