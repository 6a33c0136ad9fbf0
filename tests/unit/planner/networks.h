/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks that the planner's tests share.
 */
#ifndef MTREE_TESTS_UNIT_PLANNER_NETWORKS_H
#define MTREE_TESTS_UNIT_PLANNER_NETWORKS_H

#include "planner/planner.h"

/*
 * A random connected network of hosts, with capacities of 60 to 340 Mb/s in whole 10 Mb/s
 * (one per direction when @a one_way) and latencies up to @a latency seconds.  Equal
 * arguments give equal networks.
 */
mtree_topology_t *network_random(int num_hosts, int num_links, unsigned seed,
                                 bool one_way, double latency);

/* Google's B4 of 2011: 12 hosts, 19 links, capacities of 60 to 340 Mb/s drawn from @a
 * seed; latencies fall from 400 to 50 ms as capacities rise. */
mtree_topology_t *network_b4(unsigned seed);

/*
 * Machines of 8 GPUs on a switch of 300 GB/s each, and one adapter of 25 GB/s per GPU to
 * a switch between machines (DGX A100).
 */
mtree_topology_t *network_a100(int num_machines);

/*
 * Machines of 16 dies joined by links of 50 GB/s, 1 to 4 per pair, and 16 GB/s per die to
 * a switch between machines (MI250).
 */
mtree_topology_t *network_mi250(int num_machines);

/* Hosts h0, h1, ... without a link; vertex i is host i. */
mtree_topology_t *network_hosts(int num_hosts);

/* The same, the hosts of @a order [num_hosts] joined each to the next one, at @a rate
 * bits/s; NULL: in ascending order. */
mtree_topology_t *network_row(const int *order, int num_hosts, double rate,
                              double latency);

/* What the arcs from the vertices of @a set to others carry, bits/s; *burst_p (unless
 * NULL) is what goes over them at once, bits. */
double network_cut(const mtree_topology_t *topology, unsigned set, double *burst_p);

/* The plan that is read of what @a plan is written as. */
mtree_plan_t *network_plan_again(const mtree_plan_t *plan);

/* Fig. 2a of GOST's paper: hosts A, B, C, D in a ring of 1 Mb/s, and B - D of 2 Mb/s, 0.1
 * s each; 2 Mb/s are the optimum. */
mtree_topology_t *network_gost(void);

/* Plan for all hosts of the topology; the test fails unless there is a plan that keeps
 * all capacities. */
mtree_plan_t *network_plan(const mtree_topology_t *topology,
                           const mtree_plan_request_t *request);

/* The same for a request with these members. */
#define NETWORK_PLAN(topology, ...)                                                      \
    network_plan(topology, &(const mtree_plan_request_t){__VA_ARGS__})

/* The same on the network @a map, which the test is given (tests/unit/given.h). */
#define GIVEN_PLAN(map, ...) (given_routes(map), NETWORK_PLAN(topology, __VA_ARGS__))

#endif
