/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring allreduce, and its two-dimensional form, as step schedules: the baselines RING and
 * 2D-RING of papers/multitree.txt.
 */
#ifndef MTREE_PAPERS_BASELINES_RING_SCHEDULE_H
#define MTREE_PAPERS_BASELINES_RING_SCHEDULE_H

#include "papers/baselines/rounds.h"

/*
 * Reduce-scatter and all-gather around one ring, one direction: 2 (n - 1) steps (Fig. 1).
 * @a order lists the hosts around the ring; NULL: by number.
 */
mtree_rounds_t *mtree_ring_schedule(int num_hosts, const int *order);

/*
 * An order in which the hosts of a grid, host r * cols + c at row r and column c, form a
 * ring of neighbours. Where both are odd no such ring is in a mesh, and the last is far
 * from the first.
 */
void mtree_ring_order_grid(int rows, int cols, int *order);

/*
 * 2D-RING on such a grid: a ring allreduce of all the data along the rows, then along the
 * columns, 2 N (N - 1) pieces of 1/N^2 a phase where one ring sends N^2 - 1.  Four
 * quarters of the message keep all links of a torus busy: two go along rows first, two
 * along columns first, one of each two in either direction.
 */
mtree_rounds_t *mtree_ring_schedule_2d(int rows, int cols);

#endif
