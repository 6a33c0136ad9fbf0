/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/traceroute.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/rtnetlink.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As traceroute: probe i goes to the port this much above it. */
#define FIRST_PORT 33434

/* Linux answers a host that has sent many probes once per second. */
#define SECOND_TRY_SECONDS 1.05

struct mtree_traceroute {
    int socket;
    mtree_traceroute_probe_t *probes;
    int num_probes;
    int num_silent;
    double started;
    double timeout;
    bool asked_twice;
};

/* Errors that report answers to earlier packets, which are in the error queue. */
static bool is_answer(int error)
{
    return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
           error == EPROTO || error == EACCES;
}

static void probe_send(mtree_traceroute_t *hops, int number)
{
    mtree_traceroute_probe_t *probe = &hops->probes[number];
    struct sockaddr_storage to;
    socklen_t length = mtree_address_to_sockaddr(&probe->to, FIRST_PORT + number, &to);
    bool ipv4 = probe->to.family == AF_INET;
    int tries = 3;

    setsockopt(hops->socket, ipv4 ? IPPROTO_IP : IPPROTO_IPV6,
               ipv4 ? IP_TTL : IPV6_UNICAST_HOPS, &probe->limit, sizeof(probe->limit));
    while (sendto(hops->socket, "", 1, MSG_DONTWAIT, (struct sockaddr *)&to, length) <
               0 &&
           is_answer(errno) && --tries > 0) {}
}

static void send_silent(mtree_traceroute_t *hops)
{
    for (int i = 0; i < hops->num_probes; i++) {
        if (hops->probes[i].answer == MTREE_HOP_SILENT) {
            probe_send(hops, i);
        }
    }
}

/* The answer that an ICMP message is. */
static mtree_traceroute_answer_t answer_of(const struct sock_extended_err *error)
{
    bool ipv4 = error->ee_origin == SO_EE_ORIGIN_ICMP;

    if (!ipv4 && error->ee_origin != SO_EE_ORIGIN_ICMP6) {
        return MTREE_HOP_SILENT;
    }
    if (error->ee_type == (ipv4 ? ICMP_TIME_EXCEEDED : ICMP6_TIME_EXCEEDED)) {
        return MTREE_HOP_ROUTER;
    }
    return error->ee_type == (ipv4 ? ICMP_DEST_UNREACH : ICMP6_DST_UNREACH) &&
                   error->ee_code == (ipv4 ? ICMP_PORT_UNREACH : ICMP6_DST_UNREACH_NOPORT)
               ? MTREE_HOP_TARGET
               : MTREE_HOP_REFUSED;
}

static void take_answer(mtree_traceroute_t *hops, int number,
                        const struct sock_extended_err *error)
{
    mtree_traceroute_probe_t *probe = &hops->probes[number];

    if (probe->answer != MTREE_HOP_SILENT) {
        return;
    }
    probe->answer = answer_of(error);
    if (probe->answer == MTREE_HOP_SILENT) {
        return;
    }
    probe->from = mtree_address_from_sockaddr(SO_EE_OFFENDER(error));
    hops->num_silent--;
}

/* The number of the probe that was sent to @a to, or -1. */
static int probe_number(const mtree_traceroute_t *hops, const struct sockaddr_storage *to)
{
    int port = to->ss_family == AF_INET
                   ? ntohs(((const struct sockaddr_in *)to)->sin_port)
                   : ntohs(((const struct sockaddr_in6 *)to)->sin6_port);
    mtree_address_t address = mtree_address_from_sockaddr((const struct sockaddr *)to);
    int number = port - FIRST_PORT;

    return number >= 0 && number < hops->num_probes &&
                   mtree_address_equals(&hops->probes[number].to, &address)
               ? number
               : -1;
}

/* One message of the error queue; false when there is none. */
static bool receive_answer(mtree_traceroute_t *hops)
{
    struct sockaddr_storage to;
    char packet[64], control[512];
    struct iovec part = {.iov_base = packet, .iov_len = sizeof(packet)};
    struct msghdr message = {.msg_name = &to,
                             .msg_namelen = sizeof(to),
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    const struct sock_extended_err *error = NULL;
    int number;

    if (recvmsg(hops->socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
        return false;
    }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL;
         c = CMSG_NXTHDR(&message, c)) {
        if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
            (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR)) {
            error = (const struct sock_extended_err *)CMSG_DATA(c);
        }
    }
    number = message.msg_namelen > 0 ? probe_number(hops, &to) : -1;
    if (error != NULL && number >= 0) {
        take_answer(hops, number, error);
    }
    return true;
}

bool mtree_traceroute_advance(mtree_traceroute_t *hops)
{
    double waited = mtree_clock_seconds() - hops->started;

    while (receive_answer(hops)) {}
    if (hops->num_silent == 0) {
        return true;
    }
    if (!hops->asked_twice && waited >= SECOND_TRY_SECONDS) {
        hops->asked_twice = true;
        send_silent(hops);
    }
    return waited >= SECOND_TRY_SECONDS + hops->timeout;
}

static mtree_status_t open_socket(const mtree_address_t *own, int *socket_p)
{
    struct sockaddr_storage here;
    socklen_t length = mtree_address_to_sockaddr(own, 0, &here);
    int fd = socket(own->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool ipv4 = own->family == AF_INET;
    int on = 1;

    if (fd < 0 || bind(fd, (struct sockaddr *)&here, length) != 0 ||
        setsockopt(fd, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? IP_RECVERR : IPV6_RECVERR,
                   &on, sizeof(on)) != 0) {
        mtree_debug("routes cannot be asked for: %s", strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return MTREE_ERR_IO;
    }
    *socket_p = fd;
    return MTREE_OK;
}

mtree_status_t mtree_traceroute_start(const mtree_address_t *own,
                                      mtree_traceroute_probe_t *probes, int num_probes,
                                      double timeout, mtree_traceroute_t **hops_p)
{
    mtree_traceroute_t *hops;
    mtree_status_t status;

    if (num_probes > MTREE_HOPS_MAX_PROBES) {
        mtree_debug("more than %d probes of routes at a time", MTREE_HOPS_MAX_PROBES);
        return MTREE_ERR_LIMIT;
    }
    hops = mtree_calloc(1, sizeof(*hops));
    hops->probes = probes;
    hops->num_probes = hops->num_silent = num_probes;
    hops->timeout = timeout;
    status = open_socket(own, &hops->socket);
    if (status != MTREE_OK) {
        free(hops);
        return status;
    }
    for (int i = 0; i < num_probes; i++) {
        probes[i].answer = MTREE_HOP_SILENT;
        probes[i].from = (mtree_address_t){.family = AF_UNSPEC};
    }
    hops->started = mtree_clock_seconds();
    send_silent(hops);
    *hops_p = hops;
    return MTREE_OK;
}

void mtree_traceroute_destroy(mtree_traceroute_t *hops)
{
    if (hops != NULL) {
        close(hops->socket);
        free(hops);
    }
}

typedef struct {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr attribute;
    unsigned char to[16];
} route_request_t;

static bool send_request(int fd, const mtree_address_t *to)
{
    size_t bytes = mtree_address_bytes(to->family);
    route_request_t request = {
        .header = {.nlmsg_type = RTM_GETROUTE,
                   .nlmsg_flags = NLM_F_REQUEST,
                   .nlmsg_seq = 1},
        .route = {.rtm_family = (unsigned char)to->family,
                  .rtm_dst_len = (unsigned char)(8 * bytes)},
        .attribute = {.rta_type = RTA_DST, .rta_len = (unsigned short)RTA_LENGTH(bytes)}};

    memcpy(request.to, to->bytes, bytes);
    request.header.nlmsg_len =
        (unsigned)(NLMSG_LENGTH(sizeof(request.route)) + RTA_SPACE(bytes));
    return send(fd, &request, request.header.nlmsg_len, 0) ==
           (ssize_t)request.header.nlmsg_len;
}

/* Device and gateway from the kernel's answer; false when it names no device. */
static bool read_answer(struct nlmsghdr *header, mtree_kernel_route_t *first_hop)
{
    struct rtmsg *route = NLMSG_DATA(header);
    struct rtattr *a = RTM_RTA(route);
    size_t left = RTM_PAYLOAD(header);
    size_t length;

    first_hop->device = 0;
    first_hop->gateway = (mtree_address_t){.family = AF_UNSPEC};
    /* RTA_OK() and RTA_NEXT() mix signs. */
    while (left >= sizeof(*a) && a->rta_len >= sizeof(*a) && a->rta_len <= left) {
        if (a->rta_type == RTA_OIF && RTA_PAYLOAD(a) == sizeof(int)) {
            memcpy(&first_hop->device, RTA_DATA(a), sizeof(int));
        } else if (a->rta_type == RTA_GATEWAY &&
                   RTA_PAYLOAD(a) == mtree_address_bytes(route->rtm_family)) {
            first_hop->gateway.family = route->rtm_family;
            memcpy(first_hop->gateway.bytes, RTA_DATA(a), RTA_PAYLOAD(a));
        }
        length = RTA_ALIGN((size_t)a->rta_len);
        left -= length < left ? length : left;
        a = (struct rtattr *)((char *)a + length);
    }
    return first_hop->device > 0;
}

mtree_status_t mtree_kernel_route_find(const mtree_address_t *to,
                                       mtree_kernel_route_t *first_hop_p)
{
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;
    mtree_kernel_route_t first_hop;
    mtree_status_t status = MTREE_ERR_IO;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

    if (fd < 0) {
        return MTREE_ERR_IO;
    }
    if (send_request(fd, to)) {
        ssize_t length = recv(fd, &answer, sizeof(answer), 0);

        if (length > 0 && NLMSG_OK(&answer.header, (unsigned)length) &&
            answer.header.nlmsg_type == RTM_NEWROUTE &&
            read_answer(&answer.header, &first_hop)) {
            *first_hop_p = first_hop;
            status = MTREE_OK;
        }
    }
    close(fd);
    return status;
}
