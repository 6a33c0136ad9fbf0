/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many calls mtree has served on this rank, as MPI_T tells.
 */
#ifndef MTREE_TESTS_MPI_SERVED_H
#define MTREE_TESTS_MPI_SERVED_H

/* Needs no MPI_Init; to be called once, and served_close() before MPI_Finalize. */
void served_open(void);
void served_close(void);

/* Calls so far, or -1 where there is no mtree. */
long served_calls(void);

#endif
