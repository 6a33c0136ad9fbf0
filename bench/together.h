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
 * Agree on a time with all ranks of @a comm: seconds until then.  It is soon after rank 0
 * has heard of all others, and where clocks differ at most as long as that took.
 */
double bench_together_delay(MPI_Comm comm);

#endif
