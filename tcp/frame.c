/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/frame.h"

#include "base/bytes.h"

/* "mtW" and the version. */
#define MAGIC UINT32_C(0x6d745703)

_Static_assert(MTREE_TCP_HEADER == 36, "a header's length");

void mtree_tcp_frame_write(const mtree_tcp_frame_t *frame,
                           unsigned char header[MTREE_TCP_HEADER])
{
    mtree_put32(header, MAGIC);
    mtree_put32(header + 4, frame->kind);
    mtree_put32(header + 8, frame->key.context);
    mtree_put32(header + 12, frame->key.first_tag);
    mtree_put32(header + 16, frame->key.generation);
    mtree_put32(header + 20, frame->tag);
    mtree_put32(header + 24, frame->sequence);
    mtree_put64(header + 28, frame->length);
}

mtree_status_t mtree_tcp_frame_read(const unsigned char header[MTREE_TCP_HEADER],
                                    mtree_tcp_frame_t *frame)
{
    const uint32_t kind = mtree_get32(header + 4), tag = mtree_get32(header + 20);
    const uint64_t length = mtree_get64(header + 28);

    if (mtree_get32(header) != MAGIC || kind > MTREE_TCP_TAIL_PROBE ||
        tag >= MTREE_TCP_TAGS || length > MTREE_TCP_LONGEST ||
        (kind != MTREE_TCP_MESSAGE && length != 0)) {
        return MTREE_ERR_INVALID;
    }
    *frame = (mtree_tcp_frame_t){
        .kind = (mtree_tcp_kind_t)kind,
        .key = {mtree_get32(header + 8), mtree_get32(header + 12),
                mtree_get32(header + 16)},
        .tag = tag,
        .sequence = mtree_get32(header + 24),
        .length = (size_t)length,
    };
    return MTREE_OK;
}
