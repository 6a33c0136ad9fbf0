/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libmtree: networks, plans and the simulator, without MPI.
 *
 *     #include <mtree.h>
 *     cc program.c $(pkg-config --cflags --libs mtree)
 *
 * Functions that can fail return an mtree_status_t and log one line, on standard error
 * unless mtree_log_set() says otherwise.  Objects may be used by one thread at a time
 * each.  The interface may change with every version 0.x; the library's number
 * (libmtree.so.N) then changes with it.
 */
#ifndef MTREE_LIBRARY_MTREE_H
#define MTREE_LIBRARY_MTREE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/log.h"                   /* where messages go */
#include "base/status.h"                /* what functions return */
#include "base/units.h"                 /* "200Mbps", "38ms", "16M" */
#include "planner/bound/least_time.h"   /* what no call can beat */
#include "planner/plan/json.h"          /* plans as JSON */
#include "planner/plan/plan.h"          /* trees, rates, shares, the bound */
#include "planner/planner.h"            /* from a topology to a plan */
#include "simulate/baseline/baseline.h" /* Open MPI's own algorithms */
#include "simulate/forecast/choice.h" /* the plan that is the fastest of several kinds */
#include "simulate/simulate.h"        /* how long a plan or a baseline takes */
#include "topo/dot/read.h"            /* read from and written to Graphviz DOT */
#include "topo/generators.h"          /* tori, stars, fat trees, ... */
#include "topo/routes.h"              /* the path between two hosts */
#include "topo/topology.h"            /* hosts, switches, links */

#ifdef __cplusplus
}
#endif

#endif
