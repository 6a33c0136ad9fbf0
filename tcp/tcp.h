/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between two processes over several TCP connections of mtree's own.
 *
 * A *peer* is another process, with the connections to it.  A *session* is what both do
 * together at a time, such as one call; its messages have tags and are matched in the
 * order in which they were sent.  Messages wait in the peer's queue, and the first of two
 * connections that takes more gets the next one; more than two take turns; those over
 * cables of their own carry what these can.  So messages may arrive in any order: the
 * receiver finds the receive that each belongs to by its number, and reads it into its
 * place.
 *
 * There are no acknowledgements but TCP's own: a synchronous send ends when the peer's
 * kernel has it, as the own kernel says when it is asked.  Kernels hold little that is
 * not sent, so the connection that takes more is one that is about to send it.
 *
 * Nothing waits and there is no thread.  One thread at a time may call; completions are
 * collected and handed out by mtree_tcp_take().
 */
#ifndef MTREE_TCP_TCP_H
#define MTREE_TCP_TCP_H

#include "base/list.h"
#include "schedule/transport.h"
#include "tcp/frame.h"
#include "tcp/tls.h"

#include <stdbool.h>

/* Connections to a peer. */
#define MTREE_TCP_CONNECTIONS 16

/* Bytes that a session may send before its peer has begun it. */
#define MTREE_TCP_AHEAD ((size_t)1 << 20)

/* Bytes that came before their receives, of all sessions of a peer, beyond which nothing
 * more of sessions is read that have begun. */
#define MTREE_TCP_EARLY ((size_t)16 << 20)

typedef struct mtree_tcp mtree_tcp_t;
typedef struct mtree_tcp_peer mtree_tcp_peer_t;
typedef struct mtree_tcp_session mtree_tcp_session_t;

/*
 * After a peer is lost in the midst of messages nothing goes on for @a grace seconds:
 * whoever ends the job because a process has ended says so in them.  MTREE_ERR_IO: the
 * kernel has no more descriptors, which is logged.
 */
mtree_status_t mtree_tcp_create(double grace, mtree_tcp_t **tcp_p);

/* With all of its peers. */
void mtree_tcp_destroy(mtree_tcp_t *tcp);

/* A descriptor that poll(2) finds readable when mtree_tcp_poll() has something to do; of
 * @a tcp. */
int mtree_tcp_descriptor(const mtree_tcp_t *tcp);

/* Connections to peers of @a tcp that are to be made, or made again. */
int mtree_tcp_num_missing(const mtree_tcp_t *tcp);

/* Seconds within which mtree_tcp_poll() is to be called all the same: kernels tell nobody
 * when a message has arrived.  Infinite: there is no need. */
double mtree_tcp_patience(const mtree_tcp_t *tcp);

/* Read and write what the sockets have and take; how many messages have ended. */
int mtree_tcp_poll(mtree_tcp_t *tcp);

/* Take the completions of messages that have ended: @a taken (`link`) is made a list of
 * them.  Call the functions of such a list; how many.  Or both. */
void mtree_tcp_take(mtree_tcp_t *tcp, mtree_list_t *taken);
int mtree_tcp_call(mtree_list_t *taken);
int mtree_tcp_hand_out(mtree_tcp_t *tcp);

/* Memory that all who share it may take together; bytes. */
typedef struct {
    size_t most, used;
} mtree_tcp_budget_t;

/*
 * A peer without connections: messages wait.  @a name is for the log.
 *
 * Its connections are lost when its kernel says nothing for @a silence seconds; with 0
 * they are when the own kernel gives up, which may take a quarter of an hour or for ever.
 * What it sends before sessions with it have begun here takes memory of @a budget (NULL:
 * there is no limit), which stays.  A peer that takes more is lost.
 */
mtree_tcp_peer_t *mtree_tcp_peer_create(mtree_tcp_t *tcp, const char *name, int silence,
                                        mtree_tcp_budget_t *budget);
void mtree_tcp_peer_destroy(mtree_tcp_peer_t *peer);

/* Does the link to @a peer carry all that it can?  False: no packets wait before it, and
 * sends wait for those that were lost. */
bool mtree_tcp_peer_is_full(const mtree_tcp_peer_t *peer);

/* What follows from what the kernel says of a peer's connections. */
typedef enum {
    MTREE_TCP_TUNING_NONE,   /* nothing: all of them are used */
    MTREE_TCP_TUNING_WIDTH,  /* how many are used: as many as the planned rate needs */
    MTREE_TCP_TUNING_CONTROL /* and their congestion control: where losses would make it
                                more than two, one with BBR if the kernel lets it */
} mtree_tcp_tuning_t;

/* Use @a socket, too, which is connected, and which it takes over even on failure.  With
 * @a key all that it carries is encrypted; NULL: nothing is. */
void mtree_tcp_peer_connect(mtree_tcp_peer_t *peer, int socket,
                            const mtree_tls_key_t *key);

/* After a failure, which is logged once, all of its messages end with
 * MTREE_ERR_TRANSPORT, and so do all later ones. */
void mtree_tcp_peer_fail(mtree_tcp_peer_t *peer, const char *reason);

/* Called with a message that waits for connections: of a send the @a bytes, else the
 * place for them. */
typedef void (*mtree_tcp_reroute_t)(void *owner, int rank, bool sends, uint32_t tag,
                                    void *bytes, size_t length, mtree_completion_t *done);

/* The peer never had connections and gets none: hand its messages back in order, and
 * forget its sessions. */
void mtree_tcp_peer_reroute(mtree_tcp_peer_t *peer, mtree_tcp_reroute_t reroute);

/*
 * Begin the session @a key, or the one that @a owner has begun under it, which is planned
 * to send @a rate bits/s (0: not known).
 */
mtree_tcp_session_t *mtree_tcp_session_begin(mtree_tcp_peer_t *peer,
                                             const mtree_tcp_key_t *key, int rank,
                                             double rate, void *owner);

/*
 * The owner of the session @a key, if that has begun here, has no use for it any more:
 * all of its messages on this side have ended.  With @a is_failed they end now, with
 * MTREE_ERR_TRANSPORT at the next mtree_tcp_take(), and what comes for it is thrown away.
 * Both ends may begin another one with its key when it has ended at both.
 */
void mtree_tcp_session_end(mtree_tcp_peer_t *peer, const mtree_tcp_key_t *key,
                           bool is_failed);

/* As mtree_transport_ops_t has it; @a length in bytes.  A synchronous send is done when
 * the peer's kernel has it, or, while others of its session follow, as many bytes.  A
 * receive whose message is longer ends with MTREE_ERR_INVALID, and the message is thrown
 * away. */
mtree_status_t mtree_tcp_send(mtree_tcp_session_t *session, uint32_t tag,
                              const void *bytes, size_t length, bool synchronous,
                              mtree_completion_t *done);
mtree_status_t mtree_tcp_recv(mtree_tcp_session_t *session, uint32_t tag, void *bytes,
                              size_t length, mtree_completion_t *done);

#endif
