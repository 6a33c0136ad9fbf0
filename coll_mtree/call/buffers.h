/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's buffers as the engine sees them: how to reduce their elements and, where
 * they are not contiguous, how to pack them.
 */
#ifndef COLL_MTREE_CALL_BUFFERS_H
#define COLL_MTREE_CALL_BUFFERS_H

#include "coll_mtree/call/side_buffers.h"
#include "coll_mtree/call/staging.h"

#include "schedule/operation.h"

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
