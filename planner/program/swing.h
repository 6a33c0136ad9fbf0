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

/* The place with which @a place swaps in @a round of part @a part, in [0, twice the
 * dimensions). */
int mtree_swing_partner(const int *shape, int part, int place, int round);

/* As mtree_exchange_sum(). */
void mtree_swing_sum(const mtree_program_job_t *job, int place, mtree_program_t *program);

#endif
