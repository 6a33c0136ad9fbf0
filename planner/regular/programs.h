/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that name a rank program (planner/program/build.h): the order in which it takes
 * the hosts, and their shape.
 */
#ifndef MTREE_PLANNER_REGULAR_PROGRAMS_H
#define MTREE_PLANNER_REGULAR_PROGRAMS_H

#include "planner/plan/algorithm.h"

/* A host has memory for so many bytes of messages that come in a call. */
#define MTREE_PROGRAM_MOST_BYTES (64.0 * 1024 * 1024)

/* The most hosts of an exchange, in which each sends to every other one. */
#define MTREE_EXCHANGE_MOST_HOSTS 256

/*
 * The algorithms of the planner that have the name of a program, and whether they have a
 * plan.  MTREE_ERR_UNSUPPORTED (logged): they have none, as there are more hosts,
 * messages take more memory, or hosts do not have the shape that the program needs.
 *
 * Of several orders of the hosts the plan has the one with the least estimate.  The
 * groups of "staged_exchange" are on a torus its rows and columns, which together are as
 * far as the longest path; elsewhere the hosts are divided so that the estimate is least.
 */
bool mtree_programs_fit(const mtree_problem_t *problem);
mtree_status_t mtree_programs_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif
