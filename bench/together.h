/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that all ranks begin at the same time by their machines' clocks.
 *
 * Ranks leave a barrier at different times, up to a latency apart.  Where a root is the
 * last, what it gathers is there before its clock begins to run.
 */
#ifndef MTREE_BENCH_TOGETHER_H
#define MTREE_BENCH_TOGETHER_H

#include <mpi.h>

/*
 * Wait, with all ranks of @a comm, for a time that they agree on, and @a late seconds
 * more on this rank.  Returns the seconds for which this one has waited too long: it was
 * not woken in time, or did not hear of it.  The time is soon after rank 0 has heard of
 * all others.  Neither the wait nor what is returned is longer than that took, so clocks
 * that differ do little harm.
 */
double bench_together_wait(MPI_Comm comm, double late);

#endif
