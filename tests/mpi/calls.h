/* SPDX-License-Identifier: BSD-3-Clause */
/* A broadcast and a sum of 30,000 ints each. */
#ifndef MTREE_TESTS_MPI_CALLS_H
#define MTREE_TESTS_MPI_CALLS_H

#include <mpi.h>

/* Make both calls once and check the results. */
void mtree_calls_check(MPI_Comm comm);

#endif
