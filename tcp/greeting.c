/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/greeting.h"

#include "base/bytes.h"
#include "tcp/crypto.h"

/* "mtG" and the version. */
#define MAGIC UINT32_C(0x6d744706)

/* Bytes before the proof. */
#define PROVED (MTREE_TCP_GREETING - MTREE_TCP_SECRET)

static void prove(const unsigned char bytes[MTREE_TCP_GREETING],
                  const mtree_tcp_secret_t *secret, unsigned char code[MTREE_CRYPTO_CODE])
{
    mtree_crypto_code(secret->bytes, MTREE_TCP_SECRET, bytes, PROVED, code);
}

bool mtree_tcp_greeting_send(int socket, const mtree_tcp_greeting_t *greeting,
                             const mtree_tcp_secret_t *secret)
{
    unsigned char bytes[MTREE_TCP_GREETING], code[MTREE_CRYPTO_CODE];

    mtree_put32(bytes, MAGIC);
    mtree_put32(bytes + 4, greeting->rank);
    mtree_put32(bytes + 8, greeting->number);
    mtree_put32(bytes + 12, greeting->attempt);
    mtree_put32(bytes + 16, greeting->count);
    mtree_put64(bytes + 20, greeting->position);
    prove(bytes, secret, code);
    memcpy(bytes + PROVED, code, MTREE_TCP_SECRET);
    return mtree_tcp_socket_send(socket, bytes, sizeof(bytes));
}

int mtree_tcp_greeting_receive(int socket, mtree_tcp_piece_t *piece,
                               const mtree_tcp_secret_t *secret,
                               mtree_tcp_greeting_t *greeting)
{
    const unsigned char *bytes = piece->bytes;
    unsigned char code[MTREE_CRYPTO_CODE];
    int received;

    piece->wanted = MTREE_TCP_GREETING;
    received = mtree_tcp_piece_receive(piece, socket);
    if (received != 1) {
        return received;
    }
    if (mtree_get32(bytes) != MAGIC) {
        return -1;
    }
    *greeting = (mtree_tcp_greeting_t){.rank = mtree_get32(bytes + 4),
                                       .number = mtree_get32(bytes + 8),
                                       .attempt = mtree_get32(bytes + 12),
                                       .count = mtree_get32(bytes + 16),
                                       .position = mtree_get64(bytes + 20)};
    prove(bytes, secret, code);
    return mtree_crypto_equals(bytes + PROVED, code, MTREE_TCP_SECRET) ? 1 : -1;
}
