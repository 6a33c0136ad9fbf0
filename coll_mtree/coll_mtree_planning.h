/*
 * Planning on rank 0: by the algorithm that the user chose, or from a plan file.
 */
#ifndef MCA_COLL_MTREE_PLANNING_H
#define MCA_COLL_MTREE_PLANNING_H

#include "coll_mtree_estimate.h"
#include "coll_mtree_network.h"

#include "topo/topology.h"

/*
 * A plan for calls of @a kind, whose root is a host here, between the hosts at @a
 * vertices, as JSON; malloc'ed.  NULL, having said why, when there is none with at most
 * @a max_trees trees (of one root).  *forecast_p: what is expected of
 * it.
 */
char *coll_mtree_planning_run(ompi_communicator_t *comm, const mtree_topology_t *topology,
                              const int *vertices, int num_hosts,
                              const coll_mtree_kind_t *kind, int max_trees,
                              coll_mtree_forecast_t *forecast_p);

/*
 * How many times as fast a new plan for calls of @a kind, whose root is a host here,
 * would be as @a plan is, which was made for another state of this network; by the
 * planner's forecast.  0: there is no new one.
 */
double coll_mtree_planning_gain(const mtree_topology_t *topology, const int *vertices,
                                int num_hosts, const coll_mtree_kind_t *kind,
                                int max_trees, const mtree_plan_t *plan);

/* Room for a rate and its bound in words. */
#define COLL_MTREE_RATE_TEXT 80

/* "48 Mb/s of at most 50 Mb/s" into @a text, or the rate alone where no bound is known.
 */
void coll_mtree_planning_format_rate(const mtree_plan_t *plan,
                                     char text[COLL_MTREE_RATE_TEXT]);

#endif
