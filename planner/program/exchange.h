/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One exchange: each host sends what it has to every other one that needs it, at once.
 * All add in the same order, so that all have the same bits.
 */
#ifndef MTREE_PLANNER_PROGRAM_EXCHANGE_H
#define MTREE_PLANNER_PROGRAM_EXCHANGE_H

#include "planner/program/job.h"

/* What the leader of a host adds to @a program, whose RESULT is the sum over its host;
 * @a place is that of the host in the job's order, by which peers are called.  RESULT
 * becomes the sum over all hosts, of a reduce on the root's host alone. */
void mtree_exchange_sum(const mtree_program_job_t *job, int place,
                        mtree_program_t *program);

/* The same in stages: first between the hosts of each ring of the last dimension of the
 * job's shape, then with those sums in the one before it, and so on. */
void mtree_exchange_stages(const mtree_program_job_t *job, int place,
                           mtree_program_t *program);

/* All that a rank does in a scan. */
void mtree_exchange_scan(const mtree_program_job_t *job, mtree_program_t *program);

#endif
