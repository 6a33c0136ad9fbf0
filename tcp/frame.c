/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/frame.h"

#include <arpa/inet.h>
#include <string.h>

/* "mtW" and the version. */
#define MAGIC UINT32_C(0x6d745703)

enum {
    MAGIC_AT,
    KIND_AT,
    CONTEXT_AT,
    FIRST_TAG_AT,
    GENERATION_AT,
    TAG_AT,
    SEQUENCE_AT,
    LENGTH_AT, /* the upper half, and the lower one behind it */
    NUM_WORDS = LENGTH_AT + 2
};

_Static_assert(NUM_WORDS * sizeof(uint32_t) == MTREE_TCP_HEADER, "a header's length");

void mtree_tcp_frame_write(const mtree_tcp_frame_t *frame,
                           unsigned char header[MTREE_TCP_HEADER])
{
    uint32_t words[NUM_WORDS] = {
        [MAGIC_AT] = htonl(MAGIC),
        [KIND_AT] = htonl(frame->kind),
        [CONTEXT_AT] = htonl(frame->key.context),
        [FIRST_TAG_AT] = htonl(frame->key.first_tag),
        [GENERATION_AT] = htonl(frame->key.generation),
        [TAG_AT] = htonl(frame->tag),
        [SEQUENCE_AT] = htonl(frame->sequence),
        [LENGTH_AT] = htonl((uint32_t)((uint64_t)frame->length >> 32)),
        [LENGTH_AT + 1] = htonl((uint32_t)frame->length),
    };

    memcpy(header, words, sizeof(words));
}

mtree_status_t mtree_tcp_frame_read(const unsigned char header[MTREE_TCP_HEADER],
                                    mtree_tcp_frame_t *frame)
{
    uint32_t words[NUM_WORDS];
    uint64_t length;

    memcpy(words, header, sizeof(words));
    for (int i = 0; i < NUM_WORDS; i++) {
        words[i] = ntohl(words[i]);
    }
    length = (uint64_t)words[LENGTH_AT] << 32 | words[LENGTH_AT + 1];
    if (words[MAGIC_AT] != MAGIC || words[KIND_AT] > MTREE_TCP_TAIL_PROBE ||
        words[TAG_AT] >= MTREE_TCP_TAGS || length > MTREE_TCP_LONGEST ||
        (words[KIND_AT] != MTREE_TCP_MESSAGE && length != 0)) {
        return MTREE_ERR_INVALID;
    }
    *frame = (mtree_tcp_frame_t){
        .kind = (mtree_tcp_kind_t)words[KIND_AT],
        .key = {words[CONTEXT_AT], words[FIRST_TAG_AT], words[GENERATION_AT]},
        .tag = words[TAG_AT],
        .sequence = words[SEQUENCE_AT],
        .length = (size_t)length,
    };
    return MTREE_OK;
}
