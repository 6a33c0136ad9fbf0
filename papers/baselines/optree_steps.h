/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formulas of papers/optree.txt: OpTree's steps and those of its baselines, and what
 * a schedule's sends really take.
 */
#ifndef MTREE_PAPERS_BASELINES_OPTREE_STEPS_H
#define MTREE_PAPERS_BASELINES_OPTREE_STEPS_H

#include "papers/published/optree.h"

/*
 * k*, the number of stages with the fewest steps by equation (1): the better of the two
 * integers around equation (2)'s root, the larger on a tie; 1 below 8 ranks, where the
 * root is not real.  The paper writes [.] for rounding, but its Table I has ceil(6.39) =
 * 7 for 1024 ranks and its Figure 4 floor(7.09) = 7 for 2048.
 */
int mtree_optree_best_stages(int num_ranks, int num_wavelengths);

/* k* as the paper's comparisons take it (Table I, Figure 5): equation (2) rounded up; 1
 * below 8 ranks. */
int mtree_optree_published_stages(int num_ranks);

/* Equation (1), ceil((2k-1) N^(1+1/k) / 8w), for k >= 2; for k = 1 the one-stage ceil(N^2
 * / 8w) of Lemma 1. */
long mtree_optree_formula_steps(int num_ranks, int num_stages, int num_wavelengths);

/*
 * Equation (3): seconds for @a steps steps of @a bytes each on wavelengths of @a rate
 * bits/s, each with @a overhead seconds of conversion and reconfiguration.
 */
double mtree_optree_time(long steps, double bytes, double rate, double overhead);

/* Steps of the paper's baselines (Section III-D): ring, neighbour exchange. */
long mtree_optree_ring_steps(int num_ranks);
long mtree_optree_neighbour_steps(int num_ranks);

/*
 * WRHT with groups of p = 2w + 1 and theta = ceil(log_p N) levels, as the text counts it:
 * 1 + p (p^(theta-1) - 1) / (p - 1) + (theta - 1) p^(theta-1).  This is what gives Table
 * I's 259.
 */
long mtree_optree_wrht_steps(int num_ranks, int num_wavelengths);

/* WRHT by the formula that Table I prints, ceil((N-p)/(p-1)) + ceil((theta-1) N/p) + 1:
 * 16, not 259, for its example. */
long mtree_optree_wrht_table_steps(int num_ranks, int num_wavelengths);

/*
 * Replace the counted wavelengths and steps of @a schedule by those that its sends take:
 * the most blocks that a stage's sends take over any fibre.
 */
void mtree_optree_measure(mtree_optree_schedule_t *schedule, int num_wavelengths);

#endif
