/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that are called when the user frees a communicator, at that call, whatever
 * still holds it.  Those of MPI_COMM_SELF are called when MPI_Finalize begins, while all
 * of MPI still works.
 */
#ifndef COLL_MTREE_BASE_FREE_HOOK_H
#define COLL_MTREE_BASE_FREE_HOOK_H

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"

/* Have @a func called with @a arg when @a comm is freed.  All ranks add the functions of
 * a communicator in the same order. */
void coll_mtree_free_hook_add(ompi_communicator_t *comm, void (*func)(void *arg),
                              void *arg);

#endif
