/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's buffers as the engine sees them: how to reduce their elements and, where
 * they are not contiguous, how to pack them.
 */
#ifndef COLL_MTREE_CALL_BUFFERS_H
#define COLL_MTREE_CALL_BUFFERS_H

#include "coll_mtree/call/coll_args.h"

#include "schedule/operation.h"

/*
 * A side of a call (coll_mtree/call/coll_args.h) as the engine sees it.  Blocks that are
 * packed in the processor's memory are used where they are.  Where the result would
 * overwrite what is sent, the memory is a device's, or elements cannot be unpacked in
 * parts, all blocks are copied to a stash.
 */
typedef struct {
    size_t *units;  /* [ranks] bytes of the blocks, owned */
    char **address; /* [ranks] where they are packed; NULL: they are not */
    char *stash;    /* owned; NULL: there is none */
} coll_mtree_side_buffers_t;

/*
 * A call as the engine sees it.  Where the memory is a device's, such as a GPU's, whose
 * data the processor cannot reduce and copy, or where the result would overwrite what is
 * not sent yet, a stash takes its place: each rank decides so for itself.
 */
typedef struct {
    mtree_operation_data_t super; /* super.arg is this */
    const coll_mtree_coll_args_t *args;
    int rank, ranks;              /* the engine leaves this one's own block alone */
    ptrdiff_t *shift;             /* owned; super.shift */
    char *input;                  /* the stash of what is reduced; owned, or NULL */
    char *stash;                  /* that of a reduced result; owned, or NULL */
    coll_mtree_elements_t result; /* where that is delivered to */
    coll_mtree_side_buffers_t send,
        recv; /* of a personalized collective; `recv` of others
                 that move data, where that is stashed */
} coll_mtree_buffers_t;

/* The buffers of the call of @a args, which must outlive them.  Zeros may be cleaned up,
 * too. */
void coll_mtree_buffers_init(coll_mtree_buffers_t *buffers,
                             const coll_mtree_coll_args_t *args, int rank, int ranks);

/* Before the first message: copy to the stashes what is sent, and the rank's own block.
 */
int coll_mtree_buffers_begin(const coll_mtree_buffers_t *buffers);

/* After the last message: copy the result from its stash. */
void coll_mtree_buffers_deliver(const coll_mtree_buffers_t *buffers);

/* They are zeros then. */
void coll_mtree_buffers_cleanup(coll_mtree_buffers_t *buffers);

#endif
