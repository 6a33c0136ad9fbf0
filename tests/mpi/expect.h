/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the MPI test programs expect: each check is counted, each failure told, and the
 * sum decides the exit status of every rank.
 */
#ifndef MTREE_TESTS_MPI_EXPECT_H
#define MTREE_TESTS_MPI_EXPECT_H

#include <mpi.h>
#include <stdbool.h>

/* The rank in MPI_COMM_WORLD, and how many there are. */
extern int my_rank, num_ranks;

/* MPI_Init(), and these two. */
void mtree_expect_begin(int *argc, char ***argv);

/* Of any thread: count one check; when it is not @a ok, print the line (the first ten of
 * each rank). */
void mtree_expect(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Add up the checks of all ranks of MPI_COMM_WORLD, print one line on rank 0, and return
 * the exit status: a failure when any check failed or none was made.  Collective; to be
 * called before MPI_Finalize.
 */
int mtree_expect_finish(const char *program);

/* The same, and MPI_Finalize(). */
int mtree_expect_end(const char *program);

/* The first on the ranks of @a comm. */
int mtree_expect_finish_on(MPI_Comm comm, const char *program);

#endif
