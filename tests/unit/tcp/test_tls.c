/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TLS between two ends of a socket pair, of which a third may touch what passes: only
 * what an end with the same key has written is read.
 */
#include "tcp/tls.h"
#include "tests/unit/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Bytes that a record adds: its header, its kind and its tag; and those of one that says
 * that the next ones have another key. */
enum { OVERHEAD = 5 + 1 + 16, KEY_UPDATE = 5 + OVERHEAD };

static int sockets[2];
static mtree_tls_t *ends[2]; /* the client and the server */

/* @a differs: the ends have not the same key. */
static void pair_create(bool differs)
{
    mtree_tls_key_t key = {{1, 2, 3}, .is_client = true};

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
    for (int end = 0; end < 2; end++) {
        ends[end] = mtree_tls_create(sockets[end], &key);
        ck_assert_ptr_nonnull(ends[end]);
        key.is_client = false;
        key.bytes[0] += differs;
    }
}

static void pair_destroy(void)
{
    for (int end = 0; end < 2 && ends[end] != NULL; end++) {
        mtree_tls_destroy(ends[end]);
        (void)close(sockets[end]);
    }
}

/* There is nothing to read at @a end, @a errno_p says why. */
static bool reads_nothing(int end, int *errno_p)
{
    char byte;
    ssize_t count = mtree_tls_read(ends[end], &byte, 1);

    *errno_p = errno;
    return count < 0;
}

/* Two that have shaken hands: each end twice. */
static void pair_meet(void)
{
    int error;

    pair_create(false);
    for (int i = 0; i < 4; i++) {
        ck_assert(reads_nothing(i % 2, &error));
        ck_assert_int_eq(error, EAGAIN);
    }
}

UNIT_TEST(a_long_text_passes_in_pieces)
{
    enum { LENGTH = 1000000, PIECE = 777 };
    UNIT_FREED unsigned char *text = malloc(LENGTH), *read = calloc(1, LENGTH);
    size_t written = 0, got = 0;
    int waits = 0;

    for (size_t i = 0; i < LENGTH; i++) {
        text[i] = (unsigned char)(i * 7 % 251);
    }
    pair_create(false);
    while (got < LENGTH) {
        size_t room = LENGTH - got;
        ssize_t count = written == LENGTH
                            ? 0
                            : mtree_tls_write(ends[0], text + written, LENGTH - written);

        ck_assert(count >= 0 || errno == EAGAIN);
        waits += count < 0;
        written += count < 0 ? 0 : (size_t)count;
        count = mtree_tls_read(ends[1], read + got, room < PIECE ? room : PIECE);
        ck_assert(count > 0 || errno == EAGAIN);
        got += count < 0 ? 0 : (size_t)count;
    }
    ck_assert_int_gt(waits, 2);
    ck_assert_mem_eq(text, read, LENGTH);
    ck_assert_uint_ge(mtree_tls_written(ends[0]),
                      LENGTH + LENGTH / MTREE_TLS_RECORD * OVERHEAD);
}

/* Neither end hands anything out, nor does it say that anything was sent. */
UNIT_TEST(another_key_is_refused)
{
    int errors[2] = {EAGAIN, EAGAIN};

    pair_create(true);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_lt(mtree_tls_write(ends[i % 2], "text", 4), 0);
        ck_assert(reads_nothing(i % 2, &errors[i % 2]));
    }
    ck_assert_int_eq(errors[0], MTREE_TLS_ERRNO);
    ck_assert_int_eq(errors[1], MTREE_TLS_ERRNO);
}

/* Change byte @a at of what @a end has sent; false: it has sent less. */
static bool change_byte(int end, ssize_t at)
{
    unsigned char bytes[4096];
    ssize_t length = recv(sockets[1 - end], bytes, sizeof(bytes), 0);

    bytes[at] ^= 4;
    ck_assert_int_eq(send(sockets[end], bytes, (size_t)length, 0), length);
    return at < length;
}

/* No byte of a greeting counts for nothing, but the version of its record. */
UNIT_LOOP(a_changed_greeting_is_refused, 0, 2)
{
    bool is_changed = true;
    int error;

    for (ssize_t at = 3; is_changed; at++) {
        pair_create(false);
        for (int end = 0; end <= _i; end++) {
            ck_assert(reads_nothing(end, &error));
        }
        is_changed = change_byte(_i, at);
        for (int i = 0; i < 6 && is_changed; i++) {
            ck_assert(mtree_tls_write(ends[1], "text", 4) < 0);
            ck_assert(reads_nothing(0, &error));
        }
        ck_assert(at > 100 || is_changed);
        pair_destroy();
    }
    ends[0] = NULL;
}

/* What comes before a changed record is read; nothing of it is, nor behind it. */
UNIT_TEST(a_changed_byte_ends_the_text)
{
    char text[] = "first", read[sizeof(text)];
    int error;

    pair_meet();
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mtree_tls_write(ends[1], text, sizeof(text)), sizeof(text));
    }
    ck_assert(change_byte(1, sizeof(text) + OVERHEAD + 7));
    ck_assert_int_eq(mtree_tls_read(ends[0], read, sizeof(read)), sizeof(text));
    ck_assert_str_eq(read, text);
    for (int i = 0; i < 3; i++) {
        ck_assert(reads_nothing(0, &error));
        ck_assert_int_eq(error, MTREE_TLS_ERRNO);
    }
}

/* An end that cannot send any more reads what has come. */
UNIT_TEST(what_has_come_is_read_to_its_end)
{
    char read[8];

    pair_meet();
    ck_assert_int_eq(mtree_tls_write(ends[0], "text", 4), 4);
    ck_assert_int_eq(shutdown(sockets[0], SHUT_RDWR), 0);
    ck_assert_int_eq(mtree_tls_write(ends[1], "text", 4), -1);
    ck_assert_int_eq(errno, EPIPE);
    ck_assert_int_eq(mtree_tls_read(ends[1], read, sizeof(read)), 4);
    ck_assert_int_eq(mtree_tls_read(ends[1], read, sizeof(read)), 0);
}

/* The only record that is not asked for tells of a new key. */
UNIT_TEST(keys_are_renewed)
{
    uint64_t before;
    char byte;

    pair_meet();
    before = mtree_tls_written(ends[0]);
    for (int i = 0; i <= 2 * MTREE_TLS_RECORDS_PER_KEY; i++) {
        ck_assert_int_eq(mtree_tls_write(ends[0], "x", 1), 1);
        ck_assert_int_eq(mtree_tls_read(ends[1], &byte, 1), 1);
    }
    ck_assert_uint_eq(mtree_tls_written(ends[0]) - before,
                      (2 * MTREE_TLS_RECORDS_PER_KEY + 1) * (1 + OVERHEAD) +
                          2 * KEY_UPDATE);
}

/* The server does not have the key, but a certificate, which others take. */
UNIT_LOOP(no_certificate_is_taken_for_a_key, 0,
          system("command -v openssl >/dev/null") == 0)
{
    static const mtree_tls_key_t key = {{1}, .is_client = true};
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    char folder[] = "/tmp/mtree-tls-XXXXXX";
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    mtree_tls_t *tls;
    ssize_t written;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(
        system("exec >log 2>&1; openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x "
               "-keyout key -out certificate || exit 1; "
               "openssl s_server -key key -cert certificate -tls1_3 -unix socket <&- & "
               "echo $! >server; until [ -e socket ]; do sleep 0.01; done; "
               "openssl s_client -tls1_3 -unix socket </dev/null"),
        0);
    ck_assert_int_eq(connect(connection, (struct sockaddr *)&address, sizeof(address)),
                     0);
    ck_assert_int_eq(fcntl(connection, F_SETFL, O_NONBLOCK), 0);
    tls = mtree_tls_create(connection, &key);
    do {
        written = mtree_tls_write(tls, "text", 4);
    } while (written < 0 && errno == EAGAIN);
    ck_assert_int_lt(written, 0);
    ck_assert_int_eq(errno, MTREE_TLS_ERRNO);
    mtree_tls_destroy(tls);
    (void)close(connection);
    ck_assert_int_eq(system("kill $(cat server); rm -r \"$PWD\""), 0);
}

UNIT_FIXTURE(NULL, pair_destroy)
