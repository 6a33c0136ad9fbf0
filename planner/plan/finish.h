/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every plan needs besides trees and rates: latencies, shares, throughput, chunks,
 * predicted time.
 */
#ifndef MTREE_PLANNER_PLAN_FINISH_H
#define MTREE_PLANNER_PLAN_FINISH_H

#include "planner/plan/algorithm.h"

/* Chunks stay below the eager limit of Open MPI's TCP transport (64 KiB), with room for a
 * header. */
#define MTREE_CHUNK_MAX ((size_t)32 << 10)

/* Up to so many bytes Open MPI's TCP transport sends a message at once, with a header. */
#define MTREE_CHUNK_EAGER ((size_t)60 << 10)

/* No chunk is longer.  Chunks that a rate of some Gb/s needs are, beyond MTREE_CHUNK_MAX,
 * as long as messages cost the busiest host this part of the time. */
#define MTREE_CHUNK_LONGEST        ((size_t)4 << 20)
#define MTREE_CHUNK_PROCESSOR_PART 0.5

/* Below this size what each message costs the processors shows, unless the message is so
 * short that it would be cut into fewer than MTREE_CHUNK_FEWEST chunks
 * (notes/performance.md). */
#define MTREE_CHUNK_MIN    ((size_t)16 << 10)
#define MTREE_CHUNK_FEWEST 16
#define MTREE_CHUNK_LEAST  ((size_t)1 << 10)

/* A share of more chunks than this is cut into longer ones, up to MTREE_CHUNK_MAX: more
 * chunks would cost processors more than longer ones delay the ends. */
#define MTREE_CHUNK_MANY 512

/*
 * Seconds for which what is outstanding to a peer keeps a link busy at the planned rate,
 * beyond a round trip.  It is more than what the processors delay an acknowledgement by.
 * A router's queue that holds as much and no more loses a few packets: where queues hold
 * 30 ms, 20 ms here cost 60 to 170 retransmissions in three calls, 40 ms about 1,000, and
 * 100 ms 4,000 to 6,000.
 *
 * While one chunk is acknowledged another is sent, so two chunks to a peer are always
 * outstanding.  Where a host sends to every peer itself, each of them has a small part of
 * its link, and two long chunks to all of them would be more than a queue holds.
 */
#define MTREE_CHUNK_QUEUE_SECONDS 0.03

/* Seconds of data that such a queue holds beside headers and acknowledgements. */
#define MTREE_CHUNK_PAYLOAD_SECONDS (0.8 * MTREE_CHUNK_QUEUE_SECONDS)

/*
 * What a tree gets of the rate it was given, headers, acknowledgements and the gaps
 * between chunks of different trees taken off: about this much on B4 in the lab and in
 * mtree simulate (0.83 to 0.89 at a fifth of its capacities).
 */
#define MTREE_PLAN_YIELD 0.86

/*
 * Seconds before the first byte of @a tree has been everywhere: its depth, twice for
 * allreduce, which reduces before it broadcasts (D_t of docs/design.md,
 * "Bounds and plans").
 */
double mtree_tree_delay(const mtree_tree_t *tree, int num_hosts,
                        mtree_collective_t collective);

/*
 * The chunk that makes l alpha + (l-1 + v/mu) (beta mu + o) least, for v @a bytes over a
 * path of l = @a num_links links: a link pipelines, so latency alpha delays the first
 * chunk only, and each costs a host @a overhead, o.  It is sqrt(v o / ((l-1) beta)),
 * where 1 / beta is @a rate in bits/s, and at most @a bytes; @a bytes when l < 2, where
 * cutting gains nothing.
 */
double mtree_chunk_size(int num_links, double rate, double bytes, double overhead);

/* @a size to a whole number of bytes to run with: 1 at least, rounded up to a multiple of
 * 64 from 64 on, so that chunks of any element type up to 64 bytes begin at whole
 * elements. */
size_t mtree_chunk_bytes(double size);

/* Seconds in which the chunks of @a plan, which has rates, fill its slowest tree hop by
 * hop. */
double mtree_plan_filling(const mtree_plan_t *plan);

/* Scale the rates of all trees alike until some arc is full and none is overloaded. */
void mtree_plan_scale_rates(const mtree_problem_t *problem, mtree_plan_t *plan);

/*
 * Fill in what @a plan, made for @a problem, does not have yet: each tree's latencies
 * from the routes, rates when all are 0 (the same for all trees, as high as the
 * capacities allow), shares when all are 0 (in proportion to what each tree delivers by
 * the time all are done when plan->bytes > 0, to the rates otherwise), throughput, chunk
 * sizes that are 0, and seconds.
 */
void mtree_plan_finish(const mtree_problem_t *problem, mtree_plan_t *plan);

#endif
