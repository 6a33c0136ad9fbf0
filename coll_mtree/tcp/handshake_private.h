/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handshakes, for the two files that make them: handshake.c has those over the PML,
 * handshake_direct.c those that need none of its messages.
 */
#ifndef COLL_MTREE_TCP_HANDSHAKE_PRIVATE_H
#define COLL_MTREE_TCP_HANDSHAKE_PRIVATE_H

#include "coll_mtree/control/message.h"
#include "coll_mtree/tcp/contact.h"
#include "coll_mtree/tcp/handshake.h"

#include "tcp/dialer.h"
#include "tcp/hearing.h"

typedef enum {
    EXCHANGING,      /* both tell how they can be reached */
    DIALING,         /* this end makes the connections */
    ASKING,          /* and waits for the other's word whether they stand */
    HEARING,         /* the other end dials, and waits for this one's word */
    CALLING,         /* directly: this end makes the connections */
    AWAITING_ANSWER, /* and waits for the other's answer over them */
    AWAITING_CALL,   /* the other end makes them, and waits for that */
    ANSWERED         /* it has the answer, or will ask for it */
} state_t;

/* How a process can be reached, and what else the other end is to know. */
typedef struct {
    int num_connections;                 /* that this end may have */
    int num_heard;                       /* directly, which stand here; 0: none */
    unsigned char key[MTREE_CRYPTO_KEY]; /* public; of this handshake alone */
    coll_mtree_contact_t at;
} contact_t;

/* Of who dials: a round has ended. */
typedef struct {
    int32_t error; /* 0: the connections stand */
    uint32_t attempts[MTREE_TCP_CONNECTIONS];
} dialed_t;

/* Of who listens: what follows from that. */
typedef struct {
    uint32_t verdict;
    int32_t error; /* of accepting connections; 0: there was none */
} heard_t;

typedef struct {
    contact_t contact;
    dialed_t dialed;
    heard_t heard;
} messages_t;

struct coll_mtree_handshake {
    int rank;
    bool dials;          /* or else it listens */
    int num_awaited;     /* connections, by the listener */
    int num_connections; /* that both may have */
    state_t state;
    int error;                              /* the last one, at either end */
    unsigned char key[MTREE_CRYPTO_KEY];    /* private; where messages are encrypted */
    unsigned char shared[MTREE_CRYPTO_KEY]; /* with the other end, once both have told:
                                               `has_key` */
    bool has_key;                           /* or needs none */
    coll_mtree_message_t *sent, *received;
    double trip;    /* to the other end, seconds; 0: not known */
    int num_cables; /* that the connections take */
    mtree_cable_t cables[MTREE_TOPOLOGY_MAX_CABLES];
    mtree_tcp_dialer_t *dialer;
    mtree_tcp_hearing_t hearing;
    int num_greeted;                /* connections, of which there are greetings */
    bool may_be_answered;           /* directly */
    mtree_tcp_polled_time_t called; /* since the connections stand at this end */
    messages_t *mine, *theirs;      /* kept until the messages have ended */
};

/* Tell the other end over the PML how this one can be reached. */
void coll_mtree_handshake_introduce(coll_mtree_handshake_t *handshake);

/* Begin to dial, as often as this is called with numbers of attempts that go on. */
void coll_mtree_handshake_dial(coll_mtree_handshake_t *handshake, int num_connections);

/*
 * handshake_direct.c.  Where both ends have published how they can be reached, who dials
 * does so at once, and who listens answers over the first connection, and may send behind
 * that.  Where that takes too long who dials turns to the PML.  Who listens tells it
 * there if it has answered: the two must not disagree.
 */

/* Begin directly where that can be; else the state stays EXCHANGING. */
void coll_mtree_direct_begin(coll_mtree_handshake_t *handshake);

/* As coll_mtree_handshake_poll(); where it fails the state is EXCHANGING again. */
int coll_mtree_direct_poll(coll_mtree_handshake_t *handshake, double now);

#endif
