/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gateways: the blocks from a host to a site cross the long links to it once, to one host
 * of that site, which forwards them.
 *
 * By direct exchange each pair of hosts of an all-to-all has a connection over the same
 * long link.  Each carries so few bytes that TCP notices a loss by its timeout alone
 * (notes/performance.md).  Between gateways there is one connection per host.
 */
#ifndef MTREE_PLANNER_REGULAR_GATEWAYS_H
#define MTREE_PLANNER_REGULAR_GATEWAYS_H

#include "planner/plan/algorithm.h"

#include <stdbool.h>

/*
 * Do hosts form sites, can they send to each other without passing through a third, and
 * are they few enough that a tree for each costs little?
 */
bool mtree_gateways_fit(const mtree_routes_t *routes, int num_hosts);

/*
 * The algorithm "gateways" of the planner, for personalized collectives.  The trees of a
 * packing between the sites, each drawn for every host of its
 * root's site, with the rates that carry most.  Where hosts form no sites it is a packing
 * between hosts.  Errors are those of mtree_packing_plan() and mtree_reweight_plan().
 */
mtree_status_t mtree_gateways_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif
