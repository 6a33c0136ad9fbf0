/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/call_class.h"

/* An odd number whose bits are about as many ones as zeros: 2^64 by the golden ratio. */
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

coll_mtree_call_class_t coll_mtree_call_class_of(mtree_collective_t collective, int root,
                                                 size_t bytes)
{
    coll_mtree_call_class_t call_class = {
        .collective = collective,
        .root = mtree_collective_has_root(collective) ? root : -1};

    if (bytes < COLL_MTREE_CLASS_LEAST_BYTES) {
        bytes = COLL_MTREE_CLASS_LEAST_BYTES;
    }
    call_class.bytes = (double)bytes;
    for (; bytes > 1; bytes >>= 1) {
        call_class.size_class++;
    }
    return call_class;
}

double coll_mtree_call_class_host_share(mtree_collective_t collective, int ranks,
                                        int hosts)
{
    return mtree_collective_is_personalized(collective) &&
                   mtree_collective_has_blocks(collective)
               ? (ranks + hosts - 1) / hosts
               : 1;
}

bool coll_mtree_call_class_equals(const coll_mtree_call_class_t *a,
                                  const coll_mtree_call_class_t *b)
{
    return a->collective == b->collective && a->root == b->root &&
           a->size_class == b->size_class && a->relayed == b->relayed;
}

/* One multiplication: every call computes it. */
uint64_t coll_mtree_call_class_hash(const coll_mtree_call_class_t *call_class)
{
    uint64_t hash = (uint64_t)call_class->collective |
                    (uint64_t)call_class->relayed << 6 |
                    (uint64_t)call_class->size_class << 8 |
                    (uint64_t)(uint32_t)call_class->root << 16;

    hash *= MULTIPLIER;
    return hash ^ hash >> 32;
}
