/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks expanded in time, by which the tests check flows over time: each host has a
 * copy for each millisecond, joined to the next one, and an arc leads from each copy of
 * its begin to that copy of its end that is its latency later.
 */
#ifndef MTREE_TESTS_UNIT_PLANNER_TIME_EXPANDED_H
#define MTREE_TESTS_UNIT_PLANNER_TIME_EXPANDED_H

#include "topo/topology.h"

/*
 * Hosts h0, h1, ... joined at random by links of 0 to 3 ms, and of 0 to 5 Mb/s each way,
 * 1 to 5 from each host to the next and back.
 */
mtree_topology_t *time_expanded_draw(int num_hosts, unsigned seed);

/* Bits that a host has, or may get. */
typedef struct {
    int host;
    double bits; /* may be infinite */
} time_expanded_end_t;

/* The most bits that get from @a num_from hosts to @a num_to others in @a steps ms. */
double time_expanded_bits(const mtree_topology_t *topology,
                          const time_expanded_end_t *from, int num_from,
                          const time_expanded_end_t *to, int num_to, int steps);

#endif
