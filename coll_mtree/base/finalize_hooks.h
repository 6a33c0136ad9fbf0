/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that MPI_Finalize calls first, while all of MPI still works.
 */
#ifndef COLL_MTREE_BASE_FINALIZE_HOOKS_H
#define COLL_MTREE_BASE_FINALIZE_HOOKS_H

/* Runs on every rank that added it. */
typedef void (*coll_mtree_finalize_func_t)(void);

/* Have @a func called when MPI_Finalize begins.  All ranks add theirs in the same order.
 */
void coll_mtree_finalize_hook_add(coll_mtree_finalize_func_t func);

#endif
