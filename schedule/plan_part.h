/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan parts: what the ranks of one host need of a plan.
 *
 * Of each tree these are its root, rate, share and chunk, and the edges at the host.  So
 * a part grows with the trees and not with trees times hosts.  Rank 0 cuts a plan into
 * parts and sends each rank its own (schedule/plan_part_wire.h); layouts are made from
 * parts (schedule/layout.h).
 */
#ifndef MTREE_SCHEDULE_PLAN_PART_H
#define MTREE_SCHEDULE_PLAN_PART_H

#include "base/arena.h"
#include "planner/plan/plan.h"
#include "planner/program/build.h"

/* An edge of a tree at the host, to its parent or to a child. */
typedef struct {
    int host;       /* at the other end */
    int step;       /* lockstep step in which data comes down over it; 0: none */
    double latency; /* seconds, one way */
} mtree_part_edge_t;

typedef struct {
    int root;      /* host */
    int parent;    /* number of the edge to the parent; -1: the host is the root */
    int num_edges; /* at the host */
    int end;       /* where `order` is known: the hosts below this one are those whose
                      place is between its own and this one */
    mtree_part_edge_t *edges; /* [num_edges] in ascending order of their hosts */
    int *order; /* [num_hosts] place of each host on a walk from the root, parents
                   before children, children in the order of their numbers; NULL: not
                   known, data flows from this root or to it alone, and not to or from
                   one host (mtree_plan_part_has_order) */
    int num_below;
    int *below;  /* [num_below] in a personalized plan: this host and those below it,
                    parents before children, the subtrees of children in the order of
                    their edges; else NULL */
    int widest;  /* with `below`: hosts below the root's child that has most of them */
    double rate; /* bits/s on each edge */
    double share;
    double latency;     /* of the longest edge of the tree, seconds */
    size_t chunk_bytes; /* 0: not decided */
} mtree_part_tree_t;

/* A cable to another host: its ends, and the rates, are first those at this host and to
 * the other, then those there and from there. */
typedef struct {
    int host;
    mtree_cable_t cable;
} mtree_part_cable_t;

typedef struct {
    mtree_collective_t collective;
    int host; /* whose part it is */
    int root; /* host for bcast and reduce, -1 otherwise */
    int num_hosts;
    int num_relays; /* the last num_relays hosts are relays (planner/plan/plan.h); a part
                       has no edge of a tree that leaves its host outside */
    mtree_program_kind_t program;      /* that the plan names; it has no trees then */
    int *order;                        /* [num_hosts] hosts in the program's order */
    int shape[MTREE_SHAPE_DIMENSIONS]; /* that they have, as in the plan */
    size_t message_bytes;              /* of the program, as in the plan */
    int num_trees;
    int num_steps;     /* lockstep steps one way; 0: chunks stream */
    bool is_direct;    /* the root of each tree is the parent of all others: where trees
                          have blocks, it sends all of them itself */
    double bytes;      /* message size that it is made for; 0: throughput alone */
    double throughput; /* bits/s */
    double seconds;    /* predicted for `bytes`; 0: not predicted */
    mtree_part_tree_t *trees; /* [num_trees] numbered as in the plan */
    int *first;               /* [num_hosts + 1] where the trees of a root begin in */
    int *by_root;             /* [num_trees] numbers of trees, grouped by their roots */
    int num_cables;
    mtree_part_cable_t *cables; /* [num_cables] by ascending host, where the network names
                                   the ends of links (planner/plan/cables.h) */
    mtree_plan_t *plan; /* the whole plan, a reference, where the maker of the part has
                           set it; or NULL */
    mtree_arena_t arena;
    int references; /* besides the first one */
} mtree_plan_part_t;

/* Do parts of plans for @a collective have the order of the hosts in each tree?  Data of
 * an allreduce uses its trees both ways, so they serve any root; that of a scan goes to
 * one host. */
static inline bool mtree_plan_part_has_order(mtree_collective_t collective)
{
    return collective == MTREE_ALLREDUCE || mtree_collective_is_prefix(collective);
}

/* A plan made ready to be cut. */
typedef struct mtree_plan_cut mtree_plan_cut_t;

/* Make @a plan ready, which is retained. */
mtree_plan_cut_t *mtree_plan_cut_create(const mtree_plan_t *plan);

/* Free; NULL is allowed. */
void mtree_plan_cut_destroy(mtree_plan_cut_t *cut);

/* The part of @a host; the caller's reference. */
mtree_plan_part_t *mtree_plan_cut_part(const mtree_plan_cut_t *cut, int host);

/* The part of one @a host of @a plan. */
mtree_plan_part_t *mtree_plan_part_create(const mtree_plan_t *plan, int host);

/* A part with the numbers of @a head and memory for its trees; for those who fill it. */
mtree_plan_part_t *mtree_plan_part_alloc(const mtree_plan_part_t *head);

/* Group the trees by their roots, when these are filled in. */
void mtree_plan_part_group(mtree_plan_part_t *part);

/* As mtree_plan_retain() and mtree_plan_destroy(). */
mtree_plan_part_t *mtree_plan_part_retain(const mtree_plan_part_t *part);
void mtree_plan_part_destroy(mtree_plan_part_t *part);

/* The cables to @a host, *count_p of them; those of a host follow each other. */
const mtree_part_cable_t *mtree_plan_part_cables(const mtree_plan_part_t *part, int host,
                                                 int *count_p);

/* Is the part's host a relay that @a tree leaves outside? */
static inline bool mtree_plan_part_is_outside(const mtree_plan_part_t *part,
                                              const mtree_part_tree_t *tree)
{
    return part->host >= part->num_hosts - part->num_relays && tree->num_edges == 0;
}

/*
 * The edge from the part's host towards @a root in tree number @a tree, which becomes the
 * one to the parent where @a root is the tree's root; -1 for the root itself.  Trees
 * without an order have their own root only.
 */
int mtree_plan_part_towards(const mtree_plan_part_t *part, int tree, int root);

/* Is the part's host between the tree's root and @a host, or one of the two?  Of a tree
 * with an order. */
bool mtree_plan_part_is_above(const mtree_plan_part_t *part, int tree, int host);

#endif
