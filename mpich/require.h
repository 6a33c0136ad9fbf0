/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call cannot do without.  The other ranks are in the call, too, and wait: so the
 * job ends where it is missing.
 */
#ifndef MTREE_MPICH_REQUIRE_H
#define MTREE_MPICH_REQUIRE_H

#include "base/status.h"

#include <stddef.h>

/* End the job, with a line, unless @a status is MTREE_OK. */
void mtree_mpich_require(mtree_status_t status);

/* The same unless @a code, of an MPI function whose errors may not be fatal, is
 * MPI_SUCCESS. */
void mtree_mpich_must(int code);

/* Zeroed memory, the caller's; there is some, or the job ends. */
void *mtree_mpich_allocate(size_t count, size_t size);

#endif
