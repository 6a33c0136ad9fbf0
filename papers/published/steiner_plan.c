/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/steiner.h"

#include "base/log.h"
#include "planner/plan/finish.h"

#include <stdlib.h>

/*
 * A plan's trees span its hosts and nothing else, so a relay cannot be named in it.  The
 * hosts of the request are the active ones, every other host of the topology may relay,
 * and in the plan a host hangs below the nearest active host above it; what the relay did
 * is then done by the routes between them.  Where relays only pass data on, nothing
 * changes; where one combines or copies, its links carry the parts one by one.  So the
 * weights are scaled to what the routes carry.
 */

/* The rest to the bound at which the packing may stop. */
#define PLAN_GAP 0.01

/* More hosts and relays than this make the dense oracle too slow. */
#define MOST_HOSTS 256

/* The request's hosts, then the others. */
static int list_hosts(const mtree_problem_t *problem, int *hosts)
{
    int num_hosts = problem->num_hosts;

    for (int i = 0; i < num_hosts; i++) {
        hosts[i] = problem->hosts[i];
    }
    for (int v = 0; v < problem->topology->num_vertices; v++) {
        bool is_active = problem->topology->vertices[v].kind != MTREE_VERTEX_HOST;

        for (int i = 0; i < problem->num_hosts && !is_active; i++) {
            is_active = problem->hosts[i] == v;
        }
        if (!is_active) {
            hosts[num_hosts++] = v;
        }
    }
    return num_hosts;
}

static int compare_weights(const void *left, const void *right)
{
    const mtree_steiner_tree_t *a = left, *b = right;

    return (a->weight < b->weight) - (a->weight > b->weight);
}

static mtree_plan_t *make_plan(const mtree_problem_t *problem,
                               mtree_steiner_packing_t *packing)
{
    const mtree_plan_request_t *request = problem->request;
    int num_trees = packing->num_trees;
    mtree_plan_t *plan;

    if (request->max_trees > 0 && request->max_trees < num_trees) {
        qsort(packing->trees, (size_t)num_trees, sizeof(*packing->trees),
              compare_weights);
        num_trees = request->max_trees;
    }
    plan = mtree_problem_plan(problem, "steiner", num_trees);
    for (int t = 0; t < num_trees; t++) {
        const mtree_steiner_tree_t *packed = &packing->trees[t];
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = packed->root;
        tree->rate = packed->weight;
        for (int host = 0; host < problem->num_hosts; host++) {
            int above = packed->parent[host];

            while (above >= problem->num_hosts) {
                above = packed->parent[above];
            }
            tree->parent[host] = above;
        }
    }
    mtree_plan_scale_rates(problem, plan);
    return plan;
}

bool mtree_steiner_fits(const mtree_problem_t *problem)
{
    return mtree_topology_num_hosts(problem->topology) <= MOST_HOSTS;
}

mtree_status_t mtree_steiner_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    bool has_root = mtree_collective_has_root(problem->request->collective);
    mtree_steiner_request_t request = {.topology = problem->topology,
                                       .num_active = problem->num_hosts,
                                       .mode = MTREE_STEINER_BROADCAST,
                                       .root = has_root ? problem->request->root : -1,
                                       .gap = PLAN_GAP};
    mtree_steiner_packing_t *packing;
    mtree_status_t status;
    int *hosts;

    if (!mtree_steiner_fits(problem)) {
        mtree_error(
            "steiner: %d hosts in the topology, at most %d are planned; choose packing",
            mtree_topology_num_hosts(problem->topology), MOST_HOSTS);
        return MTREE_ERR_LIMIT;
    }
    MTREE_ARENA_ARRAY(problem->arena, hosts, (size_t)problem->topology->num_vertices);
    request.num_hosts = list_hosts(problem, hosts);
    request.hosts = hosts;
    status = mtree_steiner_pack(&request, &packing);
    if (status == MTREE_OK) {
        *plan_p = make_plan(problem, packing);
        mtree_steiner_packing_destroy(packing);
    }
    return status;
}
