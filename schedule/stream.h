/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream is one tree as one rank sees it: its parent and children, the part of the
 * vector that flows, and in which direction.  A layout is all streams of one rank in one
 * collective call, or its rank program: pure data, made by schedule/layout.c.
 *
 * Each edge of a stream carries the same, but in personalized collectives: there the edge
 * above a rank carries the blocks of all ranks below it, and a chunk is a piece of each.
 *
 * A stream of a scan leads from one rank to the next, perhaps through others, which are
 * its leaf, its root, and the ranks between them.
 *
 * Lengths and offsets are in units: elements of the datatype where data is reduced, bytes
 * elsewhere.
 */
#ifndef MTREE_SCHEDULE_STREAM_H
#define MTREE_SCHEDULE_STREAM_H

#include "base/arena.h"
#include "planner/program/program.h"

#include <stdbool.h>
#include <stddef.h>

/* Streams that begin at the same time, as a batch; two batches run (schedule/batch.c). */
#define MTREE_BATCH_STREAMS 512

/*
 * Tags of a stream: its data, and the credit that goes the other way.  A message is
 * matched by its sender and its tag, so a tag has to be unique among the streams that
 * run, those of two batches.  Those of the next batch take the tags of the one that is
 * done on this rank: it has sent and received all.  Elsewhere that may still run, but
 * messages with one sender and one tag are matched in the order in which they were sent,
 * and each finds its receive.
 */
enum { MTREE_TAG_DATA, MTREE_TAG_CREDIT, MTREE_STREAM_TAGS };

/* Tags of a call at most, whatever its plan and its ranks. */
#define MTREE_CALL_TAGS (2 * MTREE_BATCH_STREAMS * MTREE_STREAM_TAGS)

/*
 * What a personalized stream has besides.  `ranks` lists this rank and all below it,
 * parents before children, and the subtree of child i from places[i] on to that of the
 * next one.  In this order their blocks lie in a message.  The stream carries from
 * `begin` to `end` of each block, as parts of it.  Its `length` is that of the longest
 * such part, or an estimate where the layout does not know the blocks, and its `chunk`
 * what a message holds of each block.
 */
typedef struct {
    int num;
    const int *ranks;  /* [num] */
    const int *places; /* [num_children] */
    double begin, end;
    size_t longest; /* units of the longest message */
    int root;       /* rank */
    bool headed; /* the layout does not know the blocks: each edge begins with a header */
} mtree_below_t;

typedef struct {
    int parent; /* rank, -1 at the root */
    int num_children;
    const int *children; /* ranks, in the order in which their parts are folded */
    size_t offset;       /* first unit in the vector */
    size_t length;       /* units; may be 0, then nothing is sent */
    size_t chunk;        /* units per message; > 0 */
    size_t stride; /* units from one chunk to the next in the vector: `chunk`, but of a
                      scan, where chunks of other streams lie between */
    size_t window; /* chunks that a receiver has memory for; > 0, the same on all ranks */
    bool up;       /* data flows up, and is reduced unless the stream is personalized */
    bool down;     /* data flows down; after it was reduced when both are set */
    int number;    /* among the streams of the call, the same on all ranks */
    int parent_step;        /* lockstep in which data comes from the parent; 0: none */
    const int *child_steps; /* [num_children] likewise, to each child; NULL: none */
    bool open;              /* parent and children become known while it runs
                               (schedule/arrival/private.h); `parent` then only says whether
                               this rank is the root */
    int tree;               /* its number in the plan */
    int block; /* rank whose block it carries a part of; -1 where there are no blocks */
    const mtree_below_t *below; /* NULL: not personalized */
    bool forwards;  /* of a scan: what comes from the child goes on as it is */
    bool continues; /* of a scan: what this rank sends is the sum of what its incoming
                       streams bring and of its own part */
} mtree_stream_t;

typedef struct {
    int rank;      /* or the number of a relay (schedule/placement.h), as in streams */
    size_t window; /* bytes that may be outstanding to this rank */
    size_t initial_window; /* bytes of it at first; each byte that is acknowledged adds
                              one until it is all */
    double rate;   /* bits/s planned each way; 0: on the same host, or not known */
    double trip;   /* seconds of a round trip, likewise */
    bool is_relay; /* it has no memory for the result: what goes down needs credit */
} mtree_peer_t;

typedef struct {
    int num_streams;
    mtree_stream_t *streams;
    int num_peers; /* every parent and child of a stream, once, in ascending rank */
    mtree_peer_t *peers;
    int first_peer;  /* the next rank after this one, which is served first; if all began
                        with rank 0, its link would be the only busy one for a while */
    int batch;       /* streams of a batch, the same on all ranks; in a lockstep all */
    int num_steps;   /* lockstep steps one way; 0: chunks stream */
    double max_lead; /* part of its chunks that a stream may be ahead of the last one on a
                    busy link; infinite: no limit */
    bool paced;    /* false: so little is sent that windows are not worth a round trip */
    bool is_relay; /* no rank: nothing is contributed and no result kept; chunks stay in
                      their slots until they were sent on */
    int first_in, num_in, num_out; /* of a scan: the streams that bring this rank the sum
                                      of those before it, by ascending offset, and right
                                      behind them those that take it to the next rank */
    size_t *blocks; /* [num_ranks] personalized: units of the block to or from each rank;
                       NULL: not all ranks know them */
    bool blocks_alike;        /* they are all of one length */
    mtree_program_t *program; /* what this rank does, where the plan names a program; of
                                 the others only peers are set then, and one stream for
                                 those who measure.  NULL: trees */
    bool has_result;          /* of a program: the call gives this rank one */
    mtree_arena_t arena;      /* of all of these */
} mtree_layout_t;

/*
 * The lockstep, from 1, in which data of a stream passes an edge that it passes in @a
 * step of num_steps on its way down.  Going up, the steps are in reverse order, and an
 * allreduce goes up before it goes down.  0: in none.
 */
static inline int mtree_layout_step(const mtree_layout_t *layout,
                                    const mtree_stream_t *stream, int step, bool up)
{
    if (step == 0) {
        return 0;
    }
    if (up) {
        return layout->num_steps - step + 1;
    }
    return stream->up ? layout->num_steps + step : step;
}

#endif
