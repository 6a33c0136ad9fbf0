/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every plan needs besides trees and rates: latencies, shares, throughput, chunks,
 * predicted time.
 */
#ifndef MTREE_PLANNER_PLAN_FINISH_H
#define MTREE_PLANNER_PLAN_FINISH_H

#include "planner/plan/algorithm.h"
#include "planner/tuning.h"

/* Up to so many bytes Open MPI's TCP transport sends a message at once, with a header. */
#define MTREE_CHUNK_EAGER ((size_t)60 << 10)

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
