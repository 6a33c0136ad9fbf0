/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective that MPI-3.1 allows on an intercommunicator. */
#ifndef MTREE_TESTS_MPI_INTER_H
#define MTREE_TESTS_MPI_INTER_H

#include <mpi.h>
#include <stdbool.h>

/*
 * Run each in its blocking or nonblocking form with @a count ints a rank and check the
 * results; in rooted ones rank 0 of the group that has @a is_root_group is the root.
 */
void mtree_inter_check(MPI_Comm comm, bool is_root_group, bool nonblocking, int count);

#endif
