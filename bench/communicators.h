/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communicators on which a job measures.  One is made for each set of control
 * variables and of active ranks, and used again: between far hosts making one takes
 * longer than a call.
 */
#ifndef MTREE_BENCH_COMMUNICATORS_H
#define MTREE_BENCH_COMMUNICATORS_H

#include "base/status.h"
#include "bench/options.h"

#include <mpi.h>

typedef struct bench_communicator bench_communicator_t;

/* Those that were made; begin with zeros. */
typedef struct {
    bench_communicator_t *made; /* [count] */
    int count, capacity;
} bench_communicators_t;

/*
 * That of the ranks and the control variables that @a options name: MPI_COMM_WORLD where
 * these are all ranks as they began, MPI_COMM_NULL on ranks that are not active.
 * Collective over MPI_COMM_WORLD; owned by @a communicators.  On MTREE_ERR_INVALID one
 * line was logged, as by bench_control_set().
 */
mtree_status_t bench_communicators_get(bench_communicators_t *communicators,
                                       bench_options_t *options, MPI_Comm *comm_p);

/* Free them all.  Collective. */
void bench_communicators_cleanup(bench_communicators_t *communicators);

#endif
