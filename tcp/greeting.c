/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/greeting.h"

#include "tcp/crypto.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* "mtG" and the version. */
#define MAGIC UINT32_C(0x6d744705)

enum {
    MAGIC_AT,
    RANK_AT,
    NUMBER_AT,
    ATTEMPT_AT,
    COUNT_AT,
    POSITION_AT, /* the upper half, and the lower one behind it */
    NUM_WORDS = POSITION_AT + 2
};

_Static_assert(NUM_WORDS * sizeof(uint32_t) + MTREE_TCP_SECRET == MTREE_TCP_GREETING,
               "a greeting's length");

mtree_status_t mtree_tcp_secret_draw(mtree_tcp_secret_t *secret)
{
    return mtree_crypto_draw(secret->bytes, sizeof(secret->bytes));
}

static void write_words(const mtree_tcp_greeting_t *greeting, uint32_t words[NUM_WORDS])
{
    words[MAGIC_AT] = htonl(MAGIC);
    words[RANK_AT] = htonl(greeting->rank);
    words[NUMBER_AT] = htonl(greeting->number);
    words[ATTEMPT_AT] = htonl(greeting->attempt);
    words[COUNT_AT] = htonl(greeting->count);
    words[POSITION_AT] = htonl((uint32_t)(greeting->position >> 32));
    words[POSITION_AT + 1] = htonl((uint32_t)greeting->position);
}

void mtree_tcp_greeting_prove(mtree_tcp_greeting_t *greeting,
                              const mtree_tcp_secret_t *secret)
{
    unsigned char code[MTREE_CRYPTO_CODE];
    uint32_t words[NUM_WORDS];

    memcpy(code, secret->bytes, MTREE_TCP_SECRET);
    if (mtree_crypto_is_supported()) {
        write_words(greeting, words);
        mtree_crypto_code(secret->bytes, MTREE_TCP_SECRET, words, sizeof(words), code);
    }
    memcpy(greeting->proof, code, MTREE_TCP_SECRET);
}

bool mtree_tcp_greeting_is_proved(const mtree_tcp_greeting_t *greeting,
                                  const mtree_tcp_secret_t *secret)
{
    mtree_tcp_greeting_t expected = *greeting;
    unsigned differ = 0;

    mtree_tcp_greeting_prove(&expected, secret);
    for (int i = 0; i < MTREE_TCP_SECRET; i++) {
        differ |= greeting->proof[i] ^ expected.proof[i];
    }
    return differ == 0;
}

bool mtree_tcp_greeting_send(int socket, const mtree_tcp_greeting_t *greeting)
{
    unsigned char bytes[MTREE_TCP_GREETING];
    uint32_t words[NUM_WORDS];

    write_words(greeting, words);
    memcpy(bytes, words, sizeof(words));
    memcpy(bytes + sizeof(words), greeting->proof, MTREE_TCP_SECRET);
    return send(socket, bytes, sizeof(bytes), MSG_NOSIGNAL) == sizeof(bytes);
}

static int greeting_read(const unsigned char bytes[MTREE_TCP_GREETING],
                         mtree_tcp_greeting_t *greeting)
{
    uint32_t words[NUM_WORDS];

    memcpy(words, bytes, sizeof(words));
    greeting->rank = ntohl(words[RANK_AT]);
    greeting->number = ntohl(words[NUMBER_AT]);
    greeting->attempt = ntohl(words[ATTEMPT_AT]);
    greeting->count = ntohl(words[COUNT_AT]);
    greeting->position =
        (uint64_t)ntohl(words[POSITION_AT]) << 32 | ntohl(words[POSITION_AT + 1]);
    memcpy(greeting->proof, bytes + sizeof(words), MTREE_TCP_SECRET);
    return ntohl(words[MAGIC_AT]) == MAGIC ? 1 : -1;
}

int mtree_tcp_greeting_receive(int socket, mtree_tcp_greeting_reader_t *reader,
                               mtree_tcp_greeting_t *greeting)
{
    ssize_t count = recv(socket, reader->bytes + reader->count,
                         MTREE_TCP_GREETING - reader->count, 0);

    if (count < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
    }
    reader->count += (size_t)count;
    if (reader->count == MTREE_TCP_GREETING) {
        return greeting_read(reader->bytes, greeting);
    }
    return count == 0 ? -1 : 0;
}
