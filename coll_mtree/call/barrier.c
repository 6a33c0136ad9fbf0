/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

#include "coll_mtree/base/params.h"

/* The byte that a barrier sends up and down the trees of the smallest messages.  It is
 * not reduced, so its value does not matter and all calls share it. */
static char token;

static void barrier_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(barrier))
{
    (void)comm;
    if (!coll_mtree_params.barrier) {
        return;
    }
    coll_mtree_coll_args_move(args, MTREE_ALLREDUCE, &token, 1, MPI_BYTE);
    args->verdict = MTREE_COLL_ARGS_SERVED;
}

MTREE_DEFINE_FORMS(barrier)
