/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that mtree leaves to Open MPI: between two groups, and between neighbours.
 * Each is run in its blocking or nonblocking form with @a count ints from each rank to
 * each, and its results are checked.
 */
#ifndef MTREE_TESTS_MPI_UNSERVED_H
#define MTREE_TESTS_MPI_UNSERVED_H

#include <mpi.h>
#include <stdbool.h>

/* Between the groups of @a comm; rank 0 of that of which @a is_root_group is true is the
 * root. */
void mtree_inter_check(MPI_Comm comm, bool is_root_group, bool nonblocking, int count);

/* On a Cartesian and on a graph ring of the ranks of @a comm. */
void mtree_neighbours_check(MPI_Comm comm, bool nonblocking, int count);

#endif
