/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/tcp/loop.h"

#include "tcp/private.h"
#include "tcp/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bytes that a socket holds, more or less. */
#define SOCKET_BYTES 8192

/* Polls, and milliseconds without one that is due, after which nothing more happens. */
enum { POLLS = 2000, LOOKS = 4 };

/* Polls in which both ends have shaken hands, before anything is sent. */
#define HANDSHAKE 8

bool loop_encrypts;
loop_t loop;
const mtree_tcp_key_t loop_key = {3, 70, 1};

static void message_ended(mtree_completion_t *self, mtree_status_t status)
{
    loop_message_t *message = (loop_message_t *)self;

    ck_assert(!message->has_ended);
    message->has_ended = true;
    message->status = status;
}

mtree_completion_t *loop_begin(loop_message_t *message)
{
    memset(message, 0, sizeof(*message));
    message->done.func = message_ended;
    return &message->done;
}

static void make_pair(int pair[2])
{
    int bytes = SOCKET_BYTES;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    for (int i = 0; i < 2; i++) {
        (void)setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    }
}

void loop_connect_over_tcp(int sockets[2])
{
    const mtree_tcp_ports_t any = {0, 0};
    mtree_address_t address = {.family = AF_INET};
    uint16_t port;
    int listener = mtree_tcp_socket_listen(&any, &port);

    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(inet_pton(AF_INET, "127.0.0.1", address.bytes), 1);
    sockets[0] = mtree_tcp_socket_connect(NULL, &address, port, 0);
    ck_assert_int_ge(sockets[0], 0);
    while ((sockets[1] = mtree_tcp_socket_accept(listener)) < 0 ||
           mtree_tcp_socket_connected(sockets[0]) != 1) {
        (void)usleep(500);
    }
    (void)close(listener);
}

void loop_connect(int count)
{
    loop.count = count;
    for (int i = 0; i < count; i++) {
        int pair[2];

        make_pair(pair);
        for (int end = 0; end < 2; end++) {
            const mtree_tls_key_t key = {{5, (unsigned char)i}, .is_client = end == 0};

            loop.sockets[end][i] = pair[end];
            mtree_tcp_peer_connect(loop.ends[end].peer, pair[end],
                                   loop_encrypts ? &key : NULL);
            ck_assert(!loop.ends[end].peer->has_failed);
        }
    }
    for (int i = 0; i < HANDSHAKE && loop_encrypts; i++) {
        loop_poll(i % 2);
    }
}

void loop_create(int count)
{
    memset(&loop, 0, sizeof(loop));
    for (int end = 0; end < 2; end++) {
        unit_ok(mtree_tcp_create(0, &loop.ends[end].tcp));
        loop.ends[end].peer =
            mtree_tcp_peer_create(loop.ends[end].tcp, "the peer", 0, NULL);
        ck_assert_ptr_nonnull(loop.ends[end].peer);
    }
    if (count > 0) {
        loop_connect(count);
    }
}

void loop_destroy(void)
{
    for (int end = 0; end < 2; end++) {
        mtree_tcp_destroy(loop.ends[end].tcp);
    }
}

void loop_poll(int end)
{
    (void)mtree_tcp_poll(loop.ends[end].tcp);
    (void)mtree_tcp_hand_out(loop.ends[end].tcp);
}

void loop_settle(void)
{
    struct pollfd ends[2];

    for (int end = 0; end < 2; end++) {
        ends[end] = (struct pollfd){mtree_tcp_descriptor(loop.ends[end].tcp), POLLIN, 0};
    }
    /* What is half read or written moves with each poll.  What has arrived is looked for
     * now and then, and what may not be read yet is there at each poll. */
    for (int polls = 0, looks = 0; polls < POLLS && looks < LOOKS; polls++) {
        for (int end = 0; end < 2; end++) {
            (void)mtree_tcp_poll(loop.ends[end].tcp);
            if (mtree_tcp_hand_out(loop.ends[end].tcp) > 0) {
                polls = looks = 0;
            }
        }
        looks += poll(ends, 2, 1) == 0;
    }
}

int loop_waiting(int end, int number)
{
    int bytes = 0;

    ck_assert_int_eq(ioctl(loop.sockets[end][number], FIONREAD, &bytes), 0);
    return bytes;
}

mtree_tcp_session_t *loop_session(int end, const mtree_tcp_key_t *key)
{
    mtree_tcp_session_t *session =
        mtree_tcp_session_begin(loop.ends[end].peer, key, 1 - end, 0, &loop);

    ck_assert_ptr_nonnull(session);
    return session;
}

void loop_open(void)
{
    (void)loop_session(0, &loop_key);
    (void)loop_session(1, &loop_key);
}

void loop_send(int end, const void *bytes, size_t length, bool synchronous,
               loop_message_t *message)
{
    unit_ok(mtree_tcp_send(loop_session(end, &loop_key), 0, bytes, length, synchronous,
                           loop_begin(message)));
}

void loop_recv(int end, void *bytes, size_t length, loop_message_t *message)
{
    unit_ok(mtree_tcp_recv(loop_session(end, &loop_key), 0, bytes, length,
                           loop_begin(message)));
}

static void encrypt(void)
{
    loop_encrypts = true;
}

TCase *loop_encrypted(TCase *tests)
{
    static TCase *last, *encrypted;

    if (tests != last) {
        last = tests;
        encrypted = unit_case("encrypted");
        tcase_set_timeout(encrypted, 120);
        tcase_add_checked_fixture(encrypted, encrypt, NULL);
    }
    return encrypted;
}

int loop_listen_to_one(int *first_p, uint16_t *port_p)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, length), 0);
    ck_assert_int_eq(listen(fd, 0), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    *first_p = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(*first_p, (struct sockaddr *)&address, length), 0);
    *port_p = ntohs(address.sin_port);
    return fd;
}

enum { MOST = 400, MOST_SESSIONS = 2 };

typedef struct {
    loop_message_t sent, received;
    int session;
    uint32_t tag;
    size_t length, room; /* bytes, and how many are received at most */
    unsigned char *from, *to;
} passed_t;

static const random_messages_t *drawn;
static passed_t passed[2][MOST]; /* [end that sends] */
static int num_sent[2], num_posted[2];
static mtree_tcp_session_t *sessions[2][MOST_SESSIONS];
static unsigned long long state;

unsigned long random_draw(unsigned long below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned long)(state >> 33) % below;
}

void random_seed(int seed)
{
    state = (unsigned long long)seed + 1;
}

static unsigned char byte_of(int end, int message, size_t at)
{
    return (unsigned char)(at * 7 + at / 251 + (size_t)message * 13 + (size_t)end);
}

static size_t draw_length(void)
{
    static const unsigned long shorts[] = {1, 100};

    return random_draw(4) == 0 ? random_draw(shorts[random_draw(2)])
                               : random_draw(drawn->longest);
}

static void draw_message(int end, int i)
{
    passed_t *message = &passed[end][i];

    *message = (passed_t){.session = (int)random_draw((unsigned long)drawn->sessions),
                          .tag = (uint32_t)random_draw((unsigned long)drawn->tags),
                          .length = draw_length(),
                          .room = random_draw(random_draw(8) == 0 ? drawn->longest : 2)};
    message->room += message->length;
    message->from = malloc(message->length + 1);
    message->to = calloc(1, message->room + 1);
    for (size_t at = 0; at < message->length; at++) {
        message->from[at] = byte_of(end, i, at);
    }
}

void random_messages_begin(const random_messages_t *how)
{
    ck_assert(how->messages <= MOST && how->sessions <= MOST_SESSIONS);
    drawn = how;
    for (int end = 0; end < 2; end++) {
        num_sent[end] = num_posted[end] = 0;
        for (int i = 0; i < how->sessions; i++) {
            sessions[end][i] = loop_session(end, &(mtree_tcp_key_t){1, 2, (uint32_t)i});
        }
        for (int i = 0; i < how->messages; i++) {
            draw_message(end, i);
        }
    }
}

static void spoil_sent(int end)
{
    for (int i = 0; i < num_sent[end]; i++) {
        passed_t *message = &passed[end][i];

        if (message->sent.has_ended && message->from != NULL) {
            unit_ok(message->sent.status);
            memset(message->from, 0xee, message->length);
            free(message->from);
            message->from = NULL;
        }
    }
}

void random_messages_step(void)
{
    int end = (int)random_draw(2);
    passed_t *message;

    if (random_draw(2) == 0 && num_sent[end] < drawn->messages) {
        message = &passed[end][num_sent[end]++];
        unit_ok(mtree_tcp_send(sessions[end][message->session], message->tag,
                               message->from, message->length, random_draw(2) == 0,
                               loop_begin(&message->sent)));
    } else if (num_posted[1 - end] < drawn->messages) {
        message = &passed[1 - end][num_posted[1 - end]++];
        unit_ok(mtree_tcp_recv(sessions[end][message->session], message->tag, message->to,
                               message->room, loop_begin(&message->received)));
    }
    spoil_sent(0);
    spoil_sent(1);
}

bool random_messages_have_ended(void)
{
    for (int i = 0; i < 2 * drawn->messages; i++) {
        const passed_t *message = &passed[i % 2][i / 2];

        if (!message->sent.has_ended || !message->received.has_ended) {
            return false;
        }
    }
    return true;
}

static void verify(int end, int i)
{
    passed_t *message = &passed[end][i];
    size_t at = 0;

    unit_ok(message->sent.status);
    unit_ok(message->received.status);
    while (at < message->length && message->to[at] == byte_of(end, i, at)) {
        at++;
    }
    ck_assert_uint_eq(at, message->length);
    free(message->from);
    free(message->to);
}

void random_messages_verify(void)
{
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < drawn->messages; i++) {
            verify(end, i);
        }
        for (int i = 0; i < drawn->sessions; i++) {
            mtree_tcp_session_end(loop.ends[end].peer,
                                  &(mtree_tcp_key_t){1, 2, (uint32_t)i}, false);
        }
    }
}
