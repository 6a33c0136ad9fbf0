/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts: from a plan over hosts to what one rank does in one collective call.
 *
 * Ranks of one host hang below that host's leader (schedule/placement.h).  Every rank
 * computes its own layout from the same plan and the same call, without a message; the
 * parts fit together because nothing local enters.
 */
#ifndef MTREE_SCHEDULE_LAYOUT_H
#define MTREE_SCHEDULE_LAYOUT_H

#include "planner/plan/plan.h"
#include "schedule/placement.h"
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

/* Up to so many bytes nothing is gained by waiting for the receiver. */
#define MTREE_LAYOUT_UNPACED_BYTES 65536

/* Bytes of a chunk of a share of @a length bytes, where the plan does not say: all shares
 * have as many chunks as the @a longest. */
size_t mtree_layout_default_chunk(size_t length, size_t longest);

/* Units of a chunk of @a bytes in @a call: at least one, and no more than it allows. */
size_t mtree_layout_chunk(const mtree_call_t *call, size_t bytes);

/*
 * Bytes that may be under way to a peer to which @a rate bits/s (0: not known) are
 * planned and from which word comes back after @a trip seconds, in chunks of @a chunk
 * bytes, when so many peers, @a sharers (at least one), share a queue.
 */
size_t mtree_layout_window(double rate, double trip, size_t chunk, int sharers);

/*
 * What @a rank does in @a call.  The plan may be for the call's own collective, or for
 * allreduce: its trees are used both ways, so they serve any collective, rooted anew
 * where it needs a root.  Owned by the caller. MTREE_ERR_UNSUPPORTED when the plan's
 * trees cannot serve the call, MTREE_ERR_INVALID when they are not for these hosts, or
 * the collective is not known (logged).
 */
mtree_status_t mtree_layout_create(const mtree_plan_t *plan,
                                   const mtree_placement_t *placement,
                                   const mtree_call_t *call, int rank,
                                   mtree_layout_t **layout_p);

/* Free; NULL is allowed. */
void mtree_layout_destroy(mtree_layout_t *layout);

#endif
