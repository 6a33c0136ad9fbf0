/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

/* Count and datatype may differ between ranks, their product may not. */
static void bcast_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(bcast))
{
    (void)comm;
    coll_mtree_coll_args_move(args, MTREE_BCAST, buffer, (size_t)count, dtype);
    args->call.root = root;
}

MTREE_DEFINE_FORMS(bcast)
