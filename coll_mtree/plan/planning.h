/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning on rank 0: by the algorithm that the user chose, or from a plan file.
 */
#ifndef COLL_MTREE_PLAN_PLANNING_H
#define COLL_MTREE_PLAN_PLANNING_H

#include "coll_mtree/plan/planning_context.h"
#include "simulate/forecast/forecast.h"

#include "topo/topology.h"

/*
 * A plan for calls of @a call_class, whose root is a host here, between the hosts at @a
 * vertices, as JSON; malloc'ed.  NULL, having said why, when there is none with at most
 * @a max_trees trees (of one root).  With @a older (NULL: none), a plan as JSON, it has
 * the trees of that, with other shares.  *forecast_p: what is expected of it.
 */
char *coll_mtree_planning_run(ompi_communicator_t *comm, const mtree_topology_t *topology,
                              const int *vertices, int num_hosts,
                              const coll_mtree_call_class_t *call_class, int max_trees,
                              const char *older, mtree_forecast_t *forecast_p);

/*
 * What is to become of @a plan for calls of @a call_class, whose root is a host here,
 * which was made for another state of this network: by the planner's forecast it becomes
 * *gain_p times as fast.  After @a little changes no new trees are looked for.
 */
coll_mtree_change_t coll_mtree_planning_change(const mtree_topology_t *topology,
                                               const int *vertices, int num_hosts,
                                               const coll_mtree_call_class_t *call_class,
                                               int max_trees, const mtree_plan_t *plan,
                                               bool little, double *gain_p);

/* Room for a rate and its bound in words. */
#define COLL_MTREE_RATE_TEXT 80

/* "48 Mb/s of at most 50 Mb/s" into @a text, or the rate alone where no bound is known.
 */
void coll_mtree_planning_format_rate(const mtree_plan_t *plan,
                                     char text[COLL_MTREE_RATE_TEXT]);

#endif
