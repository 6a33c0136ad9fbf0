/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/greeting.h"

#include "base/bytes.h"
#include "tcp/socket.h"

/* "mtR", and the version in the last byte. */
#define MAGIC   UINT32_C(0x6d745208)
#define VERSION UINT32_C(0xff)

_Static_assert(MTREE_TCP_HELLO <= MTREE_TCP_PIECE, "a piece's length");

void mtree_tcp_magic_write(unsigned char bytes[MTREE_TCP_MAGIC])
{
    mtree_put32(bytes, MAGIC);
}

const char *mtree_tcp_magic_fault(const unsigned char bytes[MTREE_TCP_MAGIC])
{
    uint32_t magic = mtree_get32(bytes);

    return magic == MAGIC                      ? NULL
           : ((magic ^ MAGIC) & ~VERSION) == 0 ? "it is of another version of mtree"
                                               : "what it sends is no greeting of mtree";
}

/* The message authentication code (MAC) by @a secret of the version, both nonces and all
 * that was said so far, made by @a who, whose name's NUL keeps it apart from what
 * follows.
 */
static void greeting_mac(const mtree_tcp_greeting_t *greeting,
                         const mtree_tcp_secret_t *secret, const char *who,
                         unsigned char mac[MTREE_CRYPTO_CODE])
{
    unsigned char text[sizeof("answer") + MTREE_TCP_MAGIC + 2 * MTREE_TCP_NONCE +
                       2 * MTREE_TCP_SAID];
    unsigned char *end = text + strlen(who) + 1;

    memcpy(text, who, (size_t)(end - text));
    mtree_tcp_magic_write(end);
    end += MTREE_TCP_MAGIC;
    memcpy(end, greeting->challenge, MTREE_TCP_NONCE);
    end += MTREE_TCP_NONCE;
    memcpy(end, greeting->nonce, MTREE_TCP_NONCE);
    end += MTREE_TCP_NONCE;
    memcpy(end, greeting->said, MTREE_TCP_SAID);
    end += MTREE_TCP_SAID;
    memcpy(end, greeting->answer, MTREE_TCP_SAID);
    end += MTREE_TCP_SAID;
    mtree_crypto_code(secret->bytes, MTREE_TCP_SECRET, text, (size_t)(end - text), mac);
}

/* Is @a mac that by the greeting's own secret? */
static bool is_mac(const mtree_tcp_greeting_t *greeting, const char *who,
                   const unsigned char mac[MTREE_CRYPTO_CODE])
{
    unsigned char expected[MTREE_CRYPTO_CODE];

    greeting_mac(greeting, &greeting->secret, who, expected);
    return mtree_crypto_equals(expected, mac, MTREE_CRYPTO_CODE);
}

bool mtree_tcp_challenge_send(mtree_tcp_greeting_t *greeting, int socket)
{
    unsigned char bytes[MTREE_TCP_CHALLENGE];

    mtree_tcp_magic_write(bytes);
    if (mtree_crypto_draw(greeting->challenge, MTREE_TCP_NONCE) != MTREE_OK) {
        return false;
    }
    memcpy(bytes + MTREE_TCP_MAGIC, greeting->challenge, MTREE_TCP_NONCE);
    return mtree_tcp_socket_send(socket, bytes, sizeof(bytes));
}

bool mtree_tcp_hello_send(mtree_tcp_greeting_t *greeting,
                          const unsigned char bytes[MTREE_TCP_CHALLENGE], int socket)
{
    unsigned char hello[MTREE_TCP_HELLO - MTREE_TCP_MAGIC];

    if (mtree_crypto_draw(greeting->nonce, MTREE_TCP_NONCE) != MTREE_OK) {
        return false;
    }
    memcpy(greeting->challenge, bytes + MTREE_TCP_MAGIC, MTREE_TCP_NONCE);
    memset(greeting->answer, 0, MTREE_TCP_SAID);
    memcpy(hello, greeting->nonce, MTREE_TCP_NONCE);
    memcpy(hello + MTREE_TCP_NONCE, greeting->said, MTREE_TCP_SAID);
    greeting_mac(greeting, &greeting->secret, "hello",
                 hello + MTREE_TCP_NONCE + MTREE_TCP_SAID);
    return mtree_tcp_socket_send(socket, hello, sizeof(hello));
}

void mtree_tcp_hello_read(mtree_tcp_greeting_t *greeting,
                          const unsigned char bytes[MTREE_TCP_HELLO])
{
    memcpy(greeting->nonce, bytes + MTREE_TCP_MAGIC, MTREE_TCP_NONCE);
    memcpy(greeting->said, bytes + MTREE_TCP_MAGIC + MTREE_TCP_NONCE, MTREE_TCP_SAID);
    memset(greeting->answer, 0, MTREE_TCP_SAID);
}

bool mtree_tcp_hello_is_proved(const mtree_tcp_greeting_t *greeting,
                               const unsigned char bytes[MTREE_TCP_HELLO])
{
    return is_mac(greeting, "hello", bytes + MTREE_TCP_HELLO - MTREE_CRYPTO_CODE);
}

bool mtree_tcp_answer_send(mtree_tcp_greeting_t *greeting,
                           const unsigned char said[MTREE_TCP_SAID], int socket)
{
    unsigned char bytes[MTREE_TCP_ANSWER];

    memcpy(greeting->answer, said, MTREE_TCP_SAID);
    memcpy(bytes, said, MTREE_TCP_SAID);
    greeting_mac(greeting, &greeting->secret, "answer", bytes + MTREE_TCP_SAID);
    return mtree_tcp_socket_send(socket, bytes, sizeof(bytes));
}

bool mtree_tcp_answer_read(mtree_tcp_greeting_t *greeting,
                           const unsigned char bytes[MTREE_TCP_ANSWER])
{
    memcpy(greeting->answer, bytes, MTREE_TCP_SAID);
    return is_mac(greeting, "answer", bytes + MTREE_TCP_SAID);
}

const mtree_tls_key_t *mtree_tcp_greeting_key(const mtree_tcp_greeting_t *greeting,
                                              const mtree_tcp_secret_t *secret,
                                              bool is_client, mtree_tls_key_t *key)
{
    if (secret == NULL) {
        return NULL;
    }
    greeting_mac(greeting, secret, "tls", key->bytes);
    key->is_client = is_client;
    return key;
}
