/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The programs of all hosts of a plan, with one rank each: what they put on links, and
 * how long they take.
 */
#ifndef MTREE_PLANNER_PROGRAM_HOSTS_H
#define MTREE_PLANNER_PROGRAM_HOSTS_H

#include "planner/program/build.h"
#include "topo/routes.h"

/* Between more hosts programs are not planned. */
#define MTREE_PROGRAM_MOST_HOSTS 1024

/* What is asked of a program between hosts. */
typedef struct {
    mtree_program_kind_t kind;
    mtree_collective_t collective;
    int root; /* host, where the collective has one */
    int num_hosts;
    const int *order; /* [num_hosts] */
    const int *shape; /* as of mtree_program_job_t */
} mtree_program_hosts_t;

/* Called for each message, with the hosts that send and receive it, and its part of the
 * call's vector. */
typedef void (*mtree_program_visit_t)(void *arg, int from, int to, double part);

void mtree_program_messages(const mtree_program_hosts_t *hosts,
                            mtree_program_visit_t visit, void *arg);

/*
 * The seconds of the longest chain of messages of which each waits for the one before, by
 * the latencies of @a routes and @a overhead for each.  What a message takes that is
 * longer than nothing is not in them.  @a visit as above.
 */
double mtree_program_chain(const mtree_program_hosts_t *hosts,
                           const mtree_routes_t *routes, double overhead,
                           mtree_program_visit_t visit, void *arg);

#endif
