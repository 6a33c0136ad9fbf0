/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a plan passes through relays.
 */
#ifndef MTREE_SIMULATE_FORECAST_CHOICE_RELAYS_H
#define MTREE_SIMULATE_FORECAST_CHOICE_RELAYS_H

#include "planner/planner.h"

/* Where a plan of the request's trees leaves much of the relays' links idle, it may have
 * so many times as many. */
#define MTREE_CHOICE_MORE_TREES 4

/* The plan for @a request that passes through its relays, where that is clearly faster
 * (mtree_relays_gain()) than @a plan for the same without; else *relayed_p is NULL.  Its
 * seconds are predicted as those of mtree_choice_plan() are.  The caller's. */
mtree_status_t mtree_choice_relays(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_request_t *request,
                                   const mtree_plan_t *plan, mtree_plan_t **relayed_p);

#endif
