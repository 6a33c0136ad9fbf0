/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's data as the engine sees it: how to fold it, and where it is not contiguous,
 * how to pack it.
 */
#ifndef COLL_MTREE_CALL_BUFFERS_H
#define COLL_MTREE_CALL_BUFFERS_H

#include "coll_mtree/call/coll_args.h"

#include "schedule/operation.h"

typedef struct {
    mtree_operation_data_t super; /* super.arg is this */
    const coll_mtree_coll_args_t *args;
    int num_blocks;   /* that must be packed each for itself */
    ptrdiff_t *shift; /* owned; super.shift */
    char *aside;      /* the result of a reduce_scatter in place; owned */
} coll_mtree_buffers_t;

/*
 * What the engine needs to see of the buffers of @a args, which must stay.
 * Returns OMPI_ERR_OUT_OF_RESOURCE; a zeroed or initialised one may be cleaned up.
 */
int coll_mtree_buffers_init(coll_mtree_buffers_t *data,
                            const coll_mtree_coll_args_t *args, int rank, int ranks);

/* What is to be copied before the first message: the rank's own block. */
int coll_mtree_buffers_begin(const coll_mtree_coll_args_t *args);

/* What is to be copied after the last message: a result that was kept aside. */
void coll_mtree_buffers_deliver(const coll_mtree_buffers_t *data,
                                const coll_mtree_coll_args_t *args);

void coll_mtree_buffers_cleanup(coll_mtree_buffers_t *data);

#endif
