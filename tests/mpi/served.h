/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many calls mtree has served on this rank, or what else it counts, as MPI_T tells.
 */
#ifndef MTREE_TESTS_MPI_SERVED_H
#define MTREE_TESTS_MPI_SERVED_H

/* What coll_mtree_COUNTER counts, "calls_trees" for calls that are served.  Needs no
 * MPI_Init; to be called once, and served_close() before MPI_Finalize. */
void served_open(const char *counter);
void served_close(void);

/* The count so far, or -1 where there is no mtree. */
long served_calls(void);

#endif
