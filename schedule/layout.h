/*
 * Layouts: from a plan over hosts to what one rank does in one collective call.
 *
 * Ranks of one host hang below that host's leader, and different trees use different
 * leaders, so that the work of a host's ranks is spread.  Every rank computes its own
 * layout from the same plan and the same call, without a message; the parts fit together
 * because nothing local enters.
 */
#ifndef MTREE_SCHEDULE_LAYOUT_H
#define MTREE_SCHEDULE_LAYOUT_H

#include "planner/plan.h"
#include "schedule/stream.h"

/* Which rank runs where; the same on all ranks. */
typedef struct {
    int num_ranks;
    int num_hosts;
    int *host;  /* [num_ranks] host number of a rank */
    int *first; /* [num_hosts + 1] where the host's ranks begin in `ranks` */
    int *ranks; /* [num_ranks] grouped by host, ascending */
} mtree_placement_t;

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
} mtree_call_t;

/*
 * The placement of @a num_ranks ranks on @a num_hosts hosts; @a host is copied.  Owned by
 * the caller. MTREE_ERR_INVALID when a host number is out of range or a host has no rank.
 */
mtree_status_t mtree_placement_create(int num_ranks, int num_hosts, const int *host,
                                      mtree_placement_t **placement_p);

/* Free; NULL is allowed. */
void mtree_placement_destroy(mtree_placement_t *placement);

/*
 * What @a rank does in @a call.  The plan may be for the call's own collective, or for
 * allreduce: its trees are used both ways, so they serve any collective, rooted anew
 * where it needs a root.  Owned by the caller. MTREE_ERR_UNSUPPORTED when the plan's
 * trees cannot serve the call.
 */
mtree_status_t mtree_layout_create(const mtree_plan_t *plan,
                                   const mtree_placement_t *placement,
                                   const mtree_call_t *call, int rank,
                                   mtree_layout_t **layout_p);

/* Free; NULL is allowed. */
void mtree_layout_destroy(mtree_layout_t *layout);

#endif
