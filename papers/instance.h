/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network that the papers' figures are measured on: a topology, the hosts that take
 * part and the routes between them.
 */
#ifndef MTREE_PAPERS_INSTANCE_H
#define MTREE_PAPERS_INSTANCE_H

#include "planner/planner.h"
#include "topo/generators.h"
#include "topo/routes.h"

typedef struct {
    mtree_topology_t *topology;
    mtree_routes_t *routes; /* between the hosts */
    int *hosts;             /* [num_hosts] vertices of the topology */
    int num_hosts;
} mtree_instance_t;

/*
 * All functions that make an instance give one to be destroyed, and log their errors,
 * those of the topology's source.  This one owns @a topology from here on, also when it
 * fails; its first @a num_hosts hosts take part, 0: all.
 */
mtree_status_t mtree_instance_create(mtree_topology_t *topology, int num_hosts,
                                     mtree_instance_t *instance_p);

/* On a generated network of @a shape. */
mtree_status_t mtree_instance_generate(const char *shape,
                                       const mtree_generate_request_t *request,
                                       mtree_instance_t *instance_p);

/*
 * On a network of papers/mtree.txt, with the links of @a shape (NULL: of B4), drawn from
 * @a graph_seed where they are random, and capacities and latencies as its section IV-A
 * draws them, from @a seed: 200 Mb/s on average, 50 to 400 ms.
 */
mtree_status_t mtree_instance_draw(const char *shape, unsigned graph_seed, double skew,
                                   unsigned seed, mtree_instance_t *instance_p);

/* Plan for its hosts; as mtree_planner_run(). */
mtree_status_t mtree_instance_plan(const mtree_instance_t *instance,
                                   const mtree_plan_request_t *request,
                                   mtree_plan_t **plan_p);

void mtree_instance_destroy(mtree_instance_t *instance);

#endif
