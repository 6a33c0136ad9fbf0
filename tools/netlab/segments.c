/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/netlab/segments.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/virtio_net.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define IP_AT       (sizeof(struct virtio_net_hdr) + ETH_HLEN)
#define LEAST_BYTES (IP_AT + sizeof(struct iphdr) + sizeof(struct tcphdr))

/* A large segment, its headers copied out, since a packet need not be aligned. */
typedef struct {
    struct virtio_net_hdr offload;
    struct iphdr ip;
    struct tcphdr tcp;
    size_t tcp_at, data_at, data_bytes;
} segments_t;

/* False when @a packet is not a large segment whose checksum the kernel finishes. */
static bool segments_read(const char *packet, size_t length, segments_t *segments)
{
    struct ethhdr ethernet;

    if (length < LEAST_BYTES) {
        return false;
    }
    memcpy(&segments->offload, packet, sizeof(segments->offload));
    memcpy(&ethernet, packet + sizeof(segments->offload), sizeof(ethernet));
    if ((segments->offload.gso_type & ~VIRTIO_NET_HDR_GSO_ECN) !=
            VIRTIO_NET_HDR_GSO_TCPV4 ||
        segments->offload.gso_size == 0 || ethernet.h_proto != htons(ETH_P_IP) ||
        (segments->offload.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) == 0) {
        return false;
    }
    memcpy(&segments->ip, packet + IP_AT, sizeof(segments->ip));
    segments->tcp_at = IP_AT + segments->ip.ihl * 4U;
    if (segments->tcp_at + sizeof(segments->tcp) > length) {
        return false;
    }
    memcpy(&segments->tcp, packet + segments->tcp_at, sizeof(segments->tcp));
    segments->data_at = segments->tcp_at + segments->tcp.doff * 4U;
    if (segments->data_at >= length) {
        return false;
    }
    segments->data_bytes = length - segments->data_at;
    return true;
}

int netlab_segments_count(const char *packet, size_t length)
{
    segments_t segments;

    if (!segments_read(packet, length, &segments)) {
        return 1;
    }
    return (int)((segments.data_bytes + segments.offload.gso_size - 1) /
                 segments.offload.gso_size);
}

/* The sum of 16 bit words of @a bytes, which are even, that checksums are made of. */
static uint32_t sum_words(const void *words, size_t bytes)
{
    const char *at = words;
    uint32_t sum = 0;
    uint16_t word;

    for (size_t i = 0; i < bytes; i += sizeof(word)) {
        memcpy(&word, at + i, sizeof(word));
        sum += word;
    }
    return sum;
}

static uint16_t fold(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

/* The sum over TCP's pseudo header, which the kernel completes with that of the data. */
static uint16_t pseudo_sum(const struct iphdr *ip, size_t tcp_bytes)
{
    return fold(sum_words(&ip->saddr, 2 * sizeof(ip->saddr)) + htons(IPPROTO_TCP) +
                htons((uint16_t)tcp_bytes));
}

size_t netlab_segments_cut(const char *packet, size_t length, int first, int count,
                           char *out)
{
    segments_t segments;
    size_t from, bytes;
    bool is_last;

    if (!segments_read(packet, length, &segments)) {
        memcpy(out, packet, length);
        return length;
    }
    from = (size_t)first * segments.offload.gso_size;
    bytes = (size_t)count * segments.offload.gso_size;
    is_last = from + bytes >= segments.data_bytes;
    bytes = is_last ? segments.data_bytes - from : bytes;

    memcpy(out, packet, segments.data_at);
    memcpy(out + segments.data_at, packet + segments.data_at + from, bytes);

    segments.ip.tot_len = htons((uint16_t)(segments.data_at - IP_AT + bytes));
    segments.ip.id = htons((uint16_t)(ntohs(segments.ip.id) + first));
    segments.ip.check = 0;
    memcpy(out + IP_AT, &segments.ip, sizeof(segments.ip));
    segments.ip.check = (uint16_t)~fold(sum_words(out + IP_AT, segments.ip.ihl * 4U));
    memcpy(out + IP_AT, &segments.ip, sizeof(segments.ip));

    segments.tcp.seq = htonl(ntohl(segments.tcp.seq) + (uint32_t)from);
    segments.tcp.fin &= is_last;
    segments.tcp.psh &= is_last;
    segments.tcp.check =
        pseudo_sum(&segments.ip, segments.data_at - segments.tcp_at + bytes);
    memcpy(out + segments.tcp_at, &segments.tcp, sizeof(segments.tcp));

    if (bytes <= segments.offload.gso_size) {
        segments.offload.gso_type = VIRTIO_NET_HDR_GSO_NONE;
        segments.offload.gso_size = 0;
    }
    memcpy(out, &segments.offload, sizeof(segments.offload));
    return segments.data_at + bytes;
}
