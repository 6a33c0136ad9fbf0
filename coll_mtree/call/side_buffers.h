/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A side of a call (coll_mtree/call/sides.h) as the engine sees it.  Blocks that are
 * packed in the processor's memory are used where they are.  Where the result would
 * overwrite what is sent, or the memory is a device's, all blocks are copied to a stash.
 */
#ifndef COLL_MTREE_CALL_SIDE_BUFFERS_H
#define COLL_MTREE_CALL_SIDE_BUFFERS_H

#include "coll_mtree/call/sides.h"

#include "schedule/operation.h"

typedef struct {
    const coll_mtree_side_t *side; /* must outlive this */
    int rank, ranks;               /* this one, whose own block the engine leaves alone */
    size_t *units;                 /* [ranks] bytes of the blocks, owned */
    char **address;                /* [ranks] where they are packed; NULL: they are not */
    char *stash;                   /* owned; NULL: there is none */
} coll_mtree_side_buffers_t;

/* The buffers of @a side, on @a rank of @a ranks; with @a copies all blocks are stashed.
 * Zeros may be cleaned up, too. */
void coll_mtree_side_buffers_init(coll_mtree_side_buffers_t *buffers,
                                  const coll_mtree_side_t *side, int rank, int ranks,
                                  bool copies);
void coll_mtree_side_buffers_cleanup(coll_mtree_side_buffers_t *buffers);

/* The same for the engine, which reads sizes where blocks are @a unequal. */
mtree_side_t coll_mtree_side_buffers_view(const coll_mtree_side_buffers_t *buffers,
                                          bool unequal);

/* Copy the blocks to the stash before the first message, or from it after the last. */
void coll_mtree_side_buffers_stash(const coll_mtree_side_buffers_t *buffers);
void coll_mtree_side_buffers_deliver(const coll_mtree_side_buffers_t *buffers);

#endif
