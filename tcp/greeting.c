/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/greeting.h"

#include "base/bytes.h"
#include "tcp/crypto.h"

/* "mtG" and the version. */
#define MAGIC UINT32_C(0x6d744706)

/* Bytes before the proof. */
#define PROVED 28

_Static_assert(PROVED + MTREE_TCP_SECRET == MTREE_TCP_GREETING, "a greeting's length");

mtree_status_t mtree_tcp_secret_draw(mtree_tcp_secret_t *secret)
{
    return mtree_crypto_draw(secret->bytes, sizeof(secret->bytes));
}

static void greeting_write(const mtree_tcp_greeting_t *greeting,
                           unsigned char bytes[MTREE_TCP_GREETING])
{
    mtree_put32(bytes, MAGIC);
    mtree_put32(bytes + 4, greeting->rank);
    mtree_put32(bytes + 8, greeting->number);
    mtree_put32(bytes + 12, greeting->attempt);
    mtree_put32(bytes + 16, greeting->count);
    mtree_put64(bytes + 20, greeting->position);
    memcpy(bytes + PROVED, greeting->proof, MTREE_TCP_SECRET);
}

static int greeting_read(const unsigned char bytes[MTREE_TCP_GREETING],
                         mtree_tcp_greeting_t *greeting)
{
    *greeting = (mtree_tcp_greeting_t){.rank = mtree_get32(bytes + 4),
                                       .number = mtree_get32(bytes + 8),
                                       .attempt = mtree_get32(bytes + 12),
                                       .count = mtree_get32(bytes + 16),
                                       .position = mtree_get64(bytes + 20)};
    memcpy(greeting->proof, bytes + PROVED, MTREE_TCP_SECRET);
    return mtree_get32(bytes) == MAGIC ? 1 : -1;
}

void mtree_tcp_greeting_prove(mtree_tcp_greeting_t *greeting,
                              const mtree_tcp_secret_t *secret)
{
    unsigned char code[MTREE_CRYPTO_CODE], bytes[MTREE_TCP_GREETING] = {0};

    greeting_write(greeting, bytes);
    mtree_crypto_code(secret->bytes, MTREE_TCP_SECRET, bytes, PROVED, code);
    memcpy(greeting->proof, code, MTREE_TCP_SECRET);
}

bool mtree_tcp_greeting_is_proved(const mtree_tcp_greeting_t *greeting,
                                  const mtree_tcp_secret_t *secret)
{
    mtree_tcp_greeting_t expected = *greeting;

    mtree_tcp_greeting_prove(&expected, secret);
    return mtree_crypto_equals(greeting->proof, expected.proof, MTREE_TCP_SECRET);
}

bool mtree_tcp_greeting_send(int socket, const mtree_tcp_greeting_t *greeting)
{
    unsigned char bytes[MTREE_TCP_GREETING];

    greeting_write(greeting, bytes);
    return mtree_tcp_socket_send(socket, bytes, sizeof(bytes));
}

int mtree_tcp_greeting_receive(int socket, mtree_tcp_piece_t *piece,
                               mtree_tcp_greeting_t *greeting)
{
    int received;

    piece->wanted = MTREE_TCP_GREETING;
    received = mtree_tcp_piece_receive(piece, socket);
    return received == 1 ? greeting_read(piece->bytes, greeting) : received;
}
