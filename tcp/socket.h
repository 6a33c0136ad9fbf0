/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets that never wait.
 */
#ifndef MTREE_TCP_SOCKET_H
#define MTREE_TCP_SOCKET_H

#include "base/address.h"
#include "base/status.h"
#include "tcp/width.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a segment that every network carries (RFC 9293, 3.7.1). */
#define MTREE_TCP_DEFAULT_MSS 536

/* Begin to connect to @a port of @a address from the address @a source (NULL or of no
 * family: which one the system chooses); negative: the system refuses, by errno.
 * Segments have at most @a mss bytes, both ways; 0: what the interfaces allow. */
int mtree_tcp_socket_connect(const mtree_address_t *source,
                             const mtree_address_t *address, uint16_t port, int mss);

/* Is @a socket connected?  1: it is, 0: not yet, -1: it will not be, by errno. */
int mtree_tcp_socket_connected(int socket);

/* Inclusive; 0 and 0: any that the system chooses. */
typedef struct {
    uint16_t first, last;
} mtree_tcp_ports_t;

/* Read "FIRST-LAST", one port, or nothing (NULL or "": any).  MTREE_ERR_INVALID: it is
 * something else; nothing is logged. */
mtree_status_t mtree_tcp_ports_parse(const char *text, mtree_tcp_ports_t *ports);

/* @a number ports from @a least on, as btl/tcp's parameters give them; any, where these
 * are all that users may take, or none. */
mtree_tcp_ports_t mtree_tcp_ports_from(int least, int number);

/* Listen on the first of @a ports that is free, over IPv6 and IPv4, or over IPv4 where
 * there is no IPv6; negative: none is. */
int mtree_tcp_socket_listen(const mtree_tcp_ports_t *ports, uint16_t *port_p);

/* The next connection to @a listener; negative: there is none. */
int mtree_tcp_socket_accept(int listener);

/* The address of the other end of @a socket; none where it is not connected. */
mtree_address_t mtree_tcp_socket_peer(int socket);

/* End the connection of @a socket, and close it.  Children that the program has forked
 * may hold it, and it would stand as long as they live. */
void mtree_tcp_socket_close(int socket);

/* Bytes of the longest piece of a greeting. */
#define MTREE_TCP_PIECE 96

/* Send @a length bytes, which a new connection takes at once; false: it did not. */
bool mtree_tcp_socket_send(int socket, const void *bytes, size_t length);

/* Has the last call on a socket failed, by errno, only since it is to be made later? */
bool mtree_tcp_socket_is_later(void);

/* A piece of known length, while it is received. */
typedef struct {
    unsigned char bytes[MTREE_TCP_PIECE];
    size_t count, wanted;
} mtree_tcp_piece_t;

/* The next piece has @a length bytes. */
void mtree_tcp_piece_expect(mtree_tcp_piece_t *piece, size_t length);

/* 1: the piece is complete; 0: not yet; -1: the connection is closed.  Nothing behind it
 * is read. */
int mtree_tcp_piece_receive(mtree_tcp_piece_t *piece, int socket);

/* BBR, among congestion controls. */
#define MTREE_TCP_BBR "bbr"

/* Set up a connected @a socket for messages, with the @a congestion control of that name
 * (NULL: the kernel's default); false: the kernel does not let it have that one. */
bool mtree_tcp_socket_tune(int socket, const char *congestion);

/* Does the kernel let this process have the @a congestion control of that name? */
bool mtree_tcp_socket_may_have(const char *congestion);

/* Have BBR, which controls the congestion of @a socket, find the link's rate anew. */
void mtree_tcp_socket_restart_bbr(int socket);

/* Have @a socket send @a rate bits/s at most, evenly; infinite: as fast as it can. */
void mtree_tcp_socket_pace(int socket, double rate);

/* From now on have @a socket fail some @a seconds (0: never) after the peer's kernel has
 * said its last word, if nothing is on its way to it.  Else mtree_tcp_socket_silence()
 * tells.  With @a is_read it fails, too, when what it sends is not taken for so long: not
 * for a peer that may leave it unread for long. */
void mtree_tcp_socket_keep(int socket, int seconds, bool is_read);

/* Seconds for which the peer's kernel has not acknowledged what is on its way to it; 0:
 * nothing is, or what waits has no room there. */
double mtree_tcp_socket_silence(int socket);

/* Tell the peer's kernel at once what has been read from @a socket. */
void mtree_tcp_socket_acknowledge(int socket);

/* Bytes written to @a socket that the peer's kernel has not acknowledged. */
size_t mtree_tcp_socket_unacknowledged(int socket);

/* Bytes written to @a socket that have not arrived at the peer's kernel, about, whatever
 * else of them is there; and those that are not acknowledged. */
size_t mtree_tcp_socket_missing(int socket, size_t *unacknowledged_p);

/* What the kernel knows of a connected @a socket; false: nothing. */
bool mtree_tcp_socket_report(int socket, mtree_tcp_report_t *report);

#endif
