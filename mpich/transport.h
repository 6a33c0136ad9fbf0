/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schedule's transport over MPI's public point-to-point functions.
 *
 * Requests complete, and completions are handed on, while the owner calls progress; one
 * thread does.  An error of MPI ends the job: the communicator's errors are fatal.
 */
#ifndef MTREE_MPICH_TRANSPORT_H
#define MTREE_MPICH_TRANSPORT_H

#include "schedule/transport.h"

#include <mpi.h>

/* Message i has request i, and ends with completion i. */
typedef struct {
    mtree_transport_t super;
    MPI_Comm comm;  /* of the messages, where nobody else sends */
    int unit_bytes; /* of the call under way */
    int num_messages;
    mtree_completion_t **completions;
    MPI_Request *requests;
    int completion_capacity, request_capacity;
} mtree_mpich_transport_t;

/*
 * End the job, with a line, unless @a code, of an MPI function, is MPI_SUCCESS: the other
 * ranks are in the call, and wait.  The same happens where memory is missing
 * (base/memory.h).
 */
void mtree_mpich_must(int code);

/* A transport over @a comm, which stays the caller's. */
void mtree_mpich_transport_init(mtree_mpich_transport_t *transport, MPI_Comm comm);

/* Nothing may be outstanding. */
void mtree_mpich_transport_cleanup(mtree_mpich_transport_t *transport);

/* Hand on the completions of what has ended; where nothing has, let another process run.
 */
void mtree_mpich_transport_progress(mtree_mpich_transport_t *transport);

#endif
