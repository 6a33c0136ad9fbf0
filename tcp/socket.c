/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tcp/socket.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Bytes that the kernel may hold of a connection beyond those on the wire: what it takes
 * is what it can send soon. */
#define UNSENT 32768

/*
 * Microseconds beyond a round trip after which the kernel sends again what nothing says
 * has arrived, of BBR, where it is Linux 6.15 or newer.  Others wait 0.2 s, ten trips of
 * a long link.  Where packets are lost all the time no probe of the kernel's shows sooner
 * that the last ones of a call are missing.  After a pause longer than that cubic and
 * reno begin again with few packets; BBR does not.
 */
#define TIMEOUT 50000
/* Milliseconds between two times that the kernel sends it again, at most, where it is
 * Linux 6.15 or newer: a link that was gone is used soon when it is back. */
#define MOST_TIMEOUT 1000
#ifndef TCP_RTO_MAX_MS
#define TCP_RTO_MAX_MS 44
#endif
#ifndef TCP_RTO_MIN_US
#define TCP_RTO_MIN_US 45
#endif

/* Times that a peer is asked before it is gone. */
#define PROBES 3

/* Connections that the kernel keeps for a process that is away: as many as it lets. */
#define BACKLOG 4096

/* The least port that is not root's. */
#define FIRST_USER_PORT 1024

/* Have the connection of @a fd begin at @a source, at a port that the system chooses when
 * the other end is known; false: the system refuses. */
static bool bind_source(int fd, const mtree_address_t *source)
{
    struct sockaddr_storage storage;
    int yes = 1;

    if (source == NULL || source->family == AF_UNSPEC) {
        return true;
    }
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof(yes));
    return bind(fd, (struct sockaddr *)&storage,
                mtree_address_to_sockaddr(source, 0, &storage)) == 0;
}

int mtree_tcp_socket_connect(const mtree_address_t *source,
                             const mtree_address_t *address, uint16_t port, int mss)
{
    struct sockaddr_storage storage;
    socklen_t length = mtree_address_to_sockaddr(address, port, &storage);
    int fd = socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd >= 0 && mss > 0) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
    }
    if (fd >= 0 && (!bind_source(fd, source) ||
                    (connect(fd, (struct sockaddr *)&storage, length) != 0 &&
                     errno != EINPROGRESS))) {
        int error = errno;

        (void)close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

int mtree_tcp_socket_connected(int fd)
{
    struct pollfd poll_one = {.fd = fd, .events = POLLOUT};
    socklen_t length = sizeof(int);
    int error = 0;

    if (poll(&poll_one, 1, 0) <= 0) {
        return 0;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
        return -1;
    }
    errno = error;
    return error == 0 ? 1 : -1;
}

/* A port at *text_p, which moves behind it; 0: there is none. */
static uint16_t read_port(const char **text_p)
{
    char *end;
    unsigned long port;

    if (!isdigit((unsigned char)**text_p)) {
        return 0;
    }
    port = strtoul(*text_p, &end, 10);
    *text_p = end;
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

mtree_status_t mtree_tcp_ports_parse(const char *text, mtree_tcp_ports_t *ports)
{
    *ports = (mtree_tcp_ports_t){0, 0};
    if (text == NULL || *text == '\0') {
        return MTREE_OK;
    }
    ports->first = ports->last = read_port(&text);
    if (*text == '-') {
        text++;
        ports->last = read_port(&text);
    }
    return *text == '\0' && ports->first > 0 && ports->last >= ports->first
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}

mtree_tcp_ports_t mtree_tcp_ports_from(int least, int number)
{
    long last = (long)least + number - 1;

    /* The default of btl/tcp's range ends one before the last port. */
    if (least < 1 || least > UINT16_MAX || number < 1 ||
        (least <= FIRST_USER_PORT && last >= UINT16_MAX - 1)) {
        return (mtree_tcp_ports_t){0, 0};
    }
    return (mtree_tcp_ports_t){(uint16_t)least,
                               (uint16_t)(last < UINT16_MAX ? last : UINT16_MAX)};
}

/* The port that @a fd was bound to. */
static uint16_t bound_port(int fd)
{
    struct sockaddr_storage storage;
    socklen_t length = sizeof(storage);

    if (getsockname(fd, (struct sockaddr *)&storage, &length) != 0) {
        return 0;
    }
    return ntohs(storage.ss_family == AF_INET6
                     ? ((struct sockaddr_in6 *)&storage)->sin6_port
                     : ((struct sockaddr_in *)&storage)->sin_port);
}

/* Listens on @a port; negative: it is not free. */
static int open_listening(sa_family_t family, uint16_t port)
{
    const mtree_address_t any = {.family = family};
    struct sockaddr_storage storage;
    socklen_t length = mtree_address_to_sockaddr(&any, port, &storage);
    int no = 0, on = 1,
        fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    /* A program that is started again takes its port again, though connections of the
     * last one linger. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
    }
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&storage, length) != 0 ||
                    listen(fd, BACKLOG) != 0)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

/* Another process may be bound to a port, too, and who listens first has it. */
int mtree_tcp_socket_listen(const mtree_tcp_ports_t *ports, uint16_t *port_p)
{
    static const sa_family_t families[] = {AF_INET6, AF_INET};
    int fd = -1;

    for (int i = 0; i < 2; i++) {
        for (unsigned port = ports->first; fd < 0 && port <= ports->last; port++) {
            fd = open_listening(families[i], (uint16_t)port);
        }
    }
    *port_p = fd < 0 ? 0 : bound_port(fd);
    return fd;
}

int mtree_tcp_socket_accept(int listener)
{
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

mtree_address_t mtree_tcp_socket_peer(int fd)
{
    struct sockaddr_storage storage;
    socklen_t length = sizeof(storage);

    return getpeername(fd, (struct sockaddr *)&storage, &length) == 0
               ? mtree_address_from_sockaddr((struct sockaddr *)&storage)
               : (mtree_address_t){.family = AF_UNSPEC};
}

void mtree_tcp_socket_close(int fd)
{
    (void)shutdown(fd, SHUT_RDWR);
    (void)close(fd);
}

bool mtree_tcp_socket_send(int fd, const void *bytes, size_t length)
{
    return send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

bool mtree_tcp_socket_is_later(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

void mtree_tcp_piece_expect(mtree_tcp_piece_t *piece, size_t length)
{
    piece->count = 0;
    piece->wanted = length;
}

int mtree_tcp_piece_receive(mtree_tcp_piece_t *piece, int fd)
{
    ssize_t count =
        recv(fd, piece->bytes + piece->count, piece->wanted - piece->count, 0);

    if (count <= 0) {
        return count < 0 && mtree_tcp_socket_is_later() ? 0 : -1;
    }
    piece->count += (size_t)count;
    return piece->count == piece->wanted;
}

static void set_option(int fd, int option, int value)
{
    (void)setsockopt(fd, IPPROTO_TCP, option, &value, sizeof(value));
}

static bool set_congestion(int fd, const char *name)
{
    return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) ==
           0;
}

static bool uses_bbr(int fd)
{
    char name[16] = "";
    socklen_t length = sizeof(name) - 1;

    return getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) == 0 &&
           strcmp(name, MTREE_TCP_BBR) == 0;
}

bool mtree_tcp_socket_may_have(const char *congestion)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_let = fd >= 0 && set_congestion(fd, congestion);

    if (fd >= 0) {
        (void)close(fd);
    }
    return is_let;
}

void mtree_tcp_socket_restart_bbr(int fd)
{
    /* Every kernel has it and lets every process use it. */
    if (set_congestion(fd, "reno")) {
        (void)set_congestion(fd, MTREE_TCP_BBR);
    }
}

bool mtree_tcp_socket_tune(int fd, const char *congestion)
{
    bool is_set;

    set_option(fd, TCP_NODELAY, 1);
    set_option(fd, TCP_NOTSENT_LOWAT, UNSENT);
    set_option(fd, TCP_RTO_MAX_MS, MOST_TIMEOUT);
    is_set = congestion == NULL || set_congestion(fd, congestion);
    if (uses_bbr(fd)) {
        set_option(fd, TCP_RTO_MIN_US, TIMEOUT);
    }
    return is_set;
}

/* The slow start threshold of who has lost nothing, or takes no notice of losses. */
#define NO_THRESHOLD 0x7fffffffU

static bool read_info(int fd, struct tcp_info *info)
{
    socklen_t length = sizeof(*info);

    memset(info, 0, sizeof(*info));
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) == 0;
}

void mtree_tcp_socket_keep(int fd, int seconds, bool is_read)
{
    int keeps = seconds > 0, step = seconds < PROBES + 1 ? 1 : seconds / (PROBES + 1);

    set_option(fd, TCP_KEEPIDLE, step);
    set_option(fd, TCP_KEEPINTVL, step);
    set_option(fd, TCP_KEEPCNT, PROBES);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &keeps, sizeof(keeps));
    set_option(fd, TCP_USER_TIMEOUT, is_read ? 1000 * seconds : 0);
}

double mtree_tcp_socket_silence(int fd)
{
    struct tcp_info info;

    /* A peer without room for more is asked now and then, and answers. */
    return read_info(fd, &info) && (info.tcpi_unacked > 0 || info.tcpi_probes > 1)
               ? 1e-3 * info.tcpi_last_ack_recv
               : 0;
}

void mtree_tcp_socket_acknowledge(int fd)
{
    set_option(fd, TCP_QUICKACK, 1);
}

size_t mtree_tcp_socket_unacknowledged(int fd)
{
    int bytes;

    return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

size_t mtree_tcp_socket_missing(int fd, size_t *unacknowledged_p)
{
    size_t bytes = mtree_tcp_socket_unacknowledged(fd), beyond;
    struct tcp_info info;

    *unacknowledged_p = bytes;
    if (bytes == 0 || !read_info(fd, &info)) {
        return bytes;
    }
    /* What has arrived behind a lost packet is not missing.  Packets may be shorter. */
    beyond = (size_t)info.tcpi_sacked * info.tcpi_snd_mss;
    return beyond < bytes ? bytes - beyond : 0;
}

bool mtree_tcp_socket_report(int fd, mtree_tcp_report_t *report)
{
    struct tcp_info info;

    if (!read_info(fd, &info) || info.tcpi_min_rtt == 0 ||
        info.tcpi_min_rtt == UINT32_MAX) {
        return false;
    }
    report->window = info.tcpi_snd_ssthresh >= NO_THRESHOLD
                         ? INFINITY
                         : (double)info.tcpi_snd_mss *
                               fmax(info.tcpi_snd_cwnd, info.tcpi_snd_ssthresh);
    report->trip = info.tcpi_rtt * 1e-6;
    report->min_trip = info.tcpi_min_rtt * 1e-6;
    report->pace = uses_bbr(fd) ? 8 * (double)info.tcpi_pacing_rate : 0;
    return true;
}

void mtree_tcp_socket_pace(int fd, double rate)
{
    /* All ones: no limit. */
    unsigned long bytes = rate < 0x1p40 ? (unsigned long)(rate / 8) : ~0UL;

    (void)setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes, sizeof(bytes));
}
