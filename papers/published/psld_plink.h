/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The baselines of papers/mtree.txt that do not pack trees but let hosts send to
 * aggregators over their routes: PSLD (several parameter servers) and PLINK (two-level
 * hierarchy).
 */
#ifndef MTREE_PAPERS_PUBLISHED_PSLD_PLINK_H
#define MTREE_PAPERS_PUBLISHED_PSLD_PLINK_H

#include "planner/plan/algorithm.h"

/*
 * The bandwidth from host @a from to host @a to as the paper measures it for PSLD and
 * PLINK: the mean capacity of the arcs of the route of least latency, bits/s.
 */
double mtree_psld_bandwidth(const mtree_problem_t *problem, int from, int to);

/*
 * PSLD, for allreduce: every host (or the best max_trees) is a server that all others
 * push to and pull from directly. A server's part of the message is proportional to its
 * mean bandwidth to the others; the rates are the largest of these proportions that the
 * capacities hold.
 */
mtree_status_t mtree_psld_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

/*
 * PLINK, for allreduce: hosts are grouped around ceil(sqrt(n)) leaders that are far from
 * each other in latency, each host with its nearest leader; members send to their leader,
 * leaders to the one among them with the largest mean bandwidth to the others.  One tree
 * of height 2.
 */
mtree_status_t mtree_plink_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif
