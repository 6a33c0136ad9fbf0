/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts: what one rank does in one collective call, from a plan over hosts.
 *
 * The ranks of one host are below that host's leader (schedule/placement.h).  Every rank
 * computes its own layout from the plan and the call, without a message.  Layouts of
 * different ranks fit together because they depend on nothing that is local to a rank.
 */
#ifndef MTREE_SCHEDULE_LAYOUT_H
#define MTREE_SCHEDULE_LAYOUT_H

#include "schedule/placement.h"
#include "schedule/plan_part.h"
#include "schedule/stream.h"

/* One call, the same on all ranks. */
typedef struct {
    mtree_collective_t collective;
    int root;          /* rank, for bcast and reduce */
    size_t units;      /* of the whole vector; allgather and reduce_scatter: of all blocks
                          together */
    size_t unit_bytes; /* bytes of data in a unit */
    const size_t *blocks; /* [num_ranks + 1] first unit of each rank's block, or NULL:
                             equal blocks */
    size_t chunk_bytes;   /* 0: from the plan, else from the size */
    size_t longest_bytes; /* no message is longer, unless one unit is; 0: any may be */
} mtree_call_t;

/* Messages up to so many bytes are sent without waiting for the receiver. */
#define MTREE_LAYOUT_UNPACED_BYTES 65536

/* Bytes of a chunk of a share of @a length bytes, where the plan gives no size.  All
 * shares have as many chunks as the @a longest. */
size_t mtree_layout_default_chunk(size_t length, size_t longest);

/* Units of a chunk of @a bytes in @a call: at least one, within the limit of the call. */
size_t mtree_layout_chunk(const mtree_call_t *call, size_t bytes);

/*
 * Bytes that may be outstanding to a peer with a planned rate of @a rate bits/s (0: not
 * known) and a round-trip time of @a trip seconds, in chunks of @a chunk bytes, when
 * @a sharers peers (at least one) share a queue.
 */
size_t mtree_layout_window(double rate, double trip, size_t chunk, int sharers);

/*
 * The layout of @a rank in @a call, from the @a part of its host.  The plan is for the
 * collective of the call, or for allreduce: data uses those trees in both directions, so
 * they serve every collective, with another root where it has one.  Owned by the caller.
 * MTREE_ERR_UNSUPPORTED: the trees cannot serve the call.  MTREE_ERR_INVALID: the plan is
 * for other hosts, or the collective is not known (logged).
 */
mtree_status_t mtree_layout_create(const mtree_plan_part_t *part,
                                   const mtree_placement_t *placement,
                                   const mtree_call_t *call, int rank,
                                   mtree_layout_t **layout_p);

/* Free; NULL is allowed. */
void mtree_layout_destroy(mtree_layout_t *layout);

#endif
