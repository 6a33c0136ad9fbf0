/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrival-ordered collectives ("by arrival"): bcast, reduce and allreduce whose schedule
 * is made while they run, in the order in which the ranks enter the call.  Ranks that
 * have arrived exchange data without waiting for the others.  After Zhuang et al.,
 * "Hoplite", Sections 4.1 to 4.3.
 *
 * One rank is the coordinator: the root, or of an allreduce a rank of the host that is
 * the root of the plan's tree.  Every other rank reports its arrival to it and receives
 * its peers: those of the chain of a reduction (schedule/arrival/chain.h) and the source
 * of a broadcast (schedule/arrival/directory.h).  A receiver may leave when it has the
 * whole result, serves nobody, and has the coordinator's message that no more receivers
 * will follow.  An allreduce is a reduction whose result is broadcast while it is made.
 * Up to MTREE_ARRIVAL_DIRECT_BYTES the root sends to all others itself.
 *
 * The order of additions depends on the order of arrival: equal input may give different
 * bits.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_ARRIVAL_H
#define MTREE_SCHEDULE_ARRIVAL_ARRIVAL_H

#include "schedule/layout.h"
#include "schedule/operation.h"

#include <stdatomic.h>

/* Bytes (the paper's Section 4.1: the directory itself holds small objects). */
#define MTREE_ARRIVAL_DIRECT_BYTES 65536

/* Its tags on the control transport; those before are the stream's, for sums and for the
 * result. */
enum {
    MTREE_ARRIVAL_TAG_COMMAND = 2 * MTREE_STREAM_TAGS,
    MTREE_ARRIVAL_TAG_EVENT,
    MTREE_ARRIVAL_TAGS
};

/* One call of one rank.  All but rank, transports, copy_budget and reuses_tags is the
 * same on all ranks.  What is pointed to stays until the call is released. */
typedef struct {
    const mtree_plan_t *plan; /* an arrival-ordered one */
    const mtree_placement_t *placement;
    const mtree_call_t *call;
    int rank;
    mtree_transport_t *transport; /* units of the call */
    mtree_transport_t *control;   /* bytes */
    size_t window_bytes; /* that a rank of a chain can receive from each child before it
                            sends on */
    atomic_size_t *copy_budget; /* bytes that this process may still use for copies, which
                                   let the root of a bcast leave before the last rank has
                                   arrived; NULL: the root stays */
    bool reuses_tags; /* it ends when nothing of it is outstanding, since its tags are
                         used again */
} mtree_arrival_t;

/* Can an arrival-ordered plan serve @a collective? */
bool mtree_arrival_serves(mtree_collective_t collective);

/*
 * Start a call that it serves, as mtree_operation_start().  @a released (may be NULL) is
 * called with @a arg when nothing is outstanding any more, which may be long after the
 * end.  Until then *data's functions and what @a arrival points to are in use.
 */
void mtree_arrival_start(const mtree_arrival_t *arrival,
                         const mtree_operation_data_t *data, mtree_operation_func_t func,
                         void (*released)(void *), void *arg,
                         mtree_operation_t **operation_p);

#endif
