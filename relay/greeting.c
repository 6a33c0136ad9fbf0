/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/greeting.h"

#include "relay/bytes.h"

#include <string.h>

/* "mtR", and the version in the last byte. */
#define MAGIC   UINT32_C(0x6d745202)
#define VERSION UINT32_C(0xff)

/* The flag of an encrypted connection, beside its purpose. */
#define ENCRYPTED ((uint32_t)1 << 8)

/* Bytes of a welcome before its MAC. */
#define LIMITS (MTREE_RELAY_WELCOME - MTREE_RELAY_KEY)

_Static_assert(MTREE_RELAY_NONCE == MTREE_CRYPTO_KEY, "nonces may be public keys");

void mtree_relay_magic_write(unsigned char bytes[MTREE_RELAY_MAGIC])
{
    mtree_relay_put32(bytes, MAGIC);
}

const char *mtree_relay_magic_fault(const unsigned char bytes[MTREE_RELAY_MAGIC])
{
    uint32_t magic = mtree_relay_get32(bytes);

    return magic == MAGIC                      ? NULL
           : ((magic ^ MAGIC) & ~VERSION) == 0 ? "it is of another version of mtree"
                                               : "what it sends is no greeting of mtree";
}

void mtree_relay_hello_write(const mtree_relay_hello_t *hello,
                             unsigned char bytes[MTREE_RELAY_HELLO])
{
    mtree_relay_put32(bytes, MAGIC);
    mtree_relay_put32(bytes + 4, hello->purpose | (hello->is_encrypted ? ENCRYPTED : 0));
    mtree_relay_put32(bytes + 8, hello->number);
    memcpy(bytes + 12, hello->job.bytes, MTREE_RELAY_JOB);
    memcpy(bytes + 12 + MTREE_RELAY_JOB, hello->nonce, MTREE_RELAY_NONCE);
}

mtree_status_t mtree_relay_hello_read(const unsigned char bytes[MTREE_RELAY_HELLO],
                                      mtree_relay_hello_t *hello)
{
    uint32_t purpose = mtree_relay_get32(bytes + 4) & ~ENCRYPTED;

    if (mtree_relay_get32(bytes) != MAGIC || purpose > MTREE_RELAY_DATA) {
        return MTREE_ERR_INVALID;
    }
    hello->purpose = (mtree_relay_purpose_t)purpose;
    hello->is_encrypted = (mtree_relay_get32(bytes + 4) & ENCRYPTED) != 0;
    hello->number = mtree_relay_get32(bytes + 8);
    memcpy(hello->job.bytes, bytes + 12, MTREE_RELAY_JOB);
    memcpy(hello->nonce, bytes + 12 + MTREE_RELAY_JOB, MTREE_RELAY_NONCE);
    return MTREE_OK;
}

/* The MAC of both nonces, and of @a length bytes of a welcome, made by @a who. */
static void greeting_mac(const mtree_relay_key_t *key, const char *who,
                         const unsigned char *hello, const unsigned char *nonce,
                         const unsigned char *welcome, size_t length,
                         unsigned char mac[MTREE_RELAY_KEY])
{
    unsigned char all[MTREE_RELAY_HELLO + MTREE_RELAY_NONCE + MTREE_RELAY_WELCOME];

    memcpy(all, hello, MTREE_RELAY_HELLO);
    memcpy(all + MTREE_RELAY_HELLO, nonce, MTREE_RELAY_NONCE);
    if (length > 0) {
        memcpy(all + MTREE_RELAY_HELLO + MTREE_RELAY_NONCE, welcome, length);
    }
    mtree_relay_mac(key, who, all, MTREE_RELAY_HELLO + MTREE_RELAY_NONCE + length, mac);
}

void mtree_relay_challenge_write(const mtree_relay_key_t *key,
                                 const unsigned char hello[MTREE_RELAY_HELLO],
                                 const unsigned char nonce[MTREE_RELAY_NONCE],
                                 unsigned char bytes[MTREE_RELAY_CHALLENGE])
{
    mtree_relay_magic_write(bytes);
    memcpy(bytes + MTREE_RELAY_MAGIC, nonce, MTREE_RELAY_NONCE);
    greeting_mac(key, "relay", hello, nonce, NULL, 0,
                 bytes + MTREE_RELAY_MAGIC + MTREE_RELAY_NONCE);
}

const unsigned char *
mtree_relay_challenge_nonce(const unsigned char challenge[MTREE_RELAY_CHALLENGE])
{
    return challenge + MTREE_RELAY_MAGIC;
}

bool mtree_relay_proof_write(const mtree_relay_key_t *key,
                             const unsigned char hello[MTREE_RELAY_HELLO],
                             const unsigned char challenge[MTREE_RELAY_CHALLENGE],
                             unsigned char bytes[MTREE_RELAY_PROOF])
{
    const unsigned char *nonce = mtree_relay_challenge_nonce(challenge);
    unsigned char expected[MTREE_RELAY_KEY];

    greeting_mac(key, "relay", hello, nonce, NULL, 0, expected);
    if (!mtree_relay_mac_equals(expected, nonce + MTREE_RELAY_NONCE)) {
        return false;
    }
    greeting_mac(key, "peer", hello, nonce, NULL, 0, bytes);
    return true;
}

bool mtree_relay_proof_is_right(const mtree_relay_key_t *key,
                                const unsigned char hello[MTREE_RELAY_HELLO],
                                const unsigned char challenge[MTREE_RELAY_CHALLENGE],
                                const unsigned char proof[MTREE_RELAY_PROOF])
{
    unsigned char expected[MTREE_RELAY_KEY];

    greeting_mac(key, "peer", hello, mtree_relay_challenge_nonce(challenge), NULL, 0,
                 expected);
    return mtree_relay_mac_equals(expected, proof);
}

bool mtree_relay_nonce_draw(bool is_encrypted,
                            unsigned char private_key[MTREE_CRYPTO_KEY],
                            unsigned char nonce[MTREE_RELAY_NONCE])
{
    return is_encrypted ? mtree_crypto_pair_draw(private_key, nonce)
                        : mtree_crypto_draw(nonce, MTREE_RELAY_NONCE) == MTREE_OK;
}

bool mtree_relay_record_keys(const mtree_relay_key_t *key,
                             const unsigned char hello[MTREE_RELAY_HELLO],
                             const unsigned char nonce[MTREE_RELAY_NONCE],
                             const unsigned char private_key[MTREE_CRYPTO_KEY],
                             bool is_relay, mtree_record_keys_t *keys)
{
    const unsigned char *theirs =
        is_relay ? hello + MTREE_RELAY_HELLO - MTREE_RELAY_NONCE : nonce;
    unsigned char context[MTREE_RELAY_KEY];
    mtree_record_key_t shared;

    if (!mtree_crypto_share(private_key, theirs, shared.bytes)) {
        return false;
    }
    greeting_mac(key, "records", hello, nonce, NULL, 0, context);
    mtree_record_keys_derive(&shared, context, sizeof(context), !is_relay, keys);
    explicit_bzero(&shared, sizeof(shared));
    return true;
}

void mtree_relay_welcome_write(const mtree_relay_key_t *key,
                               const unsigned char hello[MTREE_RELAY_HELLO],
                               const unsigned char nonce[MTREE_RELAY_NONCE],
                               const mtree_relay_welcome_t *welcome,
                               unsigned char bytes[MTREE_RELAY_WELCOME])
{
    mtree_relay_put32(bytes, welcome->answer);
    mtree_relay_put64(bytes + 4, welcome->memory);
    greeting_mac(key, "welcome", hello, nonce, bytes, LIMITS, bytes + LIMITS);
}

mtree_status_t mtree_relay_welcome_read(const mtree_relay_key_t *key,
                                        const unsigned char hello[MTREE_RELAY_HELLO],
                                        const unsigned char nonce[MTREE_RELAY_NONCE],
                                        const unsigned char bytes[MTREE_RELAY_WELCOME],
                                        mtree_relay_welcome_t *welcome)
{
    uint32_t answer = mtree_relay_get32(bytes);
    unsigned char expected[MTREE_RELAY_KEY];

    greeting_mac(key, "welcome", hello, nonce, bytes, LIMITS, expected);
    if (!mtree_relay_mac_equals(expected, bytes + LIMITS) ||
        answer > MTREE_RELAY_UNKNOWN) {
        return MTREE_ERR_INVALID;
    }
    welcome->answer = (mtree_relay_answer_t)answer;
    welcome->memory = mtree_relay_get64(bytes + 4);
    return MTREE_OK;
}
