/* SPDX-License-Identifier: BSD-3-Clause */
/* Cryptography: published vectors. */
#include "tcp/crypto.h"
#include "tests/unit/runner.h"

/* Bytes from their hexadecimal digits. */
static void read_hex(const char *text, unsigned char *bytes)
{
    for (size_t i = 0; i < strlen(text) / 2; i++) {
        ck_assert_int_eq(sscanf(text + 2 * i, "%2hhx", &bytes[i]), 1);
    }
}

/* RFC 4231, test case 2. */
UNIT_TEST(codes_are_hmac_sha256)
{
    const char text[] = "what do ya want for nothing?";
    unsigned char code[MTREE_CRYPTO_CODE], expected[MTREE_CRYPTO_CODE];

    read_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
             expected);
    mtree_crypto_code("Jefe", 4, text, strlen(text), code);
    ck_assert_mem_eq(code, expected, sizeof(code));
}

/* RFC 7748, section 6.1. */
UNIT_TEST(keys_are_agreed_on_by_x25519)
{
    unsigned char own[MTREE_CRYPTO_KEY], told[MTREE_CRYPTO_KEY], theirs[MTREE_CRYPTO_KEY];
    unsigned char shared[2][MTREE_CRYPTO_KEY], expected[MTREE_CRYPTO_KEY];

    read_hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a", own);
    read_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f", theirs);
    read_hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
             expected);
    ck_assert(mtree_crypto_share(own, theirs, shared[0]));
    ck_assert_mem_eq(shared[0], expected, sizeof(expected));
    memset(theirs, 0, sizeof(theirs));
    ck_assert(!mtree_crypto_share(own, theirs, shared[0]));
    ck_assert(mtree_crypto_pair_draw(own, told));
    ck_assert(mtree_crypto_pair_draw(expected, theirs));
    ck_assert(mtree_crypto_share(own, theirs, shared[0]));
    ck_assert(mtree_crypto_share(expected, told, shared[1]));
    ck_assert_mem_eq(shared[0], shared[1], MTREE_CRYPTO_KEY);
}
