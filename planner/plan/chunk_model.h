/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a tree takes to stream its share in chunks, and which chunk is best.
 *
 * A link pipelines: latency delays the first chunk only, and each chunk pays an overhead.
 * The published model (papers/published/chunk_times.h) charges the latency to every
 * chunk.
 *
 * Sizes are bytes, times seconds, rates bits/s.  The best size is a real number; use
 * mtree_chunk_bytes() for a size to run with.
 */
#ifndef MTREE_PLANNER_PLAN_CHUNK_MODEL_H
#define MTREE_PLANNER_PLAN_CHUNK_MODEL_H

#include "planner/plan/plan.h"

/* The longest path that a chunk takes through a tree. */
typedef struct {
    int num_links;      /* l: tree edges on the path; 0: the tree is one host */
    double latency_sum; /* sum of alpha_i */
    double latency_max; /* largest alpha_i */
    double rate;        /* 1 / beta, of the widest edge */
} mtree_chunk_path_t;

/*
 * The path of @a tree for @a collective: root to leaf, and for allreduce there and back.
 * Each of l, the sum and the maximum is the largest over all leaves, so no leaf's own
 * path takes longer.
 */
mtree_chunk_path_t mtree_chunk_path(const mtree_tree_t *tree, int num_hosts,
                                    mtree_collective_t collective);

/*
 * The chunk that makes sum(alpha) + (l-1 + v/mu) (beta mu + o) least, @a overhead being
 * o, what a host spends on each chunk: sqrt(v o / ((l-1) beta)), at most @a bytes; @a
 * bytes when l < 2, where cutting gains nothing.
 */
double mtree_chunk_size(const mtree_chunk_path_t *path, double bytes,
                                   double overhead);

/* @a size to a whole number of bytes to run with: 1 at least, rounded up to a multiple of
 * 64 from 64 on, so that chunks of any element type up to 64 bytes begin at whole
 * elements. */
size_t mtree_chunk_bytes(double size);

#endif
