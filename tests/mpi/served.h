/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many calls mtree has served on this rank, or what else it counts, as MPI_T tells.
 */
#ifndef MTREE_TESTS_MPI_SERVED_H
#define MTREE_TESTS_MPI_SERVED_H

/* What coll_mtree_COUNTER, of @a var_class, counts from here on, "calls_trees" for calls
 * that are served.  Needs no MPI_Init; one at a time, and served_close() before
 * MPI_Finalize. */
void served_open(const char *counter, int var_class);
void served_close(void);

/* The count so far, or -1 where there is no mtree. */
long served_calls(void);

#endif
