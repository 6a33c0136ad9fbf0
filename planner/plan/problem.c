/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "planner/plan/algorithm.h"

mtree_status_t mtree_problem_prepare(mtree_problem_t *problem, mtree_routes_t **routes_p)
{
    const mtree_topology_t *topology = problem->topology;
    const int *hosts = problem->hosts;
    const int num_hosts = problem->num_hosts;
    mtree_status_t status = MTREE_OK;
    const char **names;
    bool *used;

    MTREE_ARENA_ARRAY(problem->arena, names, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, used, (size_t)topology->num_vertices);
    for (int i = 0; i < num_hosts; ++i) {
        const int v = hosts[i];

        if (v < 0 || v >= topology->num_vertices || used[v] ||
            topology->vertices[v].kind != MTREE_VERTEX_HOST) {
            mtree_error("planner: host %d is vertex %d; give hosts of %s, each once", i,
                        v, topology->name);
            return MTREE_ERR_INVALID;
        }
        used[v] = true;
        names[i] = topology->vertices[v].host;
    }
    problem->names = names;
    if (problem->routes == NULL) {
        status = mtree_routes_create(topology, hosts, num_hosts, routes_p);
        problem->routes = *routes_p;
    }
    return status;
}
