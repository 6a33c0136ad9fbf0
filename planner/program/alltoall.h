/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-to-all in ceil(log2 n) rounds (J. Bruck et al., Efficient Algorithms for All-to-All
 * Communications in Multiport Message-Passing Systems, 1997, section 3): what is for the
 * host k places on goes there in hops of the powers of two that k is made of, together
 * with all else that takes the hop.
 */
#ifndef MTREE_PLANNER_PROGRAM_ALLTOALL_H
#define MTREE_PLANNER_PROGRAM_ALLTOALL_H

#include "planner/program/job.h"

/* All that a rank does.  Leaders collect and hand out the blocks of their hosts' ranks;
 * the ranks of a host send each other theirs themselves. */
void mtree_alltoall_build(const mtree_program_job_t *job, mtree_program_t *program);

#endif
