/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layout while it is made: layout.c cuts the vector into streams, layout_parts.c says
 * which trees carry what of it, layout_links.c who is next to this rank in each;
 * layout_prefix.c does scans.  A plan without trees has its layout from layout_program.c.
 */
#ifndef MTREE_SCHEDULE_LAYOUT_PRIVATE_H
#define MTREE_SCHEDULE_LAYOUT_PRIVATE_H

#include "schedule/layout.h"

typedef struct {
    const mtree_plan_part_t *part;
    const mtree_placement_t *placement;
    const mtree_call_t *call;
    int rank;
    int num_all; /* ranks and relays */
    mtree_layout_t *layout;
    int *free, num_free;   /* memory of the layout for lists of numbers */
    mtree_arena_t scratch; /* has the arrays from here to `sent` */
    int *ranks;            /* [2 x num_all] a list of ranks */
    int *children, *steps; /* [2 x num_all] of the stream that is being added */
    double *rates; /* [num_all] bits/s planned to and from each; -1: not a neighbour */
    double *trips; /* [num_all] seconds to each and back */
    double *sent;  /* [num_all] bits/s planned to each alone */
    bool personalized;
    bool blocks_alike;
    bool sectioned; /* of an all-to-all: each rank uses a section of its host's trees */
    double load;    /* of the stream that is being added (mtree_layout_parts_t) */
    mtree_below_t *below; /* [streams] personalized; else NULL */
    size_t most_ranks;    /* of a host */
    size_t num_running;   /* streams that run at a time, at most */
    double outstanding;   /* bytes of all streams, where all run at a time; else 0 */
    size_t longest_block; /* units */
    bool stepped;         /* the plan's lockstep steps fit the call */
    double seconds;       /* of the longest stream at its rate */
    size_t largest_chunk; /* bytes */
} mtree_layout_builder_t;

/* layout_program.c: fill *layout, all zeros, for a plan that names a program. */
mtree_status_t mtree_layout_fill_program(const mtree_plan_part_t *part,
                                         const mtree_placement_t *placement,
                                         const mtree_call_t *call, int rank,
                                         mtree_layout_t *layout);

/* The trees that serve one rank, one after the other.  Those after `load` are not for
 * others. */
typedef struct {
    int tree;          /* its number */
    double begin, end; /* what it carries of the vector, or of each block, in [0, 1] */
    double share;      /* the length of that */
    double load; /* what it carries for this rank over what it would if each rank of the
                    host used all trees; 1 unless the call is sectioned */
    const mtree_layout_builder_t *builder;
    const int *numbers; /* of the trees; NULL: all in order */
    int count, next;
    double from, to; /* of the line on which the trees lie, each as long as its share,
                        what serves the rank */
    double at;       /* where the next tree begins on it */
} mtree_layout_parts_t;

/* layout_parts.c: before the first tree that serves rank @a source (-1: all ranks
 * together), and on to the next one.  False: there is none. */
mtree_layout_parts_t mtree_layout_parts(const mtree_layout_builder_t *builder,
                                        int source);
bool mtree_layout_parts_next(mtree_layout_parts_t *parts);

/* The neighbours of this rank in tree number @a number, rooted in @a root_host and there
 * in
 * @a root_rank (-1: its leader). */
void mtree_layout_link(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                       int number, int root_host, int root_rank);

/* layout_prefix.c: the streams of a scan, and how many. */
void mtree_layout_add_prefix(mtree_layout_builder_t *builder);
size_t mtree_layout_prefix_streams(const mtree_layout_builder_t *builder);

/* The neighbours of this rank in a stream of a scan in tree number @a number, from rank
 * @a source to the next. */
void mtree_layout_link_prefix(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                              int number, int source);

/* layout.c: add tree number @a number, rooted in @a root_host, carrying @a length units
 * from @a offset on, for rank @a root_rank (-1: all). */
void mtree_layout_add_stream(mtree_layout_builder_t *builder, int number, int root_host,
                             int root_rank, size_t offset, size_t length, size_t chunk);

/* Units of a chunk of @a tree, which carries @a length units, and none of the others more
 * than @a longest. */
size_t mtree_layout_chunk(mtree_layout_builder_t *builder, const mtree_part_tree_t *tree,
                          size_t length, size_t longest);

/* layout_links.c: add a neighbour. */
void mtree_layout_add_peer(mtree_layout_builder_t *builder, int rank, double rate,
                           double latency);

/* Does each host send the others their blocks itself? */
bool mtree_layout_is_direct(const mtree_layout_builder_t *builder);

/* The first @a num children of the builder, and their steps, are those of @a stream. */
void mtree_layout_set_children(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                               int num);

/* When all streams are there: the peers, in ascending rank, with their windows. */
void mtree_layout_fill_peers(mtree_layout_builder_t *builder);

#endif
