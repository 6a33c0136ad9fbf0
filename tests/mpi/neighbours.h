/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbourhood collectives of MPI-3.1. */
#ifndef MTREE_TESTS_MPI_NEIGHBOURS_H
#define MTREE_TESTS_MPI_NEIGHBOURS_H

#include <mpi.h>
#include <stdbool.h>

/* Run each on a ring over @a comm, as a Cartesian and as a distributed graph, and check
 * the results. */
void mtree_neighbours_check(MPI_Comm comm, bool nonblocking, int count);

#endif
