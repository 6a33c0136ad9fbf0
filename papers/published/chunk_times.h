/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What chunks cost by the published model (papers/mtree.txt, section III-C), which
 * charges a link's latency to every chunk; it reproduces the paper's figures.
 */
#ifndef MTREE_PAPERS_PUBLISHED_CHUNK_TIMES_H
#define MTREE_PAPERS_PUBLISHED_CHUNK_TIMES_H

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

/* Equation 7 with the v that it lost: sqrt(v max(alpha) / ((l-1) beta)), at most @a
 * bytes; @a bytes when l < 2, where cutting gains nothing. */
double mtree_chunk_published_size(const mtree_chunk_path_t *path, double bytes);

/* Equation 3: time for @a bytes in chunks of @a chunk bytes (0 < chunk <=
 * bytes). */
double mtree_chunk_published_time(const mtree_chunk_path_t *path, double bytes,
                                  double chunk);

/* Equation 4: time for @a bytes in @a count chunks (count >= 1, not
 * necessarily whole). */
double mtree_chunk_published_time_of_count(const mtree_chunk_path_t *path, double bytes,
                                           double count);

/* Equation 8 with the v that it lost: sqrt(v (l-1) beta / max(alpha)), at
 * least 1.  Infinite when no link has latency. */
double mtree_chunk_published_count(const mtree_chunk_path_t *path, double bytes);

/*
 * The count from which on equation 4 is no better than one message: lambda# = v (l-1)
 * beta / max(alpha), at least 1.  The paper's own mu# has a v too many: it does not give
 * its lambda# = v / mu#.
 */
double mtree_chunk_published_break_even(const mtree_chunk_path_t *path, double bytes);

#endif
