/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Staging: calls on buffers in the memory of a device, such as a GPU.  The engine reduces
 * and copies with the processor, so such a buffer is copied to the host's memory before
 * the first message and back after the last one.
 *
 * Each rank stages for itself: where another rank's buffers lie makes no difference.
 */
#ifndef COLL_MTREE_CALL_STAGING_H
#define COLL_MTREE_CALL_STAGING_H

#include "coll_mtree/call/coll_args.h"

typedef struct {
    const coll_mtree_coll_args_t *user; /* the call; NULL: nothing is staged */
    coll_mtree_coll_args_t args; /* the same with the host's addresses; owns nothing */
    int num_parts;               /* of the output: one, or as many as there are blocks */
    bool reads,
        writes; /* the output: from the device at the beginning, to it at the end */
    char *input, *output; /* owned; NULL: that buffer is not staged */
} coll_mtree_staging_t;

/* What of the call of @a args is to be staged on @a rank of @a ranks; @a staging is
 * zeros, and @a args must outlive it. */
void coll_mtree_staging_init(coll_mtree_staging_t *staging,
                             const coll_mtree_coll_args_t *args, int rank, int ranks);

/* Copy what is sent to the host. */
void coll_mtree_staging_begin(const coll_mtree_staging_t *staging);

/* Copy what was received to the device. */
void coll_mtree_staging_end(const coll_mtree_staging_t *staging);

void coll_mtree_staging_cleanup(coll_mtree_staging_t *staging);

#endif
