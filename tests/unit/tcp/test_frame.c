/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of frames, and ranges of ports: what is written is read, and nothing else. */
#include "tcp/frame.h"
#include "tcp/socket.h"
#include "tests/unit/runner.h"

static const mtree_tcp_frame_t frame = {
    MTREE_TCP_MESSAGE, {1, UINT32_MAX, 3}, MTREE_TCP_TAGS - 1, 5, MTREE_TCP_LONGEST};

UNIT_LOOP(what_is_written_is_read, 0, 5)
{
    static const size_t lengths[] = {0, 1, UINT32_MAX, (size_t)5 << 30,
                                     MTREE_TCP_LONGEST};
    unsigned char header[MTREE_TCP_HEADER];
    mtree_tcp_frame_t written = frame, read;

    written.length = lengths[_i];
    mtree_tcp_frame_write(&written, header);
    unit_ok(mtree_tcp_frame_read(header, &read));
    ck_assert_int_eq(read.kind, written.kind);
    ck_assert_int_eq(memcmp(&read.key, &written.key, sizeof(read.key)), 0);
    ck_assert_uint_eq(read.tag, written.tag);
    ck_assert_uint_eq(read.sequence, written.sequence);
    ck_assert_uint_eq(read.length, lengths[_i]);
}

UNIT_TEST(nothing_else_is_read)
{
    mtree_tcp_frame_t wrong[] = {frame, frame, frame, frame, frame};
    unsigned char header[MTREE_TCP_HEADER];
    mtree_tcp_frame_t read;

    wrong[0].kind = (mtree_tcp_kind_t)(MTREE_TCP_TAIL_PROBE + 1);
    wrong[1].tag = MTREE_TCP_TAGS;
    wrong[2].length = MTREE_TCP_LONGEST + 1;
    wrong[3].kind = MTREE_TCP_OPEN; /* and yet bytes follow */
    wrong[4].kind = MTREE_TCP_TAIL_PROBE;
    for (int i = 0; i < 5; i++) {
        mtree_tcp_frame_write(&wrong[i], header);
        unit_invalid(mtree_tcp_frame_read(header, &read));
    }
    /* Another version, or something else. */
    for (int i = 0; i < 4; i++) {
        mtree_tcp_frame_write(&frame, header);
        header[i] ^= 1;
        unit_invalid(mtree_tcp_frame_read(header, &read));
    }
}

static const struct {
    const char *text;
    int first, last; /* -1: it is no range */
} ranges[] = {{NULL, 0, 0},
              {"", 0, 0},
              {"22", 22, 22},
              {"50-60", 50, 60},
              {"1-65535", 1, 65535},
              {"7-7", 7, 7},
              {"0", -1, 0},
              {"0-5", -1, 0},
              {"5-", -1, 0},
              {"-5", -1, 0},
              {"6-5", -1, 0},
              {"65536", -1, 0},
              {"5-99999", -1, 0},
              {"5 6", -1, 0},
              {"5-6-7", -1, 0},
              {"x", -1, 0},
              {"+5", -1, 0},
              {" 5", -1, 0},
              {"99999999999999999999", -1, 0}};

UNIT_EACH(ports_are_read, ranges)
{
    mtree_tcp_ports_t ports;
    mtree_status_t status = mtree_tcp_ports_parse(ranges[_i].text, &ports);

    ck_assert_int_eq(status, ranges[_i].first < 0 ? MTREE_ERR_INVALID : MTREE_OK);
    ck_assert(status != MTREE_OK ||
              (ports.first == ranges[_i].first && ports.last == ranges[_i].last));
}

/* A range that was set for Open MPI's connections, behind a firewall perhaps, is kept;
 * its default is none. */
static const struct {
    int least, number, first, last;
} settings[] = {{1024, 64511, 0, 0},
                {1024, 64512, 0, 0},
                {1, 65535, 0, 0},
                {1024, 100, 1024, 1123},
                {50000, 1, 50000, 50000},
                {50000, 64511, 50000, 65535},
                {0, 10, 0, 0},
                {-1, 10, 0, 0},
                {50000, 0, 0, 0},
                {70000, 10, 0, 0},
                {2000, 2147483647, 2000, 65535}};

UNIT_EACH(ports_of_open_mpi, settings)
{
    mtree_tcp_ports_t ports =
        mtree_tcp_ports_from(settings[_i].least, settings[_i].number);

    ck_assert_int_eq(ports.first, settings[_i].first);
    ck_assert_int_eq(ports.last, settings[_i].last);
}
