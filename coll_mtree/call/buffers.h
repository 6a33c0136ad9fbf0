/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's buffers as the engine sees them: how to reduce their elements and, where
 * they are not contiguous, how to pack them.
 */
#ifndef COLL_MTREE_CALL_BUFFERS_H
#define COLL_MTREE_CALL_BUFFERS_H

#include "coll_mtree/call/staging.h"

#include "schedule/operation.h"

/*
 * A side of a call (coll_mtree/call/coll_args.h) as the engine sees it.  Blocks that are
 * packed in the processor's memory are used where they are.  Where the result would
 * overwrite what is sent, or the memory is a device's, all blocks are copied to a stash.
 */
typedef struct {
    const coll_mtree_side_t *side; /* must outlive this */
    int rank, ranks;               /* this one, whose own block the engine leaves alone */
    size_t *units;                 /* [ranks] bytes of the blocks, owned */
    char **address;                /* [ranks] where they are packed; NULL: they are not */
    char *stash;                   /* owned; NULL: there is none */
} coll_mtree_side_buffers_t;

typedef struct {
    mtree_operation_data_t super; /* super.arg is this */
    coll_mtree_staging_t staging;
    const coll_mtree_coll_args_t
        *args;        /* the call's, or those that staging made of them */
    int num_blocks;   /* that are packed apart from each other */
    ptrdiff_t *shift; /* owned; super.shift */
    char *stash; /* result of a reduce_scatter in place until its end, or what an exscan
                    in place contributes; owned */
    bool stashes_input;
    coll_mtree_side_buffers_t send, recv; /* of a personalized collective */
} coll_mtree_buffers_t;

/* The buffers of the call of @a args, which must outlive them.  Zeros may be cleaned up,
 * too. */
void coll_mtree_buffers_init(coll_mtree_buffers_t *buffers,
                             const coll_mtree_coll_args_t *args, int rank, int ranks);

/* Before the first message: copy what a device has, or the result overwrites, and the
 * rank's own block. */
int coll_mtree_buffers_begin(const coll_mtree_buffers_t *buffers);

/* After the last message: copy the result from the stash and to the device. */
void coll_mtree_buffers_deliver(const coll_mtree_buffers_t *buffers);

void coll_mtree_buffers_cleanup(coll_mtree_buffers_t *buffers);

#endif
