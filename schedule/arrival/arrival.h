/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives by arrival: bcast, reduce and allreduce whose schedule is made while they
 * run, in the order in which the ranks come, so that those that are there need not wait
 * for those that are not.  After Zhuang et al., "Hoplite", Sections 4.1 to 4.3.
 *
 * One rank coordinates: the root, or of an allreduce a rank of the plan's root.  Each
 * other one reports to it when it comes, and is told with whom to exchange chunks: the
 * chain of a reduction (schedule/arrival/chain.h), the sources of a broadcast
 * (schedule/arrival/directory.h).  A receiver may leave when it holds everything, serves
 * nobody, and the coordinator has said that it will send nobody to it.  An allreduce is a
 * reduction whose result is broadcast as it comes.  Up to MTREE_ARRIVAL_DIRECT_BYTES the
 * root sends to everyone itself and asks nobody.
 *
 * In which order sums are added depends on who comes when: equal input may give different
 * bits.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_ARRIVAL_H
#define MTREE_SCHEDULE_ARRIVAL_ARRIVAL_H

#include "schedule/layout.h"
#include "schedule/operation.h"

#include <stdatomic.h>

/* The paper's Section 4.1: small objects lie in the directory itself. */
#define MTREE_ARRIVAL_DIRECT_BYTES 65536

/* Tags that it takes: those of a stream on the transport of the data, and two on that of
 * the coordination. */
enum {
    MTREE_ARRIVAL_TAG_COMMAND = MTREE_STREAM_TAGS,
    MTREE_ARRIVAL_TAG_REPORT,
    MTREE_ARRIVAL_TAGS
};

/* What one rank brings along; all but rank, transports, aside, came, stays and lasting is
 * the same on all ranks.  What is pointed to must stay until it is released. */
typedef struct {
    const mtree_plan_t *plan; /* by arrival */
    const mtree_placement_t *placement;
    const mtree_call_t *call;
    int rank;
    mtree_transport_t *transport; /* units of the call */
    mtree_transport_t *control;   /* bytes */
    size_t room; /* bytes that a rank of a chain takes from each that sends to it, before
                    it can send on */
    atomic_size_t *aside; /* bytes that this process may still take to keep copies for
                             those that have not come to a bcast, so that the root may
                             leave before them; NULL: the root stays */
    double *came; /* [ranks] where those that come are noted: 0 for the coordinator, and
                     on it the seconds from its beginning until it heard of each; all
                     below 0 at first; NULL: not wanted */
    bool stays;   /* as coordinator of a bcast: nobody is relieved of a receiver, so that
                     ranks which come one after the other leave together */
    bool lasting; /* it ends when nothing of it is under way: the tags are used again */
} mtree_arrival_t;

/* Can plans by arrival serve @a collective? */
bool mtree_arrival_serves(mtree_collective_t collective);

/*
 * Start; as mtree_operation_start().  @a released (may be NULL) is called with @a arg
 * when nothing is under way any more, which may be long after the end; until then *data's
 * functions and what @a arrival points to are used.  On an error nothing was sent and
 * neither function is called: MTREE_ERR_NO_MEMORY, MTREE_ERR_UNSUPPORTED when it does not
 * serve the collective, MTREE_ERR_INVALID for an unknown one (logged).
 */
mtree_status_t mtree_arrival_start(const mtree_arrival_t *arrival,
                                   const mtree_operation_data_t *data,
                                   mtree_operation_func_t func, void (*released)(void *),
                                   void *arg, mtree_operation_t **operation_p);

#endif
