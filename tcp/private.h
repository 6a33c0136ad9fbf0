/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connections of a process, in layers, each of which calls those before it: message.c
 * (messages), session.c (which message belongs to which receive), held.c (what a
 * connection may have to write again), connection.c (one socket), tuning.c (how many of
 * these are used), peer.c (what they send, and their end) with dial.c (how they are made)
 * and redial.c (those that are lost), and tcp.c (life, polling and what the owners of
 * sessions ask for).
 */
#ifndef MTREE_TCP_PRIVATE_H
#define MTREE_TCP_PRIVATE_H

#include "base/hash.h"
#include "tcp/dial.h"
#include "tcp/dialer.h"
#include "tcp/polled_time.h"

typedef struct mtree_tcp_message mtree_tcp_message_t;
typedef struct mtree_tcp_connection mtree_tcp_connection_t;

/* One message, sent or received. */
struct mtree_tcp_message {
    mtree_list_t link; /* in a queue or a flow; a link of its own while it moves */
    mtree_tcp_peer_t *peer;
    mtree_tcp_session_t *session; /* which may have ended when only the other end needs
                                      the message */
    mtree_completion_t *done;     /* NULL: nobody waits for its end */
    mtree_tcp_frame_t frame;
    unsigned char header[MTREE_TCP_HEADER];
    size_t moved;   /* of a send: bytes of header and payload that were written */
    uint64_t end;   /* of a send: bytes of its socket up to its last */
    uint64_t until; /* the same of bytes of frames, of all sockets of the connection */
    char *bytes;
    bool is_owned;                 /* `bytes` is freed with the message */
    bool is_synchronous;           /* a send ends when the peer's kernel has it, about */
    bool has_arrived;              /* of one that came early: all of it */
    mtree_tcp_message_t *taker;    /* of one that is arriving early: its receive */
    mtree_hash_link_t by_sequence; /* of one that came early, in its flow */
};

/* The messages with one tag of a session. */
typedef struct {
    mtree_list_t link;
    mtree_hash_link_t by_tag;
    uint32_t next_sent, next_posted; /* numbers */
    mtree_list_t posted;             /* receives that nothing has come for */
    mtree_list_t early;              /* what has come, or is coming, before its receive */
    mtree_hash_table_t
        by_sequence; /* the same: a peer may send very many, in any order */
} mtree_tcp_flow_t;

struct mtree_tcp_session {
    mtree_list_t link;
    mtree_hash_link_t by_key; /* a peer may begin very many */
    mtree_tcp_peer_t *peer;
    mtree_tcp_key_t key;
    int rank; /* of the peer, as the owner counts */
    void *owner;
    bool has_begun; /* here */
    bool is_open;   /* the other end has begun it */
    bool is_abandoned;
    size_t ahead, early; /* bytes sent before that; received before it has begun here */
    size_t charged;      /* to the peer's budget, of the latter with what keeps it */
    int owed;            /* sessions that ended here before the peer began them */
    mtree_list_t held;   /* sends that wait for it */
    mtree_list_t flows;  /* of the tags that are in use, which may be few of many */
    mtree_hash_table_t flow_of; /* by tag */
};

/* At making a connection (tcp/dial.c). */
typedef struct {
    uint32_t number; /* of the last attempt: that stands, or of who dials that began */
    int at;          /* of the addresses */
    mtree_tcp_dialer_t dialer; /* its tries are those since the loss */
    mtree_tcp_polled_time_t lost, refused;
} mtree_tcp_attempt_t;

/*
 * Tail loss probes: short frames behind the last message that a connection has to send.
 *
 * TCP learns of a lost packet by those that arrive behind it.  Nothing is behind the last
 * one before a schedule pauses, so the sender would wait for its timeout, several round
 * trips of a long link.  Kernels probe after two round trips (RFC 8985, section 7), but
 * not while they recover from an earlier loss, and where packets are lost at random they
 * recover most of the time.  So mtree sends probes of its own until all is acknowledged.
 *
 * All zero: nothing was written yet.
 */
typedef struct {
    uint64_t written; /* bytes of the connection, when it was looked at last */
    int num;          /* probes since the last message */
    double due;       /* when the next one is, in seconds of a steady clock */
} mtree_tail_probe_t;

struct mtree_tcp_connection {
    mtree_tcp_peer_t *peer;
    int socket;
    double rate;  /* bits/s of the link that it has for itself; 0: all share one */
    bool is_cut;  /* its socket has failed, and nothing else is wrong */
    bool is_lost; /* it has no socket: it is to be made again */
    int doubts;   /* times that it was made again since it was silent, until all that it
                     sent is acknowledged */
    mtree_tcp_attempt_t attempt;
    int home;                            /* the address that it is dialed at first */
    bool has_failed_over;                /* from its own link to another one */
    mtree_tcp_polled_time_t failed_over; /* since then */
    uint64_t
        progress; /* bytes of frames that both ends had read when it was made again */
    double made;  /* when that was; 0: never */
    bool remade;  /* it was made more than once */
    int stalls;   /* how often it was in vain, in a row */
    int mss;      /* of its next socket: long packets are lost on its way; 0: any */
    uint64_t sent, received; /* bytes of frames that are written to their end; read */
    const char *reason;      /* why it has failed; until the next system call */
    mtree_tls_t *tls;        /* NULL: its bytes travel as they are */
    bool is_readable, is_writable; /* as far as is known */
    bool is_ending;                /* the end of the stream or an error has come */
    /* The messages in the order of their bytes: those that are written and not confirmed
     * (synchronous sends, and where it may be lost all), and `sending` with those behind
     * it, which are to be written again. */
    mtree_list_t stream;
    mtree_tcp_message_t *sending; /* the first that is not all written; NULL: all are */
    uint64_t written;             /* bytes of the socket */
    bool is_unacknowledged;       /* some of these, at the last look */
    mtree_tail_probe_t tail_probe;
    double unacknowledged; /* clock since which none of it was, as far as is known; 0 */
    unsigned char header[MTREE_TCP_HEADER];
    size_t header_bytes;          /* of the next frame, read so far */
    bool is_stuck;                /* its frame is for nobody yet */
    bool is_reading;              /* a frame's payload */
    mtree_tcp_message_t *reading; /* NULL: it is thrown away */
    char *place;                  /* of the rest of the payload */
    size_t left;                  /* bytes of it */
};

struct mtree_tcp_peer {
    mtree_list_t link;
    mtree_tcp_t *tcp;
    char name[64];
    bool has_failed;
    char reason[96]; /* why it has */
    bool is_logged;  /* that */
    bool is_active;  /* a connection has become readable or writable */
    mtree_list_t sessions;
    mtree_hash_table_t by_key;       /* the same */
    mtree_list_t urgent, queue;      /* messages to send; those without bytes go first */
    size_t early;                    /* bytes */
    size_t num_early;                /* messages that these are of */
    double rate;                     /* bits/s planned to it; 0: not known */
    double pace;                     /* bits/s of each connection at most; 0: not set */
    mtree_tcp_budget_t *budget;      /* NULL: no limit */
    int silence;                     /* seconds of it after which it is lost; 0: never */
    mtree_tcp_dial_t *dial;          /* NULL: it is lost with its first connection */
    bool has_met;                    /* this end, as its answer says */
    mtree_tcp_polled_time_t meeting; /* since they began to */
    bool is_draining;                /* what came on a connection that is lost is read */
    bool has_bbr;                    /* its first connection, by what was measured */
    int num_running;                 /* sessions that have begun here and not ended */
    mtree_tcp_tuning_t tuning;
    bool is_full;     /* packets to it wait, or nobody has looked */
    double part;      /* mtree_tcp_width()'s, lately */
    double next_look; /* when that is due again */
    int num_connections;
    int most;  /* of them, the first ones may be used */
    int width; /* of these, the first ones are */
    int turn;  /* where these take turns: the one that is asked first */
    mtree_tcp_connection_t connections[MTREE_TCP_CONNECTIONS];
};

struct mtree_tcp {
    int epoll;
    double grace; /* seconds */
    mtree_list_t peers;
    mtree_list_t completed; /* mtree_completion_t */
    mtree_list_t spare;     /* messages */
    bool has_more;          /* a connection that is active was left before its end */
    int num_completed;      /* since the last poll */
    int num_unacknowledged; /* connections that are */
    int num_lost;           /* connections that are to be made again */
    double next_look;       /* at those; steady clock */
};

/* message.c: a message to @a peer of @a session (NULL: of none). */
mtree_tcp_message_t *mtree_tcp_message_create(mtree_tcp_peer_t *peer,
                                              mtree_tcp_session_t *session);
void mtree_tcp_message_free(mtree_tcp_message_t *message);

/* @a message has ended; it is freed. */
void mtree_tcp_message_complete(mtree_tcp_message_t *message, mtree_status_t status);

/* End those of @a list that are of @a session and that somebody waits for (NULL: all)
 * with MTREE_ERR_TRANSPORT. */
void mtree_tcp_messages_fail(mtree_list_t *list, const mtree_tcp_session_t *session);

/* If somebody waits for @a message, it ends with @a status for them, and what it has to
 * send is sent from a copy, so that frames stay whole. */
void mtree_tcp_message_leave_copy(mtree_tcp_message_t *message, mtree_status_t status);

/* Put @a message, whose frame is complete, into the queue of its peer. */
void mtree_tcp_message_enqueue(mtree_tcp_message_t *message);

/* session.c: the session @a key.  Where there is none, find has NULL, and get makes it.
 */
mtree_tcp_session_t *mtree_tcp_session_find(mtree_tcp_peer_t *peer,
                                            const mtree_tcp_key_t *key);
mtree_tcp_session_t *mtree_tcp_session_get(mtree_tcp_peer_t *peer,
                                           const mtree_tcp_key_t *key);

/* @a session has begun here, or ends: the peer's budget has back what it took. */
void mtree_tcp_session_discharge(mtree_tcp_session_t *session);

/* The flow of @a tag, made if there is none. */
mtree_tcp_flow_t *mtree_tcp_session_flow(mtree_tcp_session_t *session, uint32_t tag);

/* Post the receive @a message.  True: connections that waited for one may go on; false:
 * one of them is reading it. */
bool mtree_tcp_flow_post(mtree_tcp_flow_t *flow, mtree_tcp_message_t *message);

/* Find the place of the payload of @a frame, which has come over @a connection: its
 * `reading`, which is NULL before.  1: that is set, or nobody wants the payload; 0: there
 * is no room until a receive is posted; -1: the peer breaks the rules: its `reason`. */
int mtree_tcp_session_place(mtree_tcp_connection_t *connection,
                            const mtree_tcp_frame_t *frame);

/* All of the payload of @a message has come. */
void mtree_tcp_session_arrived(mtree_tcp_message_t *message);

/* All messages of @a session on this side have ended, and its owner has no use for it. */
void mtree_tcp_session_close(mtree_tcp_session_t *session);

/* End all receives, and what is held, with MTREE_ERR_TRANSPORT. */
void mtree_tcp_session_fail(mtree_tcp_session_t *session);
void mtree_tcp_session_free(mtree_tcp_session_t *session);

/* held.c: `sending` is written: it ends, or is kept until the peer's kernel has it. */
void mtree_tcp_connection_hold(mtree_tcp_connection_t *connection);

/* The peer has read @a position bytes of frames: have all behind them written again.
 * False: that cannot be, or they are not kept. */
bool mtree_tcp_connection_rewind(mtree_tcp_connection_t *connection, uint64_t position);

/* End those of @a session (NULL: of any) in the stream with MTREE_ERR_TRANSPORT. */
void mtree_tcp_connection_give_up(mtree_tcp_connection_t *connection,
                                  const mtree_tcp_session_t *session);

/*
 * End the messages under way that the peer's kernel has.  Of those of a session as many
 * end as would be there without the bytes that are @a missing, wherever these are, so
 * that the next ones may follow.  Its last one waits until it is among those that are not
 * @a unacknowledged: what lies behind it may be of others.
 */
void mtree_tcp_connection_confirm(mtree_tcp_connection_t *connection);
void mtree_tcp_connection_confirm_by(mtree_tcp_connection_t *connection,
                                     size_t unacknowledged, size_t missing);

/* connection.c: set connection @a number of @a peer up, which has @a socket at first. */
void mtree_tcp_connection_init(mtree_tcp_peer_t *peer, int number, int socket);

/* Use @a socket, which @a connection takes over, and encrypt what it carries with @a key
 * (NULL: nothing is encrypted).  False, here and below: the connection
 * has failed, which its peer is to be told. */
bool mtree_tcp_connection_open(mtree_tcp_connection_t *connection, int socket,
                               const mtree_tls_key_t *key);

/* Close its socket. */
void mtree_tcp_connection_close(mtree_tcp_connection_t *connection);

/* Read until nothing is left, or for a while. */
bool mtree_tcp_connection_read(mtree_tcp_connection_t *connection);

/* Write `sending`; when all of it is written, the next one follows.  With nothing else to
 * be written, begin with @a message, which is in no list. */
bool mtree_tcp_connection_write(mtree_tcp_connection_t *connection);
bool mtree_tcp_connection_send(mtree_tcp_connection_t *connection,
                               mtree_tcp_message_t *message);

/* See what the peer's kernel has got, of which this one tells nobody, and send a tail
 * loss probe where one is due. */
bool mtree_tcp_connection_look(mtree_tcp_connection_t *connection, double now);

/* Has the peer's kernel acknowledged nothing for so many @a seconds, at @a now? */
bool mtree_tcp_connection_is_silent(mtree_tcp_connection_t *connection, double seconds,
                                    double now);

/* tuning.c: the first connection that is not lost; NULL: all are. */
const mtree_tcp_connection_t *mtree_tcp_peer_standing(const mtree_tcp_peer_t *peer);

/* A session begins that is planned at @a rate bits/s; 0: not known. */
void mtree_tcp_peer_plan(mtree_tcp_peer_t *peer, double rate);

/* Use the new connections, all of them or as many as are needed. */
void mtree_tcp_peer_use(mtree_tcp_peer_t *peer, mtree_tcp_tuning_t tuning);

/* The connection that is to take a message of @a bytes; NULL: none can. */
mtree_tcp_connection_t *mtree_tcp_peer_next(mtree_tcp_peer_t *peer, size_t bytes);

/* Look at the connections, now and then, while messages are under way. */
void mtree_tcp_peer_tune(mtree_tcp_peer_t *peer, double now);

/* peer.c: a message ends or is refused since @a peer has failed: log that, once. */
void mtree_tcp_peer_log(mtree_tcp_peer_t *peer);

/* Send what the connections take. */
void mtree_tcp_peer_pump(mtree_tcp_peer_t *peer);

/* dial.c: go on with the attempt at @a connection, or begin the next one when that is
 * due. One that stands is lost when the peer's kernel answers. */
void mtree_tcp_attempt_poll(mtree_tcp_connection_t *connection, double now);

/* redial.c: the socket of @a connection has failed: it is to be made again.  False: its
 * peer has failed. */
bool mtree_tcp_connection_lose(mtree_tcp_connection_t *connection);

/* Make connections that are lost. */
void mtree_tcp_peer_make_again(mtree_tcp_peer_t *peer, double now);

/* A receive was posted: connections that waited for one go on. */
void mtree_tcp_peer_unstick(mtree_tcp_peer_t *peer);

/* Read what has come, and send what the connections take. */
void mtree_tcp_peer_work(mtree_tcp_peer_t *peer);

/* Look at the connections while not all that they sent is acknowledged. */
void mtree_tcp_peer_look(mtree_tcp_peer_t *peer, double now);

#endif
