/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large segments are counted and cut as the kernel would segment them.
 */
#include "tests/unit/runner.h"
#include "tools/netlab/segments.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/virtio_net.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>

#define GSO_SIZE 1000
#define DATA     2500 /* three packets, the last one short */

/* Unaligned, as in the relay's rings. */
typedef struct __attribute__((packed)) {
    struct virtio_net_hdr offload;
    struct ethhdr ethernet;
    struct iphdr ip;
    struct tcphdr tcp;
    char data[DATA];
} packet_t;

#define HEADERS (sizeof(packet_t) - DATA)

static packet_t large_segment(void)
{
    packet_t packet = {
        .offload = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                    .gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
                    .gso_size = GSO_SIZE},
        .ethernet.h_proto = htons(ETH_P_IP),
        .ip = {.ihl = 5,
               .id = htons(7),
               .protocol = IPPROTO_TCP,
               .saddr = htonl(0x0a010001),
               .daddr = htonl(0x0a010002)},
        .tcp = {.doff = 5, .seq = htonl(0xfffffff0), .fin = 1, .psh = 1, .ack = 1},
    };

    packet.ip.tot_len = htons(sizeof(packet.ip) + sizeof(packet.tcp) + DATA);
    for (int i = 0; i < DATA; i++) {
        packet.data[i] = (char)(i / GSO_SIZE + 'a');
    }
    return packet;
}

/* The sum of an IP header with its checksum: 0xffff when that is right. */
static unsigned header_sum(const packet_t *packet)
{
    const unsigned char *at = (const unsigned char *)&packet->ip;
    unsigned sum = 0;

    for (size_t i = 0; i < sizeof(packet->ip); i += 2) {
        sum += (unsigned)at[i] << 8 | at[i + 1];
    }
    return (sum & 0xffff) + (sum >> 16);
}

UNIT_TEST(test_count)
{
    packet_t packet = large_segment();

    ck_assert_int_eq(netlab_segments_count((char *)&packet, sizeof(packet)), 3);
    ck_assert_int_eq(netlab_segments_count((char *)&packet, HEADERS + 2 * GSO_SIZE), 2);
    ck_assert_int_eq(netlab_segments_count((char *)&packet, HEADERS), 1);
    ck_assert_int_eq(netlab_segments_count((char *)&packet, 3), 1);
    packet.ip.ihl = packet.tcp.doff = 15; /* a header that leaves nothing */
    ck_assert_int_eq(netlab_segments_count((char *)&packet, HEADERS + 30), 1);
    packet = large_segment();
    packet.offload.gso_type = VIRTIO_NET_HDR_GSO_NONE;
    ck_assert_int_eq(netlab_segments_count((char *)&packet, sizeof(packet)), 1);
}

UNIT_TEST(test_cut_from_the_front)
{
    packet_t packet = large_segment(), out = {0};

    ck_assert_uint_eq(
        netlab_segments_cut((char *)&packet, sizeof(packet), 0, 2, (char *)&out),
        HEADERS + 2 * GSO_SIZE);
    ck_assert_int_eq(out.offload.gso_type, VIRTIO_NET_HDR_GSO_TCPV4);
    ck_assert_uint_eq(ntohs(out.ip.tot_len), 40 + 2 * GSO_SIZE);
    ck_assert_uint_eq(ntohs(out.ip.id), 7);
    ck_assert_uint_eq(header_sum(&out), 0xffff);
    ck_assert_uint_eq(ntohl(out.tcp.seq), 0xfffffff0);
    ck_assert(!out.tcp.fin && !out.tcp.psh && out.tcp.ack);
    ck_assert_mem_eq(out.data, packet.data, 2 * GSO_SIZE);
}

UNIT_TEST(test_cut_the_last_one)
{
    packet_t packet = large_segment(), out = {0};
    unsigned sum = 0x0a01 + 0x0001 + 0x0a01 + 0x0002 + IPPROTO_TCP + 20 + 500;

    ck_assert_uint_eq(
        netlab_segments_cut((char *)&packet, sizeof(packet), 2, 1, (char *)&out),
        HEADERS + 500);
    ck_assert_int_eq(out.offload.gso_type, VIRTIO_NET_HDR_GSO_NONE);
    ck_assert_int_eq(out.offload.flags, VIRTIO_NET_HDR_F_NEEDS_CSUM);
    ck_assert_uint_eq(ntohs(out.ip.id), 9);
    ck_assert_uint_eq(header_sum(&out), 0xffff);
    ck_assert_uint_eq(ntohl(out.tcp.seq), 0xfffffff0 + 2 * GSO_SIZE); /* wraps around */
    ck_assert(out.tcp.fin && out.tcp.psh && out.tcp.ack);
    ck_assert_uint_eq(ntohs(out.tcp.check), sum); /* of the pseudo header */
    ck_assert_mem_eq(out.data, packet.data + 2 * GSO_SIZE, 500);
}
