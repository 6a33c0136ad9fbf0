/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scratch calls: calls like one of the user's that move and combine bytes in memory of
 * mtree's own, so that what is measured leaves no trace in the user's results.
 */
#ifndef COLL_MTREE_ADAPT_SCRATCH_CALL_H
#define COLL_MTREE_ADAPT_SCRATCH_CALL_H

#include "coll_mtree/adapt/first_calls.h"
#include "coll_mtree/coll_mtree.h"

typedef struct {
    const mtree_call_t *like;
    char *bytes; /* as much again of them, to receive, of a personalized collective */
    int total;   /* bytes of the call */
    int *counts; /* [ranks] bytes of each rank's block; NULL: all have as many, or none */
    int *offsets; /* [ranks] of the blocks */
} coll_mtree_scratch_call_t;

/* Calls like @a like, which must stay.  False: no memory, or more bytes than Open MPI's
 * functions can count.  To be cleaned up in any case. */
bool coll_mtree_scratch_call_init(coll_mtree_scratch_call_t *call,
                                  const mtree_call_t *like, int ranks);
void coll_mtree_scratch_call_cleanup(coll_mtree_scratch_call_t *call);

/* Make such a call on @a comm by the blocking ones of @a functions. */
void coll_mtree_scratch_call_run(const coll_mtree_scratch_call_t *call,
                                 const coll_mtree_fallback_t *functions,
                                 ompi_communicator_t *comm);

/* Time calls like @a like by @a functions, behind @a warmups that are not timed: *count_p
 * times, 0 where a rank has no memory for that. */
void coll_mtree_scratch_calls_time(const mca_coll_mtree_module_t *module,
                                   ompi_communicator_t *comm, const mtree_call_t *like,
                                   const coll_mtree_fallback_t *functions, int warmups,
                                   double seconds[COLL_MTREE_FALLBACK_CALLS],
                                   int *count_p);

#endif
