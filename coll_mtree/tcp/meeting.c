/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/meeting.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/transport/transport.h"

#include "tcp/dialer.h"
#include "tcp/socket.h"

#include <stdlib.h>
#include <unistd.h>

/* Tags, from the first of them. */
enum { HELLO, VERDICT };

typedef enum {
    TELLING, /* the hellos are under way */
    DIALING, /* this end makes the connections */
    AWAITING /* the other end does, and will say whether they stand */
} state_t;

/* What each end tells the other.  Sent as it is: all processes of a communicator store
 * numbers in the same way. */
typedef struct {
    uint32_t port; /* 0: this end cannot listen */
    int num_addresses;
    mtree_address_t addresses[MTREE_TCP_ADDRESSES];
    mtree_tcp_secret_t secret;
} hello_t;

typedef struct {
    hello_t hello;
    uint32_t verdict; /* of who dials: the connections stand */
} told_t;

struct coll_mtree_meeting {
    int rank;
    int num_connections;
    state_t state;
    const char *reason;
    coll_mtree_message_t *sent, *received;
    mtree_tcp_dialer_t *dialer;
    int sockets[MTREE_TCP_CONNECTIONS]; /* -1: it is not there */
    told_t *mine, *theirs;              /* kept until the messages have ended */
};

static mtree_tcp_listener_t *listener; /* NULL: nobody is expected */
static hello_t own;                    /* its secret is drawn once */
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
    if (mtree_tcp_ports_parse(coll_mtree_params.tcp_ports, &ports) != MTREE_OK) {
        mtree_error("coll_mtree_tcp_ports %s is no range of ports (FIRST-LAST)",
                    coll_mtree_params.tcp_ports);
    } else if (is_drawn) {
        listener = mtree_tcp_listener_create(&ports, &own.secret, admit, NULL);
    }
    own.port = listener == NULL ? 0 : mtree_tcp_listener_port(listener);
}

coll_mtree_meeting_t *coll_mtree_meeting_begin(int rank, int num_connections,
                                               mtree_tcp_admit_t admit)
{
    coll_mtree_meeting_t *meeting = calloc(1, sizeof(*meeting));
    coll_mtree_channel_t channel = world_channel();

    if (meeting == NULL) {
        return NULL;
    }
    if (listener == NULL) {
        begin_to_listen(admit);
    }
    meeting->rank = rank;
    meeting->num_connections = num_connections;
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        meeting->sockets[i] = -1;
    }
    meeting->mine = calloc(1, sizeof(told_t));
    meeting->theirs = calloc(1, sizeof(told_t));
    if (meeting->mine != NULL && meeting->theirs != NULL) {
        meeting->mine->hello = own;
        meeting->received = coll_mtree_message_recv(
            &channel, rank, HELLO, &meeting->theirs->hello, sizeof(hello_t));
        meeting->sent = coll_mtree_message_send(&channel, rank, HELLO,
                                                &meeting->mine->hello, sizeof(hello_t));
    }
    if (meeting->received == NULL || meeting->sent == NULL) {
        coll_mtree_meeting_end(meeting);
        meeting = NULL;
    }
    return meeting;
}

bool coll_mtree_meeting_admit(coll_mtree_meeting_t *meeting, uint32_t number, int socket)
{
    const mtree_tcp_greeting_t welcome = {.secret = meeting->theirs->hello.secret};

    if (meeting->state != AWAITING || number >= (uint32_t)meeting->num_connections ||
        !mtree_tcp_greeting_send(socket, &welcome)) {
        return false;
    }
    /* Who dials has given the earlier one up. */
    if (meeting->sockets[number] >= 0) {
        (void)close(meeting->sockets[number]);
    }
    meeting->sockets[number] = socket;
    return true;
}

void coll_mtree_meetings_listen(double now)
{
    if (listener != NULL) {
        mtree_tcp_listener_poll(listener, now);
    }
}

/* The hellos have come and gone: who dials begins to, the other waits. */
static void meeting_part(coll_mtree_meeting_t *meeting, double now)
{
    const hello_t *theirs = &meeting->theirs->hello;
    coll_mtree_channel_t channel = world_channel();
    mtree_tcp_dial_t dial = {.rank = (uint32_t)coll_mtree_world_rank(),
                             .mine = own.secret,
                             .theirs = theirs->secret,
                             .num_addresses = theirs->num_addresses,
                             .port = (uint16_t)theirs->port,
                             .num_connections = meeting->num_connections};

    if (coll_mtree_world_rank() > meeting->rank) {
        meeting->state = AWAITING;
        meeting->received =
            coll_mtree_message_recv(&channel, meeting->rank, VERDICT,
                                    &meeting->theirs->verdict, sizeof(uint32_t));
        return;
    }
    memcpy(dial.addresses, theirs->addresses, sizeof(dial.addresses));
    meeting->state = DIALING;
    meeting->dialer = mtree_tcp_dialer_create(&dial, now);
}

/* As mtree_tcp_dialer_poll(); the other end is told. */
static int meeting_dial(coll_mtree_meeting_t *meeting, double now)
{
    coll_mtree_channel_t channel = world_channel();
    int stands =
        meeting->dialer == NULL ? -1 : mtree_tcp_dialer_poll(meeting->dialer, now);

    if (stands == 0) {
        return 0;
    }
    meeting->reason =
        meeting->theirs->hello.port == 0 ? "it cannot listen" : "it does not answer";
    if (stands > 0) {
        mtree_tcp_dialer_sockets(meeting->dialer, meeting->sockets);
    }
    meeting->mine->verdict = stands > 0;
    meeting->sent = coll_mtree_message_send(&channel, meeting->rank, VERDICT,
                                            &meeting->mine->verdict, sizeof(uint32_t));
    return stands;
}

int coll_mtree_meeting_look(coll_mtree_meeting_t *meeting, double now)
{
    mtree_status_t status = MTREE_OK;

    if (meeting->state == TELLING && coll_mtree_message_test(&meeting->sent, &status) &&
        coll_mtree_message_test(&meeting->received, &status)) {
        meeting_part(meeting, now);
    }
    if (meeting->state == DIALING) {
        return meeting_dial(meeting, now);
    }
    if (meeting->state == AWAITING && coll_mtree_message_test(&meeting->received, NULL)) {
        meeting->reason = own.port == 0 ? "this end cannot listen" : "it cannot connect";
        return meeting->theirs->verdict != 0 ? 1 : -1;
    }
    return 0;
}

int coll_mtree_meeting_sockets(coll_mtree_meeting_t *meeting, int *sockets)
{
    const char *congestion = coll_mtree_params.tcp_congestion_control;
    bool is_set = true;

    for (int i = 0; i < meeting->num_connections; i++) {
        is_set = mtree_tcp_socket_tune(
                     meeting->sockets[i],
                     congestion == NULL || congestion[0] == '\0' ? NULL : congestion) &&
                 is_set;
        sockets[i] = meeting->sockets[i];
        meeting->sockets[i] = -1;
    }
    if (!is_set) {
        mtree_warn("TCP connections keep the kernel's congestion control: %s is not one "
                   "of net.ipv4.tcp_allowed_congestion_control",
                   congestion);
    }
    return meeting->num_connections;
}

const char *coll_mtree_meeting_reason(const coll_mtree_meeting_t *meeting)
{
    return meeting->reason;
}

void coll_mtree_meetings_close(void)
{
    mtree_tcp_listener_destroy(listener);
    listener = NULL;
}

void coll_mtree_meeting_end(coll_mtree_meeting_t *meeting)
{
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        if (meeting->sockets[i] >= 0) {
            (void)close(meeting->sockets[i]);
        }
    }
    mtree_tcp_dialer_destroy(meeting->dialer);
    coll_mtree_message_abandon(&meeting->sent, meeting->mine);
    coll_mtree_message_abandon(&meeting->received, meeting->theirs);
    free(meeting);
}
