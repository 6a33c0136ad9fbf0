/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cryptography and records: published vectors; and nothing opens but what was sealed, in
 * its order, unchanged, by who knows the key.
 */
#define _GNU_SOURCE
#include "tcp/sealed.h"
#include "tests/unit/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 128 };

/* Bytes from their hexadecimal digits; how many. */
static size_t read_hex(const char *text, unsigned char *bytes)
{
    size_t length = strlen(text) / 2;

    for (size_t i = 0; i < length; i++) {
        const char digits[] = {text[2 * i], text[2 * i + 1], '\0'};

        bytes[i] = (unsigned char)strtol(digits, NULL, 16);
    }
    return length;
}

#define KEY_15 "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
#define PLAIN_15                                                                         \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"                   \
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define SEALED_15                                                                        \
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"                   \
    "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"

/* D. McGrew and J. Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B: test
 * cases 13 to 16, of AES-256 with nonces of 96 bits. */
static const struct {
    const char *key, *nonce, *known, *plain, *sealed, *tag;
} gcm[] = {
    {"0000000000000000000000000000000000000000000000000000000000000000",
     "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {"0000000000000000000000000000000000000000000000000000000000000000",
     "000000000000000000000000", "", "00000000000000000000000000000000",
     "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
    {KEY_15, "cafebabefacedbaddecaf888", "", PLAIN_15 "1aafd255", SEALED_15 "898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {KEY_15, "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
     PLAIN_15, SEALED_15, "76fc6ece0f4e1768cddf8853bb2d551b"},
};

UNIT_NEEDS(mtree_crypto_is_supported())

UNIT_LOOP(ciphers_are_aes_256_gcm, 0, sizeof(gcm) / sizeof(gcm[0]))
{
    unsigned char key[MOST], nonce[MOST], known[MOST], plain[MOST], sealed[MOST];
    unsigned char made[MOST], opened[MOST];
    size_t known_length = read_hex(gcm[_i].known, known);
    size_t length = read_hex(gcm[_i].plain, plain);
    const struct iovec parts[] = {{plain, length / 3},
                                  {plain + length / 3, length - length / 3}};
    mtree_cipher_t *seals, *opens;

    ck_assert_uint_eq(read_hex(gcm[_i].key, key), MTREE_CRYPTO_KEY);
    ck_assert_uint_eq(read_hex(gcm[_i].nonce, nonce), MTREE_CRYPTO_NONCE);
    ck_assert_uint_eq(read_hex(gcm[_i].sealed, sealed), length);
    ck_assert_uint_eq(read_hex(gcm[_i].tag, sealed + length), MTREE_CRYPTO_TAG);
    seals = mtree_cipher_create(key, true);
    opens = mtree_cipher_create(key, false);
    ck_assert(seals != NULL && opens != NULL);
    ck_assert(mtree_cipher_seal(seals, nonce, known, known_length, parts, 2, made));
    ck_assert_mem_eq(made, sealed, length + MTREE_CRYPTO_TAG);
    ck_assert(mtree_cipher_open(opens, nonce, known, known_length, made, length, opened));
    ck_assert_mem_eq(opened, plain, length);
    made[length] ^= 1;
    ck_assert(
        !mtree_cipher_open(opens, nonce, known, known_length, made, length, opened));
    mtree_cipher_destroy(seals);
    mtree_cipher_destroy(opens);
}

/* RFC 4231, test case 2. */
UNIT_TEST(codes_are_hmac_sha256)
{
    const char text[] = "what do ya want for nothing?";
    unsigned char code[MTREE_CRYPTO_CODE], expected[MTREE_CRYPTO_CODE];

    (void)read_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                   expected);
    mtree_crypto_code("Jefe", 4, text, strlen(text), code);
    ck_assert_mem_eq(code, expected, sizeof(code));
}

/* RFC 7748, section 6.1. */
UNIT_TEST(keys_are_agreed_on_by_x25519)
{
    unsigned char own[MTREE_CRYPTO_KEY], told[MTREE_CRYPTO_KEY], theirs[MTREE_CRYPTO_KEY];
    unsigned char shared[2][MTREE_CRYPTO_KEY], expected[MTREE_CRYPTO_KEY];

    (void)read_hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
                   own);
    (void)read_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
                   theirs);
    (void)read_hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
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

static void make_keys(mtree_record_keys_t *first, mtree_record_keys_t *second,
                      unsigned char connection)
{
    const mtree_record_key_t shared = {{1, 2, 3}};

    mtree_record_keys_derive(&shared, &connection, 1, true, first);
    mtree_record_keys_derive(&shared, &connection, 1, false, second);
}

UNIT_TEST(each_direction_of_each_connection_has_a_key)
{
    mtree_record_keys_t first[2], second[2];
    const mtree_record_key_t *keys[4];

    for (unsigned char i = 0; i < 2; i++) {
        make_keys(&first[i], &second[i], i);
        ck_assert_mem_eq(&first[i].send, &second[i].receive, MTREE_CRYPTO_KEY);
        ck_assert_mem_eq(&first[i].receive, &second[i].send, MTREE_CRYPTO_KEY);
        keys[2 * i] = &first[i].send;
        keys[2 * i + 1] = &first[i].receive;
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            ck_assert_mem_ne(keys[i], keys[k], MTREE_CRYPTO_KEY);
        }
    }
}

/* Two ends of one direction, and three records of it. */
typedef struct {
    mtree_record_flow_t seals, opens;
    unsigned char records[3][MTREE_RECORD_LONGEST];
    size_t lengths[3];
} three_t;

static unsigned char plain[MTREE_RECORD_BYTES];

static void three_create(three_t *three)
{
    const mtree_record_key_t key = {{9}};
    char text[] = "record 0";
    const struct iovec part = {text, sizeof(text)};

    unit_ok(mtree_record_flow_init(&three->seals, &key, true));
    unit_ok(mtree_record_flow_init(&three->opens, &key, false));
    for (int i = 0; i < 3; i++) {
        text[7] = (char)('0' + i);
        three->lengths[i] = mtree_record_seal(&three->seals, &part, 1, three->records[i]);
        ck_assert_uint_eq(three->lengths[i], sizeof(text) + MTREE_RECORD_OVERHEAD);
        ck_assert_ptr_null(
            memmem(three->records[i], three->lengths[i], "record", strlen("record")));
    }
}

static int three_open(three_t *three, int i, size_t length)
{
    size_t plain_length, taken;
    int opened = mtree_record_open(&three->opens, three->records[i], length, plain,
                                   &plain_length, &taken);

    if (opened == 1) {
        ck_assert_uint_eq(taken, three->lengths[i]);
        ck_assert_uint_eq(plain_length, sizeof("record 0"));
        ck_assert_int_eq(plain[7], '0' + i);
    }
    return opened;
}

static void three_destroy(three_t *three)
{
    mtree_record_flow_cleanup(&three->seals);
    mtree_record_flow_cleanup(&three->opens);
}

UNIT_TEST(records_open_in_their_order)
{
    static three_t three;

    three_create(&three);
    ck_assert_int_eq(three_open(&three, 0, three.lengths[0]), 1);
    ck_assert_int_eq(three_open(&three, 0, three.lengths[0]), -1); /* said again */
    ck_assert_int_eq(three_open(&three, 2, three.lengths[2]), -1); /* one left out */
    ck_assert_int_eq(three_open(&three, 1, three.lengths[1]), 1);
    ck_assert_int_eq(three_open(&three, 2, three.lengths[2]), 1);
    three_destroy(&three);
}

UNIT_TEST(no_changed_record_opens)
{
    static three_t three;

    three_create(&three);
    for (size_t bit = 0; bit < 8 * three.lengths[0]; bit++) {
        three.records[0][bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_int_le(three_open(&three, 0, three.lengths[0]), 0);
        three.records[0][bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t length = 0; length < three.lengths[0]; length++) {
        ck_assert_int_eq(three_open(&three, 0, length), 0);
    }
    ck_assert_int_eq(three_open(&three, 0, three.lengths[0]), 1);
    three_destroy(&three);
}

UNIT_TEST(another_key_opens_nothing)
{
    const mtree_record_key_t other = {{8}};
    static three_t three;

    three_create(&three);
    mtree_record_flow_cleanup(&three.opens);
    unit_ok(mtree_record_flow_init(&three.opens, &other, false));
    ck_assert_int_eq(three_open(&three, 0, three.lengths[0]), -1);
    three_destroy(&three);
}

UNIT_TEST(both_ends_change_keys_together)
{
    const mtree_record_key_t key = {{9}};
    mtree_record_flow_t seals, opens;
    unsigned char record[MTREE_RECORD_LONGEST];
    char byte = 1;
    const struct iovec part = {&byte, 1};
    size_t length, taken;

    unit_ok(mtree_record_flow_init(&seals, &key, true));
    unit_ok(mtree_record_flow_init(&opens, &key, false));
    seals.number = opens.number = MTREE_RECORDS_PER_KEY - 3;
    for (int i = 0; i < 6; i++) {
        size_t sealed = mtree_record_seal(&seals, &part, 1, record);

        ck_assert_int_eq(
            mtree_record_open(&opens, record, sealed, plain, &length, &taken), 1);
        ck_assert_int_eq(memcmp(&seals.key, &key, sizeof(key)) != 0, i >= 3);
    }
    mtree_record_flow_cleanup(&seals);
    mtree_record_flow_cleanup(&opens);
}

/* Two ends of a socket pair, of which a third may touch what passes. */
typedef struct {
    int sockets[2];
    mtree_sealed_t *ends[2];
} pair_t;

static void pair_create(pair_t *pair)
{
    mtree_record_keys_t first, second;

    make_keys(&first, &second, 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair->sockets),
                     0);
    pair->ends[0] = mtree_sealed_create(&first);
    pair->ends[1] = mtree_sealed_create(&second);
    ck_assert(pair->ends[0] != NULL && pair->ends[1] != NULL);
}

static void pair_destroy(pair_t *pair)
{
    for (int i = 0; i < 2; i++) {
        mtree_sealed_destroy(pair->ends[i]);
        (void)close(pair->sockets[i]);
    }
}

UNIT_TEST(a_long_text_passes_in_pieces)
{
    enum { LENGTH = 1000000, PIECE = 777 };
    unsigned char *text = malloc(LENGTH), *read = calloc(1, LENGTH);
    size_t written = 0, got = 0;
    UNIT_OWNED(pair_destroy) pair_t pair;

    for (size_t i = 0; i < LENGTH; i++) {
        text[i] = (unsigned char)(i * 7 % 251);
    }
    pair_create(&pair);
    while (got < LENGTH) {
        size_t half = (LENGTH - written) / 2, room = LENGTH - got;
        struct iovec from[] = {{text + written, half},
                               {text + written + half, LENGTH - written - half}};
        struct iovec to[] = {{read + got, room < PIECE ? room : PIECE}};
        ssize_t count = written == LENGTH
                            ? 0
                            : mtree_sealed_write(pair.ends[0], pair.sockets[0], from, 2);

        ck_assert(count >= 0 || errno == EAGAIN);
        written += count < 0 ? 0 : (size_t)count;
        count = mtree_sealed_read(pair.ends[1], pair.sockets[1], to, 1);
        ck_assert(count > 0 || errno == EAGAIN);
        got += count < 0 ? 0 : (size_t)count;
    }
    ck_assert_mem_eq(text, read, LENGTH);
    ck_assert_uint_ge(mtree_sealed_written(pair.ends[0]),
                      LENGTH + LENGTH / MTREE_RECORD_BYTES * MTREE_RECORD_OVERHEAD);
    free(text);
    free(read);
}

/* What comes before a changed record is read; nothing of it is, nor behind it. */
UNIT_TEST(a_changed_byte_ends_the_text)
{
    char text[] = "first", read[sizeof(text)];
    struct iovec part = {text, sizeof(text)}, to = {read, sizeof(read)};
    unsigned char records[200];
    ssize_t length;
    UNIT_OWNED(pair_destroy) pair_t pair;

    pair_create(&pair);
    ck_assert_int_eq(mtree_sealed_write(pair.ends[0], pair.sockets[0], &part, 1),
                     sizeof(text));
    ck_assert_int_eq(mtree_sealed_write(pair.ends[0], pair.sockets[0], &part, 1),
                     sizeof(text));
    length = recv(pair.sockets[1], records, sizeof(records), 0);
    ck_assert_int_eq(length, 2 * (ssize_t)(sizeof(text) + MTREE_RECORD_OVERHEAD));
    records[length / 2 + 7] ^= 4;
    ck_assert_int_eq(send(pair.sockets[0], records, (size_t)length, 0), length);
    ck_assert_int_eq(mtree_sealed_read(pair.ends[1], pair.sockets[1], &to, 1),
                     sizeof(text));
    ck_assert_str_eq(read, text);
    ck_assert_int_eq(mtree_sealed_read(pair.ends[1], pair.sockets[1], &to, 1), -1);
    ck_assert_int_eq(errno, MTREE_SEALED_ERRNO);
}
