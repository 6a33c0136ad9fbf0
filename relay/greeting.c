/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/greeting.h"

#include "base/bytes.h"
#include "tcp/socket.h"

#include <string.h>

/* "mtR", and the version in the last byte. */
#define MAGIC   UINT32_C(0x6d745205)
#define VERSION UINT32_C(0xff)

/* The flag of an encrypted connection, beside its purpose. */
#define ENCRYPTED ((uint32_t)1 << 8)

_Static_assert(MTREE_RELAY_PROVED <= MTREE_TCP_PIECE, "a piece's length");

/* Bytes of a welcome before its MAC. */
#define LIMITS (MTREE_RELAY_WELCOME - MTREE_RELAY_KEY)

void mtree_relay_magic_write(unsigned char bytes[MTREE_RELAY_MAGIC])
{
    mtree_put32(bytes, MAGIC);
}

const char *mtree_relay_magic_fault(const unsigned char bytes[MTREE_RELAY_MAGIC])
{
    uint32_t magic = mtree_get32(bytes);

    return magic == MAGIC                      ? NULL
           : ((magic ^ MAGIC) & ~VERSION) == 0 ? "it is of another version of mtree"
                                               : "what it sends is no greeting of mtree";
}

void mtree_relay_hello_write(const mtree_relay_hello_t *hello,
                             unsigned char bytes[MTREE_RELAY_HELLO])
{
    mtree_put32(bytes, MAGIC);
    mtree_put32(bytes + 4, hello->purpose | (hello->is_encrypted ? ENCRYPTED : 0));
    mtree_put32(bytes + 8, hello->number);
    memcpy(bytes + 12, hello->job.bytes, MTREE_RELAY_JOB);
    memcpy(bytes + 12 + MTREE_RELAY_JOB, hello->nonce, MTREE_RELAY_NONCE);
}

mtree_status_t mtree_relay_hello_read(const unsigned char bytes[MTREE_RELAY_HELLO],
                                      mtree_relay_hello_t *hello)
{
    uint32_t purpose = mtree_get32(bytes + 4) & ~ENCRYPTED;

    if (mtree_get32(bytes) != MAGIC || purpose > MTREE_RELAY_DATA) {
        return MTREE_ERR_INVALID;
    }
    hello->purpose = (mtree_relay_purpose_t)purpose;
    hello->is_encrypted = (mtree_get32(bytes + 4) & ENCRYPTED) != 0;
    hello->number = mtree_get32(bytes + 8);
    memcpy(hello->job.bytes, bytes + 12, MTREE_RELAY_JOB);
    memcpy(hello->nonce, bytes + 12 + MTREE_RELAY_JOB, MTREE_RELAY_NONCE);
    return MTREE_OK;
}

/* The MAC of both nonces, and of @a length bytes of a welcome, made by @a who. */
static void greeting_mac(const mtree_relay_greeting_t *greeting, const char *who,
                         const unsigned char *welcome, size_t length,
                         unsigned char mac[MTREE_RELAY_KEY])
{
    unsigned char all[MTREE_RELAY_HELLO + MTREE_RELAY_NONCE + MTREE_RELAY_WELCOME];

    memcpy(all, greeting->hello, MTREE_RELAY_HELLO);
    memcpy(all + MTREE_RELAY_HELLO, greeting->nonce, MTREE_RELAY_NONCE);
    if (length > 0) {
        memcpy(all + MTREE_RELAY_HELLO + MTREE_RELAY_NONCE, welcome, length);
    }
    mtree_relay_mac(&greeting->key, who, all,
                    MTREE_RELAY_HELLO + MTREE_RELAY_NONCE + length, mac);
}

/* Is @a mac that of both nonces, and of @a length bytes of a welcome, made by @a who? */
static bool is_mac(const mtree_relay_greeting_t *greeting, const char *who,
                   const unsigned char *welcome, size_t length,
                   const unsigned char mac[MTREE_RELAY_KEY])
{
    unsigned char expected[MTREE_RELAY_KEY];

    greeting_mac(greeting, who, welcome, length, expected);
    return mtree_crypto_equals(expected, mac, MTREE_RELAY_KEY);
}

void mtree_relay_hello_prove(const mtree_relay_greeting_t *greeting,
                             unsigned char bytes[MTREE_RELAY_PROVED])
{
    memcpy(bytes, greeting->hello, MTREE_RELAY_HELLO);
    greeting_mac(greeting, "peer", NULL, 0, bytes + MTREE_RELAY_HELLO);
}

bool mtree_relay_hello_is_proved(const mtree_relay_greeting_t *greeting,
                                 const unsigned char bytes[MTREE_RELAY_PROVED])
{
    return is_mac(greeting, "peer", NULL, 0, bytes + MTREE_RELAY_HELLO);
}

void mtree_relay_tls_key(const mtree_relay_greeting_t *greeting, bool is_relay,
                         mtree_tls_key_t *key)
{
    greeting_mac(greeting, "tls", NULL, 0, key->bytes);
    key->is_client = !is_relay;
}

void mtree_relay_welcome_write(const mtree_relay_greeting_t *greeting,
                               const mtree_relay_welcome_t *welcome,
                               unsigned char bytes[MTREE_RELAY_WELCOME])
{
    mtree_put32(bytes, welcome->answer);
    mtree_put64(bytes + 4, welcome->memory);
    greeting_mac(greeting, "welcome", bytes, LIMITS, bytes + LIMITS);
}

mtree_status_t mtree_relay_welcome_read(const mtree_relay_greeting_t *greeting,
                                        const unsigned char bytes[MTREE_RELAY_WELCOME],
                                        mtree_relay_welcome_t *welcome)
{
    uint32_t answer = mtree_get32(bytes);

    if (!is_mac(greeting, "welcome", bytes, LIMITS, bytes + LIMITS) ||
        answer > MTREE_RELAY_UNKNOWN) {
        return MTREE_ERR_INVALID;
    }
    welcome->answer = (mtree_relay_answer_t)answer;
    welcome->memory = mtree_get64(bytes + 4);
    return MTREE_OK;
}
