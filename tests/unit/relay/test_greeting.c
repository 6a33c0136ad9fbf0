/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is of another version hears it, at either end; what is said is read. */
#include "base/bytes.h"
#include "base/clock.h"
#include "tcp/socket.h"
#include "tests/unit/relay/relayed_job.h"
#include "tests/unit/runner.h"

#include <sys/socket.h>
#include <unistd.h>

enum { VERSION_AT = MTREE_TCP_MAGIC - 1 };

/* Not even its length need be that of this version. */
UNIT_LOOP(a_relay_tells_its_version_to_another_one, 0, 3)
{
    static const size_t lengths[] = {MTREE_TCP_MAGIC, MTREE_TCP_HELLO, 300};
    unsigned char bytes[300] = {0}, answer[MTREE_TCP_CHALLENGE + 1];
    ssize_t count = -1;
    int fd;

    relayed_create(2, 1, (uint64_t)1 << 20);
    mtree_tcp_magic_write(bytes);
    bytes[VERSION_AT]++;
    fd = relayed_connect();
    ck_assert_int_gt(send(fd, bytes, lengths[_i], MSG_NOSIGNAL), 0);
    while (count < 0) {
        relayed_poll();
        count = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
    }
    ck_assert_int_eq(count, MTREE_TCP_CHALLENGE);
    ck_assert_int_eq(answer[VERSION_AT] + 1, bytes[VERSION_AT]);
    relayed_poll();
    heard_only("it is of another version of mtree");
    (void)close(fd);
}

/* What a relay of version @a change from this one does, which sends @a length bytes of
 * its first piece; what the dialer says. */
static const char *dial_other(int change, size_t length)
{
    const mtree_tcp_ports_t any = {0, 0};
    const mtree_relay_hello_t hello = {.number = 1};
    const mtree_tcp_secret_t key = {{0}};
    unsigned char bytes[MTREE_TCP_CHALLENGE] = {0};
    double now = mtree_clock_seconds();
    mtree_relay_dialer_t *dialer;
    const char *reason;
    char address[32];
    uint16_t port;
    int listener = mtree_tcp_socket_listen(&any, &port);

    (void)snprintf(address, sizeof(address), "127.0.0.1:%d", (int)port);
    dialer = mtree_relay_dialer_create(address, &hello, &key, now, 0.5);
    mtree_tcp_magic_write(bytes);
    bytes[VERSION_AT] = (unsigned char)(bytes[VERSION_AT] + change);
    while (mtree_relay_dialer_poll(dialer, mtree_clock_seconds()) == 0) {
        int fd = mtree_tcp_socket_accept(listener);

        if (fd >= 0) {
            (void)send(fd, bytes, length, MSG_NOSIGNAL);
            (void)shutdown(fd, SHUT_WR);
            (void)usleep(1000);
            (void)close(fd);
        }
    }
    reason = dialer->reason;
    mtree_relay_dialer_destroy(dialer);
    (void)close(listener);
    return reason;
}

UNIT_TEST(a_relay_of_another_version_is_named)
{
    ck_assert_str_eq(dial_other(1, MTREE_TCP_MAGIC), "it is of another version of mtree");
    ck_assert_str_eq(dial_other(-1, MTREE_TCP_CHALLENGE),
                     "it is of another version of mtree");
    ck_assert_str_eq(dial_other(0, 0), "it takes no greeting of this version of mtree");
}

UNIT_TEST(what_is_said_is_read)
{
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA,
                                       .number = MTREE_RELAY_IS_RELAY | 7,
                                       .is_encrypted = true,
                                       .job = {"the job"}};
    mtree_relay_welcome_t welcome = {MTREE_RELAY_FULL, 1234567890123}, answer;
    unsigned char said[MTREE_TCP_SAID], again[MTREE_TCP_SAID];
    mtree_relay_hello_t read;

    mtree_relay_hello_write(&hello, said);
    unit_ok(mtree_relay_hello_read(said, &read));
    mtree_relay_hello_write(&read, again);
    ck_assert_mem_eq(again, said, sizeof(said));
    ck_assert(read.is_encrypted && read.number == hello.number);
    mtree_put32(said, MTREE_RELAY_DATA + 1);
    unit_invalid(mtree_relay_hello_read(said, &read));
    ck_assert_mem_eq(&read.job, &hello.job, sizeof(hello.job));
    mtree_relay_welcome_write(&welcome, said);
    unit_ok(mtree_relay_welcome_read(said, &answer));
    ck_assert_int_eq(answer.answer, welcome.answer);
    ck_assert_uint_eq(answer.memory, welcome.memory);
    mtree_put32(said, MTREE_RELAY_UNKNOWN + 1);
    unit_invalid(mtree_relay_welcome_read(said, &answer));
}

UNIT_FIXTURE(NULL, relayed_destroy)
