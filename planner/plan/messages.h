/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the hosts of a plan that names a rank program (planner/program/build.h), with one
 * rank each, send to each other.
 */
#ifndef MTREE_PLANNER_PLAN_MESSAGES_H
#define MTREE_PLANNER_PLAN_MESSAGES_H

#include "base/arena.h"
#include "planner/plan/plan.h"

/* Between more hosts programs are not planned. */
#define MTREE_PROGRAM_MOST_HOSTS 1024

typedef struct {
    int from, to; /* hosts */
    double part;  /* of the call's vector */
} mtree_message_t;

typedef struct {
    mtree_message_t *list; /* [count] by sender, and of each in its order */
    int count, capacity;
    double chain; /* seconds of the longest chain of messages of which each waits for the
                     one before.  What a message takes that is longer than nothing is not
                     in them */
} mtree_messages_t;

/* The messages of the program of @a plan, in @a arena.  The chain is by the latencies of
 * @a routes (NULL: no chain is sought) and @a overhead for each message. */
mtree_messages_t mtree_plan_program_messages(const mtree_plan_t *plan,
                                             const mtree_routes_t *routes,
                                             double overhead, mtree_arena_t *arena);

#endif
