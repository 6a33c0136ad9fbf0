/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective of MPI-3.1 on an intracommunicator, neighbourhood ones apart. */
#ifndef MTREE_TESTS_MPI_INTRA_H
#define MTREE_TESTS_MPI_INTRA_H

#include <mpi.h>
#include <stdbool.h>

/* Run each in its blocking or nonblocking form with @a count ints a rank, and check the
 * results. */
void mtree_intra_check(MPI_Comm comm, const char *name, bool nonblocking, int count);

#endif
