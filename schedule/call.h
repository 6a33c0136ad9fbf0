/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls: what the ranks have agreed on when they call a collective function.
 */
#ifndef MTREE_SCHEDULE_CALL_H
#define MTREE_SCHEDULE_CALL_H

#include "planner/plan/collective.h"

#include <stddef.h>

/* Seconds that TCP takes at most, as a rule, to send again what was lost: Linux waits for
 * 200 ms where nothing that came behind it tells.  What other connections carry comes
 * meanwhile. */
#define MTREE_CALL_RECOVERY 0.4

/* One call, but for `overlap` the same on all ranks. */
typedef struct {
    mtree_collective_t collective;
    int root;          /* rank, where the collective has one */
    size_t units;      /* of the whole vector, which of an all-to-all is what one rank
                          sends; an estimate where blocks are unequal */
    size_t unit_bytes; /* bytes of data in a unit */
    const size_t
        *blocks;  /* [num_ranks + 1] first unit of each rank's block, of an
                     all-to-all in the vector of every rank; or NULL: equal blocks */
    bool unequal; /* personalized: only some ranks know the sizes of the blocks, and tell
                     the others with the data */
    bool is_exclusive;    /* of a scan: results leave out each rank's own part */
    size_t overlap;       /* units by which a vector in this rank's memory reaches beyond
                             its last unit (mtree_operation_overlap()) */
    size_t chunk_bytes;   /* 0: from the plan, else from the size */
    size_t longest_bytes; /* no message is longer, unless one unit of each block that it
                             has, or the header with their sizes, is; 0: any may be */
    double recovery;      /* seconds for which what comes behind a lost packet has to have
                             room, where it comes at all before that
                             (MTREE_CALL_RECOVERY); else 0 */
} mtree_call_t;

#endif
