/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Swing (De Sensi, Bonato, Saam, Hoefler, Swing: Short-cutting Rings for Higher Bandwidth
 * Allreduce, NSDI 2024): on a torus whose sizes are powers of two partners are 1, 1, 3,
 * 5, ... hops apart, in alternate directions (section 3.1), and each direction of each
 * dimension has a part of the vector (section 4.1), so that all links are busy.
 *
 * This is the version for bandwidth: a reduce-scatter and an allgather.  In the one for
 * latency each rank adds in another order, so sums that round would differ; recursive
 * doubling over a torus has partners as near (planner/regular/torus.h).
 */
#ifndef MTREE_PLANNER_PROGRAM_SWING_H
#define MTREE_PLANNER_PROGRAM_SWING_H

#include "planner/program/job.h"

/* May an allreduce go so between the @a num_hosts hosts of a torus of @a shape, of which
 * places are the points? */
bool mtree_swing_fits(const int *shape, int num_hosts);

/* The parts of the vector, each with partners of its own: twice the dimensions. */
int mtree_swing_num_parts(const int *shape);

/* The place with which @a place swaps in @a round of @a part. */
int mtree_swing_partner(const int *shape, int part, int place, int round);

/* The piece of @a part that the host at @a place sums in the @a num_rounds rounds; they
 * are numbered so that what goes in a message is consecutive. */
int mtree_swing_piece(const int *shape, int part, int place, int num_rounds);

#endif
