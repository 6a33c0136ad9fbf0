/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/gateways.h"

#include "planner/packing/packing.h"
#include "planner/packing/reweight.h"
#include "planner/regular/direct_exchange.h"
#include "planner/regular/sites.h"

bool mtree_gateways_fit(const mtree_routes_t *routes, int num_hosts)
{
    mtree_arena_t arena = {0};
    const mtree_problem_t problem = {
        .routes = routes, .num_hosts = num_hosts, .arena = &arena};
    mtree_sites_t sites;
    bool fit = mtree_direct_exchange_fits(routes, num_hosts) &&
               mtree_sites_find(&problem, &sites) == MTREE_OK &&
               sites.num_sites < num_hosts;

    mtree_arena_cleanup(&arena);
    return fit;
}

/* The packing between sites: one host of each stands for it, that of the root the root.
 */
static mtree_status_t plan_sites(const mtree_problem_t *problem,
                                 const mtree_sites_t *sites, mtree_plan_t **plan_p)
{
    mtree_plan_request_t request = *problem->request;
    mtree_problem_t between = *problem;
    bool has_root = mtree_collective_has_root(request.collective);
    const char **names;
    mtree_routes_t *routes = NULL;
    mtree_status_t status;
    int *hosts;

    MTREE_ARENA_ARRAY(problem->arena, hosts, (size_t)sites->num_sites);
    MTREE_ARENA_ARRAY(problem->arena, names, (size_t)sites->num_sites);
    if (problem->arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int site = 0; site < sites->num_sites; site++) {
        int host = mtree_sites_gateway(sites, site, 0);

        if (has_root && sites->site[request.root] == site) {
            host = request.root;
        }
        hosts[site] = problem->hosts[host];
        names[site] = problem->names[host];
    }
    request.bytes *= has_root ? 1.0 : (double)problem->num_hosts / sites->num_sites;
    request.root = has_root ? sites->site[request.root] : request.root;
    between.request = &request;
    between.hosts = hosts;
    between.names = names;
    between.num_hosts = sites->num_sites;
    status = mtree_routes_create(problem->topology, hosts, sites->num_sites, &routes);
    between.routes = routes;
    if (status == MTREE_OK) {
        status = mtree_packing_plan(&between, plan_p);
    }
    mtree_routes_destroy(routes);
    return status;
}

/*
 * @a tree for the hosts of all sites, from @a above, a tree of sites, for @a root: what
 * comes to a site comes to the gateway that stands for it towards the root's place, and
 * from there straight to the site's other hosts.
 */
static void draw_tree(const mtree_problem_t *problem, const mtree_sites_t *sites,
                      const mtree_tree_t *above, int root, mtree_tree_t *tree)
{
    int place = sites->place[root];

    tree->root = root;
    for (int host = 0; host < problem->num_hosts; host++) {
        int site = sites->site[host];
        int gateway =
            above->parent[site] < 0 ? root : mtree_sites_gateway(sites, site, place);

        if (host == root) {
            tree->parent[host] = -1;
        } else if (host != gateway) {
            tree->parent[host] = gateway;
        } else {
            int next = above->parent[site];

            tree->parent[host] =
                above->parent[next] < 0 ? root : mtree_sites_gateway(sites, next, place);
        }
    }
}

/* The trees of @a between for each host of the site of their root, or for the only root.
 */
static mtree_status_t draw_trees(const mtree_problem_t *problem,
                                 const mtree_sites_t *sites, const mtree_plan_t *between,
                                 mtree_plan_t **plan_p)
{
    int root =
        mtree_collective_has_root(between->collective) ? problem->request->root : -1;
    int count = 0, drawn = 0;
    mtree_status_t status;

    for (int host = 0; host < problem->num_hosts; host++) {
        for (int t = 0; t < between->num_trees; t++) {
            count +=
                (root < 0 || host == root) && between->trees[t].root == sites->site[host];
        }
    }
    status = mtree_problem_plan(problem, "gateways", count, plan_p);
    for (int host = 0; host < problem->num_hosts && status == MTREE_OK; host++) {
        for (int t = 0; t < between->num_trees; t++) {
            if ((root < 0 || host == root) &&
                between->trees[t].root == sites->site[host]) {
                draw_tree(problem, sites, &between->trees[t], host,
                          &(*plan_p)->trees[drawn++]);
            }
        }
    }
    return status;
}

mtree_status_t mtree_gateways_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_plan_request_t request = *problem->request;
    mtree_problem_t again = *problem;
    mtree_plan_t *between = NULL, *drawn = NULL;
    mtree_sites_t sites;
    mtree_status_t status = mtree_sites_find(problem, &sites);

    if (status == MTREE_OK) {
        status = plan_sites(problem, &sites, &between);
    }
    if (status == MTREE_OK) {
        status = draw_trees(problem, &sites, between, &drawn);
    }
    if (status == MTREE_OK) {
        drawn->root = mtree_collective_has_root(request.collective) ? request.root : -1;
        request.keep = drawn;
        again.request = &request;
        status = mtree_reweight_plan(&again, plan_p);
    }
    mtree_plan_destroy(between);
    mtree_plan_destroy(drawn);
    return status;
}
