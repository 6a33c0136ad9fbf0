/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls go over TCP connections of mtree's own (tcp/tcp.h), where users leave that
 * to mtree: long ones with a long round trip.  They know no eager limit.
 */
#ifndef MTREE_PLANNER_PLAN_STREAMS_H
#define MTREE_PLANNER_PLAN_STREAMS_H

#include "planner/plan/plan.h"

/*
 * Do they pay in a call of @a bytes, over a tree of @a rate bits/s whose longest edge has
 * @a latency seconds and whose widest edge carries the part @a widest of it, in messages
 * of @a chunk bytes?  In a scan they do where these are above the eager limit: each host
 * would ask the next one for each of them, and what that takes adds up over all hosts.
 */
bool mtree_streams_pay(mtree_collective_t collective, double bytes, double rate,
                       double latency, double widest, size_t chunk);

/* Do calls over @a plan go over them?  Where one edge is long all messages between hosts
 * do, and those with relays always. */
bool mtree_plan_streams(const mtree_plan_t *plan);

#endif
