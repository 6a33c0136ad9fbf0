/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goodput: what one rank sent in one call, to whom and how fast, and when each of its
 * trees ended.
 *
 * An operation fills it in as its messages complete, at the cost of a look at the clock
 * for each.  A peer is *pressed* while its window is full and more is ready for it: then
 * the way to it, and not what this rank has to send, sets the pace, and what passes in
 * that time is what the way gives.  A peer that was never pressed only tells that its way
 * gives no less than what was sent.
 *
 * It also notes when the rank came, and when it *met* each of its neighbours in the first
 * tree: from such moments follows who came when (schedule/arrival_times.h).
 */
#ifndef MTREE_SCHEDULE_GOODPUT_H
#define MTREE_SCHEDULE_GOODPUT_H

#include "base/status.h"
#include "schedule/bandwidth_monitor.h"
#include "schedule/stream.h"

/* The way to one peer. */
typedef struct {
    int rank;
    double bytes;              /* of data that the peer has taken */
    double backlogged_bytes;   /* the part of it that was taken while it was pressed */
    double backlogged_seconds; /* for which it was pressed, since it first took something:
                               it may have come late to the call */
    double since; /* clock at which it was last pressed; negative: it is not */
    double met; /* clock at which a first chunk of the first tree had passed between them,
                   to or from it; 0: none did */
    int path;   /* of the gauge; -1: none */
} mtree_goodput_link_t;

/* One stream: a tree, or a tree of one block. */
typedef struct {
    double bytes; /* sent and received for it */
    double end;   /* clock of its last message; 0: it had none */
} mtree_goodput_tree_t;

typedef struct {
    double entered;    /* clock at which the operation began */
    double begin, end; /* clock of the call's first and last completed message; 0: none */
    int num_links;     /* as the layout's peers */
    mtree_goodput_link_t *links;
    int num_trees; /* as the layout's streams */
    mtree_goodput_tree_t *trees;
    mtree_bandwidth_monitor_t *monitor; /* which hears of it, too; NULL: none does */
    double monitor_bytes;               /* that a byte of the operation is to it */
} mtree_goodput_t;

/* For operations of @a layout, one at a time; owned by the caller.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_goodput_create(const mtree_layout_t *layout,
                                    mtree_goodput_t **goodput_p);

/* Free; NULL is allowed. */
void mtree_goodput_destroy(mtree_goodput_t *goodput);

/*
 * From the next operation on @a monitor, which has a way for each host, hears of what
 * goes to hosts other than that of rank @a self; @a host is by rank. @a monitor_bytes of
 * data are in one that the operation counts.  Every operation is to be ended by
 * mtree_goodput_end().
 */
void mtree_goodput_share(mtree_goodput_t *goodput, mtree_bandwidth_monitor_t *monitor,
                         const int *host, int self, double monitor_bytes);

/* An operation has ended: it presses nothing any more. */
void mtree_goodput_end(mtree_goodput_t *goodput, double now);

/* For the operation: a call begins, whatever was there is forgotten. */
void mtree_goodput_begin(mtree_goodput_t *goodput, double now);

/* For the operation: a first chunk of the first tree has passed to or from @a rank. */
void mtree_goodput_first_contact(mtree_goodput_t *goodput, int rank, double now);

/* Seconds from its beginning until it met @a rank; negative: it did not. */
double mtree_goodput_had_contact(const mtree_goodput_t *goodput, int rank);

/* For the operation: peer number @a link has taken @a bytes of stream number @a tree. */
void mtree_goodput_sent(mtree_goodput_t *goodput, int link, int tree, double bytes,
                        double now);

/* For the operation: @a bytes of stream number @a tree have arrived. */
void mtree_goodput_received(mtree_goodput_t *goodput, int tree, double bytes, double now);

/* For the operation: is peer number @a link pressed from now on? */
void mtree_goodput_backlog(mtree_goodput_t *goodput, int link, bool backlogged,
                           double now);

/* Seconds from the call's first to its last message. */
static inline double mtree_goodput_seconds(const mtree_goodput_t *goodput)
{
    return goodput->end - goodput->begin;
}

#endif
