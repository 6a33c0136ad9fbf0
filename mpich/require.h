/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call cannot do without, besides memory (base/memory.h).  The other
 * ranks are in the call, too, and wait: so the job ends, with a line, where it is
 * missing.
 */
#ifndef MTREE_MPICH_REQUIRE_H
#define MTREE_MPICH_REQUIRE_H

/* End the job unless @a code, of an MPI function whose errors may not be fatal, is
 * MPI_SUCCESS. */
void mtree_mpich_must(int code);

#endif
