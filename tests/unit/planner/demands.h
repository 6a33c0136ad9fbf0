/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-to-all with blocks of different sizes: the maximum concurrent flow for a matrix of
 * demands, which plans are measured by.
 */
#ifndef MTREE_TESTS_UNIT_PLANNER_DEMANDS_H
#define MTREE_TESTS_UNIT_PLANNER_DEMANDS_H

#include "topo/topology.h"

/*
 * The least seconds in which each host i of the topology can send demand[i * num_hosts +
 * j] bytes to each host j, without latencies.  Demands of a host for itself do not count;
 * the others are not all 0.  It needs mtree_lp_is_available().
 */
double demands_least_seconds(const mtree_topology_t *topology, const double *demand);

#endif
