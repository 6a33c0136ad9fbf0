/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of the planner that measurements or taste have set, each with its reason.
 * Other values give other plans, none of them wrong.  Limits of memory and of formats
 * stay where they are used.
 */
#ifndef MTREE_PLANNER_TUNING_H
#define MTREE_PLANNER_TUNING_H

#include <stddef.h>

/* Work is counted in elementary steps of 10 to 20 nanoseconds. */

/* What trees for throughput may take.  An allgather of 128 hosts of a fat tree is two per
 * mille below its bound after 1e9. */
#define MTREE_TUNED_WORK 2e9

/* What trees for a size, a linear program of rates and the bound of a scan may take each:
 * a second or two.  No plan of up to 64 hosts comes near. */
#define MTREE_TUNED_STAGE_WORK 1e8

/* What a search may take that others follow or guide: that for few trees, for columns and
 * for the many trees of which few are chosen. */
#define MTREE_TUNED_SHORT_WORK 2e7

/* What one step of a search may take: a tenth of a second.  Of a linear program trees
 * times constraints count. */
#define MTREE_TUNED_STEP_WORK 3e6

/* Beyond this many lines of its linear program no trees are laid for a time, and an
 * all-to-all keeps few trees of each group: on torus:8x8, with 320, one of 1 MB is
 * planned in 0.06 s instead of 0.8. */
#define MTREE_TUNED_LARGE_LINES 300

/* Of an all-to-all on such a network: the trees of each group for a size.  Each tree
 * costs the messages of every block. */
#define MTREE_TUNED_ALLTOALL_TREES 2

/* Trees of each group: of one size where no bound tells when to end, those whose rates
 * are fitted, and, where shape counts and no number is asked for, those of a plan. Column
 * generation begins with half of them for each of several groups, and with twice as many
 * for one.  With half as many an allreduce of 64 hosts on a star takes 1.19 times as
 * long. */
#define MTREE_TUNED_TREES 16

/* Sizes of trees, each half of the one before, where no bound tells when to end.  With
 * eight a robust packing takes up to 1.9 times as long for other blocks, with six 1.75.
 */
#define MTREE_TUNED_LEVELS 6

/* The same where trees are laid again for the next time, and their rates are fitted.
 * With four calls take as long, and plans a tenth more work. */
#define MTREE_TUNED_SHAPE_LEVELS 3

/* The gap to the bound at which trees carry as much as can be. */
#define MTREE_TUNED_TOLERANCE 2e-4

/* The same of an all-to-all on a large network, whose trees are all laid again for each
 * smaller gap. */
#define MTREE_TUNED_LARGE_TOLERANCE 5e-3

/* Times, rates and bounds that differ by no more than this part are as good. */
#define MTREE_TUNED_HARDLY 0.01

/* What trees of many groups that are shaped for a time may be estimated to take beyond
 * those that carry most, as a part.  Less is not known from an estimate. */
#define MTREE_TUNED_SHAPES_COST 0.04

/* A tree of a smaller part of the rate is not worth its messages, a smaller gain not the
 * search. */
#define MTREE_TUNED_LEAST_PART 1e-3

/* Trees of one size are laid until each constraint is used about this often.  With 8 an
 * allreduce of 1 MB on torus:3x3x2 takes 1.34 times as long, and six of 324 calls on 12
 * networks 1.05 to 1.10 times. */
#define MTREE_TUNED_COVERS 6.0

/* As many at least.  With fewer an allgather of 4 MB on mesh:4x4 takes 1.12 times as
 * long. */
#define MTREE_TUNED_LEAST_ROUNDS 4

/* A constraint that is loaded this many trees more than another one costs e times as
 * much. */
#define MTREE_TUNED_SOFTNESS 2.0

/* The part of all blocks that crosses an edge of a personalized tree, about. */
#define MTREE_TUNED_GRAIN 0.3

/* What a second of distance costs in trees that are laid for a time, as parts of what it
 * costs a whole tree; all are tried. */
#define MTREE_TUNED_DISTANCES                                                            \
    {                                                                                    \
        0.0, 0.02, 0.06, 0.2, 0.6, 2.0, 1e3                                              \
    }

/* The same in trees that are grown one after the other.  With the first three calls with
 * at most four trees take up to 1.7 times as long. */
#define MTREE_TUNED_SHALLOWS                                                             \
    {                                                                                    \
        0.0, 0.3, 1.0, 3.0, 10.0                                                         \
    }

/* The rates that such trees aim at, as parts of the optimum over their number.  With half
 * of them one call in 40 takes over 5 % longer. */
#define MTREE_TUNED_AIMS                                                                 \
    {                                                                                    \
        1.1, 1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5                              \
    }

/* A search for few trees is over when all that it did is this many times what it had done
 * at the last gain.  With 1.5 calls take 1.0015 times as long. */
#define MTREE_TUNED_PATIENCE 2.0

/* Of a robust packing: what a host may load a link with, beyond what the best packing for
 * it alone does.  On B4 no less is possible for all hosts at once without a loss for
 * equal blocks. */
#define MTREE_TUNED_OWN_SLACK 0.15

/* Its trees per host, at most: more gain little, and each costs messages. */
#define MTREE_TUNED_ROBUST_TREES 6

/* A plan from another root is taken, and no further kind is looked at, if it takes this
 * many times as long as the first root's, or as its latencies alone.  A root's links
 * limit calls where they have no more than this many times the bound.  With 1.4 calls
 * take 1.04 times as long. */
#define MTREE_TUNED_ROOT_COST 1.2

/* The part by which relays have to make a call faster to be used.  Its predicted time
 * knows nothing of what they cost the processors of all hosts (notes/performance.md). */
#define MTREE_TUNED_LEAST_CALL_GAIN 0.1

/* The same of what is carried, which is exact. */
#define MTREE_TUNED_LEAST_RATE_GAIN 0.03

/* Seconds of the shortest round trip that is long enough for a loss to matter. */
#define MTREE_TUNED_LEAST_TRIP 0.002

/* What a call has to move at least, in what the link holds: less of it is over before
 * congestion control has found the rate. */
#define MTREE_TUNED_LEAST_LINKFULS 4

/*
 * Bytes that a link holds at least of the blocks of one host for those behind another,
 * where calls are personalized.  Pairs of hosts share the links between sites.  Where
 * such a part is less, and goes over two connections, too few packets follow a lost one
 * to show it before TCP's timeout (notes/performance.md).
 */
#define MTREE_TUNED_LEAST_BLOCKS_LINKFUL 65536

/* More than 16 MB of all hosts' blocks have longer chunks than MTREE_CHUNK_MIN: so
 * many.  Without that some trees of 64 MB take 1.09 times as long. */
#define MTREE_TUNED_LONG_CHUNKS 1024

/* Edges for which the linear program is solved at each place: the most promising. */
#define MTREE_TUNED_MAX_TRIES 4

/* How much a new edge that leaves room counts beside what the tree itself gains.  Without
 * it a reduce_scatter and an allgather of 64 MB on a network of 12 hosts take 1.09 times
 * as long. */
#define MTREE_TUNED_ROOM_WEIGHT 1e-3

/* With spread, keys grow old: this many hosts are looked at again before one is taken. */
#define MTREE_TUNED_REFRESHES 4

/* Where a tree of each group looks at more than this many edges, all groups share
 * one tree. */
#define MTREE_TUNED_MAX_LOOKS 6e7

/* Hosts are near each other where their latency is at most this part of the longest. */
#define MTREE_TUNED_NEAR_PART 0.125

/* Chunks stay below the eager limit of Open MPI's TCP transport (64 KiB), with room for a
 * header. */
#define MTREE_CHUNK_MAX ((size_t)32 << 10)

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

/* No chunk is longer.  Chunks that a rate of some Gb/s needs are, beyond MTREE_CHUNK_MAX,
 * as long as messages cost the busiest host this part of the time. */
#define MTREE_CHUNK_LONGEST        ((size_t)4 << 20)
#define MTREE_CHUNK_PROCESSOR_PART 0.5

#endif
