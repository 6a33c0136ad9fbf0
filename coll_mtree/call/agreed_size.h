/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The size of a call whose blocks are unequal, on which all ranks agree, so that class
 * and backend are the same on all of them.
 */
#ifndef COLL_MTREE_CALL_AGREED_SIZE_H
#define COLL_MTREE_CALL_AGREED_SIZE_H

#include "coll_mtree/call/mpi_call.h"

/*
 * Set size and verdict of @a call if only some ranks know its size.  Blocking calls agree
 * now and then on what they carry (coll_mtree/base/size_estimate.h), by an allreduce of
 * the fallback, persistent ones when they are made; nonblocking ones, which may not wait,
 * go by that, and to the fallback where there was none.  Open MPI's code.
 */
int coll_mtree_agreed_size_set(coll_mtree_mpi_call_t *call);

#endif
