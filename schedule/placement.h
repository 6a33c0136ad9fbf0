/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Placements: the host of each rank, the leaders of a host in a tree, and the ranks below
 * their leader.
 *
 * Leaders are the ranks nearest to the host's network; trees take them in turn.  Below
 * the leader there is one rank for each other part of the host (packages, say), below
 * each of these one for each smaller part, down to cores.  So few messages go far, and
 * many ranks share the reduction.  Trees differ in the rank that heads a part, too.
 */
#ifndef MTREE_SCHEDULE_PLACEMENT_H
#define MTREE_SCHEDULE_PLACEMENT_H

#include "base/status.h"
#include "topo/host/locality.h"

#include <stdbool.h>

/* The same on all ranks. */
typedef struct {
    int num_ranks;
    int num_hosts;
    int num_relays;   /* relay i has the number num_ranks + i behind all ranks, and the
                         last hosts; the lists of ranks below have them, too */
    int *host;        /* [num_ranks] host number of a rank */
    int *first;       /* [num_hosts + 1] where the host's ranks begin in `ranks` */
    int *ranks;       /* [num_ranks] grouped by host, within it by locality, ascending */
    int *position;    /* [num_ranks] of a rank in `ranks` */
    int *leaders;     /* [num_ranks] grouped by host, the nearest to its network first */
    int *num_leaders; /* [num_hosts] how many of these lead trees */
    mtree_locality_t *localities; /* [num_ranks] of a rank */
} mtree_placement_t;

/*
 * The placement of @a num_ranks ranks on @a num_hosts hosts; @a host and @a localities
 * ([num_ranks], NULL: nothing is known) are copied.  Owned by the caller.
 * MTREE_ERR_INVALID when a host number is out of range or a host has no rank.
 */
mtree_status_t mtree_placement_create(int num_ranks, int num_hosts, const int *host,
                                      const mtree_locality_t *localities,
                                      mtree_placement_t **placement_p);

/* The same, where @a num_relays of the hosts, the last ones, are relays, without ranks.
 */
mtree_status_t mtree_placement_create_relayed(int num_ranks, int num_hosts,
                                              int num_relays, const int *host,
                                              const mtree_locality_t *localities,
                                              mtree_placement_t **placement_p);

/* Is @a member a relay? */
static inline bool mtree_placement_is_relay(const mtree_placement_t *placement,
                                            int member)
{
    return member >= placement->num_ranks;
}

/* Free; NULL is allowed. */
void mtree_placement_destroy(mtree_placement_t *placement);

/* The rank that communicates for @a host in tree number @a tree. */
int mtree_placement_leader(const mtree_placement_t *placement, int host, int tree);

/*
 * Parent and children of @a rank among the ranks of its host, in tree number @a tree with
 * @a leader, one of these ranks, as root.  *parent_p is -1 for the leader.  @a children
 * has memory for all other ranks of the host; *num_children_p of them are written.
 */
void mtree_placement_neighbours(const mtree_placement_t *placement, int rank, int leader,
                                int tree, int *parent_p, int *children,
                                int *num_children_p);

/*
 * The ranks of its host that are below @a rank in tree number @a tree with @a leader, as
 * mtree_placement_neighbours() has it: @a rank first, parents before children, the
 * subtrees of children in their order.  How many; @a ranks has memory for twice the ranks
 * of the host.
 */
int mtree_placement_walk(const mtree_placement_t *placement, int rank, int leader,
                         int tree, int *ranks);

/* The most ranks that a host has. */
int mtree_placement_most_ranks(const mtree_placement_t *placement);

/* The number of parts at @a level (0: the largest) that the ranks of @a host are in;
 * ranks whose part is not known count as one. */
int mtree_placement_num_parts(const mtree_placement_t *placement, int host, int level);

#endif
