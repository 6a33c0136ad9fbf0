/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  The collectives, as one table: what each rank contributes and receives, and
 * which way data flows in the trees.  Planner, engine, simulator, component, benchmark
 * and report read this table and make no list of their own (docs/adding.md).
 */
#ifndef MTREE_PLANNER_PLAN_COLLECTIVE_H
#define MTREE_PLANNER_PLAN_COLLECTIVE_H

#include "base/status.h"

#include <stdbool.h>

/*
 * A @a _row for each collective, with @a _between between them: its value, the name of
 * MPI's function in lower case and without its prefix, and the other members of
 * mtree_collective_traits_t, without the prefix of the parts.
 */
/* clang-format off */
#define MTREE_COLLECTIVES(_row, _between)                                                                                        \
    /*                                          up     down   root   blocks person. prefix input, of root   result, of root */   \
    _row(MTREE_ALLREDUCE, allreduce,            true,  true,  false, false, false, false, VECTOR, VECTOR,  VECTOR, VECTOR)       \
    _between _row(MTREE_REDUCE, reduce,         true,  false, true,  false, false, false, VECTOR, VECTOR,  NONE,   VECTOR)       \
    _between _row(MTREE_BCAST, bcast,           false, true,  true,  false, false, false, NONE,   VECTOR,  VECTOR, VECTOR)       \
    _between _row(MTREE_ALLGATHER, allgather,   false, true,  false, true,  false, false, BLOCK,  BLOCK,   VECTOR, VECTOR)       \
    _between _row(MTREE_REDUCE_SCATTER, reduce_scatter,                                                                          \
                                                true,  false, false, true,  false, false, VECTOR, VECTOR,  BLOCK,  BLOCK)        \
    _between _row(MTREE_SCATTER, scatter,       false, true,  true,  false, true,  false, NONE,   VECTOR,  BLOCK,  BLOCK)        \
    _between _row(MTREE_GATHER, gather,         true,  false, true,  false, true,  false, BLOCK,  BLOCK,   NONE,   VECTOR)       \
    _between _row(MTREE_ALLTOALL, alltoall,     false, true,  false, true,  true,  false, VECTOR, VECTOR,  VECTOR, VECTOR)       \
    _between _row(MTREE_SCAN, scan,             false, true,  false, true,  false, true,  VECTOR, VECTOR,  VECTOR, VECTOR)
/* clang-format on */

#define MTREE_COLLECTIVE_VALUE(_value, _name, ...) _value,
#define MTREE_COLLECTIVE_TEXT(_value, _name, ...)  #_name

typedef enum {
    MTREE_COLLECTIVES(MTREE_COLLECTIVE_VALUE, ) MTREE_COLLECTIVE_LAST
} mtree_collective_t;

/* Their names, for help and messages. */
#define MTREE_COLLECTIVE_NAMES MTREE_COLLECTIVES(MTREE_COLLECTIVE_TEXT, ", ")

/* What a rank holds of the vector that a call is about. */
typedef enum {
    MTREE_PART_NONE,
    MTREE_PART_BLOCK, /* its own block; the blocks of all ranks make the vector */
    MTREE_PART_VECTOR
} mtree_part_t;

typedef struct {
    const char *name;
    bool up;       /* data flows from the leaves up, and is summed unless personalized */
    bool down;     /* data flows from the root of each tree down */
    bool has_root; /* the caller names one rank, and its host is the root of all trees */
    bool has_blocks;      /* each rank has trees of its own, rooted in its host */
    bool is_personalized; /* a tree carries another block for, or from, each rank: each of
                             its edges carries the blocks of those below it */
    bool is_prefix; /* each rank gets the sum of those before it and its own: what a tree
                       carries goes from its root to the next host alone, and the rank
                       that receives it adds its part and is the next root */
    mtree_part_t input, root_input;   /* what a rank, and what the root contributes */
    mtree_part_t result, root_result; /* what a rank, and what the root receives */
} mtree_collective_traits_t;

/* The row of @a collective, or NULL: no collective has this value. */
const mtree_collective_traits_t *mtree_collective_traits(mtree_collective_t collective);

/*
 * MTREE_ERR_INVALID, logged, for a value that is no collective.  Every public function
 * of planner, schedule and simulate that takes a collective checks it once; what they
 * call may then rely on the row.
 */
mtree_status_t mtree_collective_check(mtree_collective_t collective);

/* The name, or "unknown". */
const char *mtree_collective_name(mtree_collective_t collective);

/* The collective of that name into *collective_p, or MTREE_ERR_NOT_FOUND (not logged). */
mtree_status_t mtree_collective_parse(const char *name, mtree_collective_t *collective_p);

/* One column each of the row of a collective that has been checked. */
static inline bool mtree_collective_goes_up(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->up;
}

static inline bool mtree_collective_goes_down(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->down;
}

static inline bool mtree_collective_has_root(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->has_root;
}

static inline bool mtree_collective_has_blocks(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->has_blocks;
}

static inline bool mtree_collective_is_personalized(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->is_personalized;
}

static inline bool mtree_collective_is_prefix(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->is_prefix;
}

/* Is a block of each host in the message, whose trees begin or end there?  A prefix has
 * such trees, too, of whole vectors. */
static inline bool mtree_collective_has_block_per_host(mtree_collective_t collective)
{
    return mtree_collective_has_blocks(collective) &&
           !mtree_collective_is_prefix(collective);
}

/* Has each host another block for each, as in an all-to-all? */
static inline bool mtree_collective_is_transposed(mtree_collective_t collective)
{
    return mtree_collective_has_blocks(collective) &&
           mtree_collective_is_personalized(collective);
}

/* Is data summed, on its way up or from root to root? */
static inline bool mtree_collective_reduces(mtree_collective_t collective)
{
    return mtree_collective_is_prefix(collective) ||
           (mtree_collective_goes_up(collective) &&
            !mtree_collective_is_personalized(collective));
}

/* Does every rank below get the same? */
static inline bool mtree_collective_broadcasts(mtree_collective_t collective)
{
    return mtree_collective_goes_down(collective) &&
           !mtree_collective_is_personalized(collective) &&
           !mtree_collective_is_prefix(collective);
}

/* Has each pair of hosts a demand of its own, so that the edges of a tree carry what is
 * for those below them? */
static inline bool mtree_collective_has_demands(mtree_collective_t collective)
{
    return mtree_collective_is_personalized(collective) ||
           mtree_collective_is_prefix(collective);
}

/* The hosts of @a num_hosts whose trees carry a message each, from the first on; where
 * all trees carry one, 1.  Of a prefix nothing leaves the last host. */
static inline int mtree_collective_num_groups(mtree_collective_t collective,
                                              int num_hosts)
{
    if (!mtree_collective_has_blocks(collective)) {
        return 1;
    }
    return mtree_collective_is_prefix(collective) ? num_hosts - 1 : num_hosts;
}

/* How often data crosses each edge of a tree: 2, up and down again, or 1. */
static inline int mtree_collective_passes(mtree_collective_t collective)
{
    return mtree_collective_goes_up(collective) + mtree_collective_goes_down(collective);
}

/*
 * What the trees of one root carry together, of a call of @a bytes: all of it, or where
 * @a num_hosts hosts put it together a host's block.  The size of a call is that of the
 * whole vector; of an all-to-all that of what one host sends.
 */
static inline double mtree_collective_root_bytes(mtree_collective_t collective,
                                                 double bytes, int num_hosts)
{
    return mtree_collective_has_blocks(collective) &&
                   !mtree_collective_has_demands(collective)
               ? bytes / num_hosts
               : bytes;
}

/* What @a rank of a call with root @a root contributes and receives. */
static inline mtree_part_t mtree_collective_input(mtree_collective_t collective, int rank,
                                                  int root)
{
    const mtree_collective_traits_t *traits = mtree_collective_traits(collective);

    return rank == root ? traits->root_input : traits->input;
}

static inline mtree_part_t mtree_collective_result(mtree_collective_t collective,
                                                   int rank, int root)
{
    const mtree_collective_traits_t *traits = mtree_collective_traits(collective);

    return rank == root ? traits->root_result : traits->result;
}

#endif
