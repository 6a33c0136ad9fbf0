/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/record.h"

#include <arpa/inet.h>
#include <string.h>

#define LENGTH_BYTES (MTREE_RECORD_OVERHEAD - MTREE_CRYPTO_TAG)

/* What a key is for. */
typedef enum { CONNECTION, FROM_FIRST, FROM_SECOND, NEXT, KEPT, AGAIN } purpose_t;

/* The key for @a purpose that follows from @a key and @a length further @a bytes. */
static void derive(const mtree_record_key_t *key, purpose_t purpose, const void *bytes,
                   size_t length, mtree_record_key_t *derived)
{
    unsigned char text[1 + MTREE_RECORD_CONTEXT] = {(unsigned char)purpose};

    memcpy(text + 1, bytes, length);
    mtree_crypto_code(key->bytes, sizeof(key->bytes), text, 1 + length, derived->bytes);
}

void mtree_record_keys_derive(const mtree_record_key_t *shared, const void *context,
                              size_t length, bool is_first, mtree_record_keys_t *keys)
{
    mtree_record_key_t key;

    derive(shared, CONNECTION, context, length, &key);
    derive(&key, FROM_FIRST, "", 0, is_first ? &keys->send : &keys->receive);
    derive(&key, FROM_SECOND, "", 0, is_first ? &keys->receive : &keys->send);
    explicit_bzero(&key, sizeof(key));
}

void mtree_record_keys_keep(const mtree_record_keys_t *keys, mtree_record_keys_t *kept)
{
    derive(&keys->send, KEPT, "", 0, &kept->send);
    derive(&keys->receive, KEPT, "", 0, &kept->receive);
}

void mtree_record_keys_renew(const mtree_record_keys_t *kept, uint32_t attempt,
                             const uint64_t positions[2], mtree_record_keys_t *keys)
{
    uint32_t words[5] = {htonl(attempt)};

    for (int i = 0; i < 2; i++) {
        words[1 + 2 * i] = htonl((uint32_t)(positions[i] >> 32));
        words[2 + 2 * i] = htonl((uint32_t)positions[i]);
    }
    derive(&kept->send, AGAIN, words, sizeof(words), &keys->send);
    derive(&kept->receive, AGAIN, words, sizeof(words), &keys->receive);
}

mtree_status_t mtree_record_flow_init(mtree_record_flow_t *flow,
                                      const mtree_record_key_t *key, bool seals)
{
    *flow = (mtree_record_flow_t){.cipher = mtree_cipher_create(key->bytes, seals),
                                  .key = *key};
    return flow->cipher == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK;
}

void mtree_record_flow_cleanup(mtree_record_flow_t *flow)
{
    mtree_cipher_destroy(flow->cipher);
    explicit_bzero(flow, sizeof(*flow));
}

/* The nonce of the next record, with the key that it has; false: libcrypto has failed. */
static bool next_nonce(mtree_record_flow_t *flow, unsigned char nonce[MTREE_CRYPTO_NONCE])
{
    const uint32_t words[] = {0, htonl((uint32_t)(flow->number >> 32)),
                              htonl((uint32_t)flow->number)};

    _Static_assert(sizeof(words) == MTREE_CRYPTO_NONCE, "a nonce's length");
    memcpy(nonce, words, sizeof(words));
    if (flow->number == 0 || flow->number % MTREE_RECORDS_PER_KEY != 0) {
        return true;
    }
    derive(&flow->key, NEXT, "", 0, &flow->key);
    return mtree_cipher_set_key(flow->cipher, flow->key.bytes);
}

size_t mtree_record_seal(mtree_record_flow_t *flow, const struct iovec *parts, int count,
                         unsigned char record[MTREE_RECORD_LONGEST])
{
    unsigned char nonce[MTREE_CRYPTO_NONCE];
    size_t length = 0;
    uint32_t word;

    for (int i = 0; i < count; i++) {
        length += parts[i].iov_len;
    }
    word = htonl((uint32_t)length);
    memcpy(record, &word, LENGTH_BYTES);
    if (!next_nonce(flow, nonce) ||
        !mtree_cipher_seal(flow->cipher, nonce, record, LENGTH_BYTES, parts, count,
                           record + LENGTH_BYTES)) {
        return 0;
    }
    flow->number++;
    return length + MTREE_RECORD_OVERHEAD;
}

int mtree_record_open(mtree_record_flow_t *flow, const unsigned char *bytes,
                      size_t length, unsigned char plain[MTREE_RECORD_BYTES],
                      size_t *plain_length, size_t *taken_p)
{
    unsigned char nonce[MTREE_CRYPTO_NONCE];
    uint32_t word;

    if (length < LENGTH_BYTES) {
        return 0;
    }
    memcpy(&word, bytes, LENGTH_BYTES);
    *plain_length = ntohl(word);
    if (*plain_length == 0 || *plain_length > MTREE_RECORD_BYTES) {
        return -1;
    }
    *taken_p = *plain_length + MTREE_RECORD_OVERHEAD;
    if (length < *taken_p) {
        return 0;
    }
    if (!next_nonce(flow, nonce) ||
        !mtree_cipher_open(flow->cipher, nonce, bytes, LENGTH_BYTES, bytes + LENGTH_BYTES,
                           *plain_length, plain)) {
        return -1;
    }
    flow->number++;
    return 1;
}
