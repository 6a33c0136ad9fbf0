/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/kernel_route.h"

#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr attribute;
    unsigned char to[16];
} request_t;

static bool send_request(int fd, const mtree_address_t *to)
{
    size_t bytes = mtree_address_bytes(to->family);
    request_t request = {
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
