/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is to be done at MPI_Finalize while everything still works.
 */
#ifndef COLL_MTREE_BASE_FINALIZE_HOOKS_H
#define COLL_MTREE_BASE_FINALIZE_HOOKS_H

#include <stdbool.h>

/* Called on every rank that asked for it. */
typedef void (*coll_mtree_finalize_func_t)(void);

/* Have @a func called when MPI_Finalize begins.  Ranks that ask in the same order are
 * called in the same order.  False: no memory. */
bool coll_mtree_finalize_hook_add(coll_mtree_finalize_func_t func);

#endif
