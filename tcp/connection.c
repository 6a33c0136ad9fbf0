/* SPDX-License-Identifier: BSD-3-Clause */
/* One socket: frames out of it and into it, as far as it goes without waiting. */
#include "tcp/private.h"

#include "tcp/socket.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Bytes thrown away at a time, and read: Linux reads no 2 GiB at once, and what is less
 * than was wanted is taken for all that there was. */
#define TRASH     65536
#define MOST_READ ((size_t)1 << 30)

/* Reads of a connection, one after the other: a peer may send faster than this end reads.
 */
#define MOST_READS 256

/* Seconds without a message before the first probe, and between two: a part of a long
 * round trip, since the kernel sends again what three packets behind have passed. */
#define PROBE_GAP 0.004

/* Probes, after which the kernel's timeout is due and what is missing is no packet. */
#define MOST_PROBES 50

static bool connection_fail(mtree_tcp_connection_t *connection, const char *reason)
{
    connection->reason = reason;
    return false;
}

void mtree_tcp_connection_init(mtree_tcp_peer_t *peer, int number, int socket)
{
    mtree_tcp_connection_t *connection = &peer->connections[number];

    *connection = (mtree_tcp_connection_t){.peer = peer, .socket = socket};
    mtree_list_init(&connection->stream);
    connection->attempt.dialer.socket = -1;
}

bool mtree_tcp_connection_open(mtree_tcp_connection_t *connection, int socket,
                               const mtree_tls_key_t *key)
{
    mtree_tcp_peer_t *peer = connection->peer;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = connection};

    connection->socket = socket;
    connection->is_readable = connection->is_writable = true;
    connection->is_ending = false;
    connection->written = 0;
    connection->tail_probe = (mtree_tail_probe_t){.written = 0};
    mtree_tcp_socket_keep(socket, peer->silence, false);
    if (peer->pace > 0) {
        mtree_tcp_socket_pace(socket, peer->pace);
    }
    if (key != NULL) {
        connection->tls = mtree_tls_create(socket, key);
    }
    return epoll_ctl(peer->tcp->epoll, EPOLL_CTL_ADD, socket, &event) == 0 ||
           connection_fail(connection, strerror(errno));
}

/* All that was written is acknowledged, or nobody wants to know. */
static void connection_acknowledged(mtree_tcp_connection_t *connection)
{
    connection->peer->tcp->num_unacknowledged -= connection->is_unacknowledged;
    connection->is_unacknowledged = false;
    connection->unacknowledged = 0;
    connection->doubts = 0;
}

/* A socket that a forked child holds stays in the epoll set when it is closed, and its
 * events name a connection that is gone. */
void mtree_tcp_connection_close(mtree_tcp_connection_t *connection)
{
    connection_acknowledged(connection);
    mtree_tls_destroy(connection->tls);
    connection->tls = NULL;
    (void)epoll_ctl(connection->peer->tcp->epoll, EPOLL_CTL_DEL, connection->socket,
                    NULL);
    mtree_tcp_socket_close(connection->socket);
    connection->socket = -1;
    connection->is_readable = connection->is_writable = false;
}

/* Its socket has failed. */
static bool connection_cut(mtree_tcp_connection_t *connection, const char *reason)
{
    connection->is_cut = true;
    return connection_fail(connection, reason);
}

/* Reading or writing has failed, by errno. */
static bool connection_break(mtree_tcp_connection_t *connection)
{
    return connection->tls != NULL && errno == MTREE_TLS_ERRNO
               ? connection_fail(connection, MTREE_TLS_REASON)
               : connection_cut(connection, strerror(errno));
}

/* All of the payload has come. */
static void connection_finish(mtree_tcp_connection_t *connection)
{
    mtree_tcp_message_t *message = connection->reading;

    connection->is_reading = false;
    connection->reading = NULL;
    if (message != NULL) {
        mtree_tcp_session_arrived(message);
    }
}

/* A header is complete: find the place of what follows; false: it has failed. */
static bool connection_place(mtree_tcp_connection_t *connection)
{
    mtree_tcp_frame_t frame;
    int placed;

    if (mtree_tcp_frame_read(connection->header, &frame) != MTREE_OK) {
        return connection_fail(connection, "it sent what is no message");
    }
    placed = mtree_tcp_session_place(connection, &frame);
    connection->is_stuck = placed == 0;
    if (placed != 1) {
        return placed == 0;
    }
    connection->header_bytes = 0;
    connection->is_reading = true;
    connection->place = connection->reading == NULL ? NULL : connection->reading->bytes;
    connection->left = frame.length;
    if (connection->left == 0) {
        connection_finish(connection);
    }
    return true;
}

/* @a bytes were read: to the end of the payload, and then of the next header. */
static void connection_advance(mtree_tcp_connection_t *connection, size_t bytes)
{
    size_t payload = bytes < connection->left ? bytes : connection->left;

    connection->received += bytes;
    connection->left -= payload;
    if (connection->place != NULL) {
        connection->place += payload;
    }
    connection->header_bytes += bytes - payload;
    if (connection->is_reading && connection->left == 0) {
        connection_finish(connection);
    }
}

/* Read once: the rest of the payload and the next header together. */
static ssize_t connection_receive(mtree_tcp_connection_t *connection, size_t *wanted_p)
{
    static char trash[TRASH];
    struct iovec parts[2];
    int count = 0;
    bool is_last = true;

    if (connection->left > 0) {
        bool is_trash = connection->place == NULL;
        size_t most = is_trash ? TRASH : MOST_READ;

        is_last = connection->left <= most;
        parts[count++] = (struct iovec){is_trash ? trash : connection->place,
                                        is_last ? connection->left : most};
    }
    if (is_last) {
        parts[count++] = (struct iovec){connection->header + connection->header_bytes,
                                        MTREE_TCP_HEADER - connection->header_bytes};
    }
    *wanted_p = parts[0].iov_len + (count > 1 ? parts[1].iov_len : 0);
    return connection->tls == NULL
               ? readv(connection->socket, parts, count)
               : mtree_tls_read(connection->tls, parts[0].iov_base, parts[0].iov_len);
}

/* There may be more, and others have their turn first. */
static void connection_pause(mtree_tcp_connection_t *connection)
{
    connection->peer->is_active = true;
    connection->peer->tcp->has_more = true;
}

/* As mtree_tcp_connection_read(); *has_read_p: there was something. */
static bool connection_read_some(mtree_tcp_connection_t *connection, bool *has_read_p)
{
    int reads = 0;

    while (true) {
        size_t wanted;
        ssize_t bytes;

        if (connection->header_bytes == MTREE_TCP_HEADER &&
            !connection_place(connection)) {
            return false;
        }
        if (connection->is_stuck || !connection->is_readable) {
            return true;
        }
        if (reads++ == MOST_READS) {
            connection_pause(connection);
            return true;
        }
        bytes = connection_receive(connection, &wanted);
        if (bytes < 0 && errno == EAGAIN) {
            connection->is_readable = false;
        } else if (bytes < 0) {
            return connection_break(connection);
        } else if (bytes == 0) {
            /* What the peer's kernel has got is done, though nobody has looked yet. */
            mtree_tcp_connection_confirm(connection);
            return connection_cut(connection, "the connection was closed");
        } else {
            /* Less than wanted is all that there was, but by TLS.  The end of the stream
             * may have had its event already. */
            connection->is_readable = (size_t)bytes == wanted || connection->is_ending ||
                                      connection->tls != NULL;
            connection_advance(connection, (size_t)bytes);
            *has_read_p = true;
        }
    }
}

bool mtree_tcp_connection_read(mtree_tcp_connection_t *connection)
{
    bool has_read = false, is_sound = connection_read_some(connection, &has_read);

    /* Where messages go both ways the kernel waits 40 ms for one to go back before it
     * acknowledges the last packets.  The peer's send would end that much later. */
    if (is_sound && has_read && !connection->is_reading) {
        mtree_tcp_socket_acknowledge(connection->socket);
    }
    return is_sound;
}

/* @a written bytes have been written altogether. */
static void connection_wrote(mtree_tcp_connection_t *connection, uint64_t written)
{
    if (written > connection->written && !connection->is_unacknowledged) {
        connection->is_unacknowledged = true;
        connection->peer->tcp->num_unacknowledged++;
    }
    connection->written = written;
}

/* Write a record of @a parts; one header is to make no packet of its own. */
static ssize_t connection_encrypt(mtree_tcp_connection_t *connection,
                                  const struct iovec parts[2])
{
    char record[MTREE_TLS_RECORD];
    const size_t header = parts[0].iov_len, room = sizeof(record) - header;
    const size_t payload = parts[1].iov_len < room ? parts[1].iov_len : room;
    const char *bytes = parts[1].iov_base;
    ssize_t count;

    if (header > 0) {
        memcpy(record, parts[0].iov_base, header);
        if (payload > 0) {
            memcpy(record + header, bytes, payload);
        }
        bytes = record;
    }
    count = mtree_tls_write(connection->tls, bytes, header + payload);
    connection_wrote(connection, mtree_tls_written(connection->tls));
    return count;
}

/* Write once; the bytes of @a parts that the kernel has taken. */
static ssize_t connection_send(mtree_tcp_connection_t *connection,
                               const struct iovec parts[2])
{
    struct msghdr vector = {.msg_iov = (struct iovec *)parts, .msg_iovlen = 2};
    ssize_t bytes;

    if (connection->tls != NULL) {
        return connection_encrypt(connection, parts);
    }
    bytes = sendmsg(connection->socket, &vector, MSG_NOSIGNAL);
    connection_wrote(connection, connection->written + (bytes < 0 ? 0 : (size_t)bytes));
    return bytes;
}

bool mtree_tcp_connection_send(mtree_tcp_connection_t *connection,
                               mtree_tcp_message_t *message)
{
    mtree_list_append(&connection->stream, &message->link);
    connection->sending = message;
    return mtree_tcp_connection_write(connection);
}

bool mtree_tcp_connection_write(mtree_tcp_connection_t *connection)
{
    mtree_tcp_message_t *message = connection->sending;
    size_t total = MTREE_TCP_HEADER + message->frame.length;

    while (message->moved < total) {
        size_t header =
            message->moved < MTREE_TCP_HEADER ? MTREE_TCP_HEADER - message->moved : 0;
        size_t payload = message->moved - (MTREE_TCP_HEADER - header);
        struct iovec parts[] = {{message->header + MTREE_TCP_HEADER - header, header},
                                {message->bytes, message->frame.length - payload}};
        ssize_t bytes;

        if (payload > 0) {
            parts[1].iov_base = message->bytes + payload;
        }
        bytes = connection_send(connection, parts);
        if (bytes < 0 && errno == EAGAIN) {
            connection->is_writable = false;
            return true;
        }
        if (bytes < 0) {
            return connection_break(connection);
        }
        message->moved += (size_t)bytes;
    }
    mtree_tcp_connection_hold(connection);
    return true;
}

/* Some of what was written is not acknowledged; false: the connection has failed. */
static bool connection_probe_tail(mtree_tcp_connection_t *connection, double now)
{
    mtree_tail_probe_t *probe = &connection->tail_probe;
    mtree_tcp_message_t *message;

    if (connection->sending != NULL || !connection->is_writable) {
        return true;
    }
    if (connection->written != probe->written) {
        *probe =
            (mtree_tail_probe_t){.written = connection->written, .due = now + PROBE_GAP};
    }
    if (now < probe->due || probe->num >= MOST_PROBES) {
        return true;
    }
    message = mtree_tcp_message_create(connection->peer, NULL);
    message->frame.kind = MTREE_TCP_TAIL_PROBE;
    mtree_tcp_frame_write(&message->frame, message->header);
    if (!mtree_tcp_connection_send(connection, message)) {
        return false;
    }
    probe->written = connection->written;
    probe->num++;
    probe->due = now + PROBE_GAP;
    return true;
}

bool mtree_tcp_connection_is_silent(mtree_tcp_connection_t *connection, double seconds,
                                    double now)
{
    double *since = &connection->unacknowledged;

    if (*since > 0 && now >= *since + seconds) {
        /* Its silence may have begun before anything was written. */
        *since = fmax(*since, now - mtree_tcp_socket_silence(connection->socket));
    }
    return *since > 0 && now >= *since + seconds;
}

bool mtree_tcp_connection_look(mtree_tcp_connection_t *connection, double now)
{
    const int silence = connection->peer->silence;
    bool is_done;

    if (!connection->is_unacknowledged) {
        return true;
    }
    if (connection->unacknowledged == 0) {
        connection->unacknowledged = now;
    }
    if (silence > 0 && mtree_tcp_connection_is_silent(connection, silence, now)) {
        return connection_cut(connection, "its host is silent");
    }
    is_done = mtree_tcp_socket_unacknowledged(connection->socket) == 0;
    mtree_tcp_connection_confirm(connection);
    if (!is_done) {
        return connection_probe_tail(connection, now);
    }
    connection_acknowledged(connection);
    return true;
}
