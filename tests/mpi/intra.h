/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective of MPI-3.1 on an intracommunicator, neighbourhood ones apart. */
#ifndef MTREE_TESTS_MPI_INTRA_H
#define MTREE_TESTS_MPI_INTRA_H

#include <mpi.h>
#include <stdbool.h>

/* Run each in its blocking or nonblocking form, now and then with blocks of megabytes if
 * @a large, and check the results. */
void mtree_intra_check(MPI_Comm comm, const char *name, bool nonblocking, bool large);

#endif
