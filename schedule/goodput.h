/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goodput: what one rank sent to whom in one call, at which rate, and when each of its
 * trees ended.
 *
 * An operation fills it in as its messages complete, which takes one clock reading each.
 * A peer is backlogged while its window is full and more is ready for it, and the path
 * carries all that it can (schedule/transport.h).  During this time the path to the peer
 * limits the rate, so the bytes it takes are the path's bandwidth.  Of a peer that was
 * never backlogged only a lower bound of the bandwidth is known.
 */
#ifndef MTREE_SCHEDULE_GOODPUT_H
#define MTREE_SCHEDULE_GOODPUT_H

#include "schedule/stream.h"

/* The path to one peer; times are seconds on the transport's clock. */
typedef struct {
    int rank;
    double bytes;              /* of data that the peer has received */
    double backlogged_bytes;   /* those that it received while it was backlogged */
    double backlogged_seconds; /* counted from its first message on: it may have arrived
                                  late at the call */
    double since; /* time since which it is backlogged; negative: it is not */
} mtree_goodput_link_t;

/* The traffic of one path, over calls. */
typedef struct {
    double bytes;
    double seconds;            /* of the calls that used it */
    double backlogged_bytes;   /* those that were sent while it was backlogged */
    double backlogged_seconds; /* for which it was backlogged */
} mtree_path_total_t;

/* Bits/s of a path while it was backlogged; 0: it never was. */
static inline double mtree_path_backlogged_rate(const mtree_path_total_t *path)
{
    return path->backlogged_seconds > 0
               ? 8 * path->backlogged_bytes / path->backlogged_seconds
               : 0;
}

/* One stream: a tree, or a tree of one block. */
typedef struct {
    double bytes; /* sent and received for it */
    double end;   /* time of its last message; 0: it had none */
} mtree_goodput_tree_t;

typedef struct {
    double begin, end; /* time of its first and last completed message; 0: none */
    int num_links;     /* as the layout's peers */
    mtree_goodput_link_t *links;
    int num_trees; /* as the layout's streams */
    mtree_goodput_tree_t *trees;
} mtree_goodput_t;

/* For operations of @a layout, one at a time; owned by the caller. */
mtree_goodput_t *mtree_goodput_create(const mtree_layout_t *layout);

/* Free; NULL is allowed. */
void mtree_goodput_destroy(mtree_goodput_t *goodput);

/* An operation has ended: it is backlogged nowhere. */
void mtree_goodput_end(mtree_goodput_t *goodput, double now);

/* The number of peer @a rank; -1: it is none. */
int mtree_goodput_link(const mtree_goodput_t *goodput, int rank);

/* For the operation: a call begins.  Everything is reset. */
void mtree_goodput_begin(mtree_goodput_t *goodput);

/* For the operation: @a bytes of stream number @a tree went to peer number @a link. */
void mtree_goodput_sent(mtree_goodput_t *goodput, int link, int tree, double bytes,
                        double now);

/* For the operation: @a bytes of stream number @a tree have arrived, or were sent. */
void mtree_goodput_moved(mtree_goodput_t *goodput, int tree, double bytes, double now);

/* For the operation: is peer number @a link @a backlogged from now on? */
void mtree_goodput_backlog(mtree_goodput_t *goodput, int link, bool backlogged,
                           double now);

/* Add what a call sent to the peer of @a link to @a path; @a scale: bytes of data in one
 * that @a goodput counts. */
void mtree_goodput_add(const mtree_goodput_t *goodput, const mtree_goodput_link_t *link,
                       double scale, mtree_path_total_t *path);

/* Seconds from the call's first to its last message. */
static inline double mtree_goodput_seconds(const mtree_goodput_t *goodput)
{
    return goodput->end - goodput->begin;
}

#endif
