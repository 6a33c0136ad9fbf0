/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/gateways.h"
#include "planner/tuning.h"

#include "planner/packing/packing.h"
#include "planner/packing/reweight.h"
#include "planner/plan/algorithm.h"
#include "planner/regular/trees.h"

#include <math.h>
#include <stdbool.h>

/* Hosts that are near each other and far from all others, by the latencies of their
 * routes. */
typedef struct {
    int num_sites;
    int *site;   /* [num_hosts] of each host */
    int *place;  /* [num_hosts] of the host among those of its site */
    int *first;  /* [num_sites + 1] where the hosts of a site start in `member` */
    int *member; /* [num_hosts] hosts, by site, in ascending order */
} sites_t;

/* The host that stands for @a site towards the host in @a place of another. */
static int gateway_of(const sites_t *sites, int site, int place)
{
    int first = sites->first[site];

    return sites->member[first + place % (sites->first[site + 1] - first)];
}

/* The longest latency between two hosts. */
static double longest_latency(const mtree_problem_t *problem)
{
    double longest = 0.0;

    for (int from = 0; from < problem->num_hosts; from++) {
        for (int to = 0; to < problem->num_hosts; to++) {
            longest = fmax(longest, mtree_routes_latency(problem->routes, from, to));
        }
    }
    return longest;
}

/* Is @a host near the first host of @a site, both ways? */
static bool is_near(const mtree_problem_t *problem, int host, int other, double near)
{
    return mtree_routes_latency(problem->routes, host, other) <= near &&
           mtree_routes_latency(problem->routes, other, host) <= near;
}

/* Give each host the site of the first host that is near it.  False: nearness is not the
 * same seen from all hosts of a site, so there are no clusters. */
static bool group_hosts(const mtree_problem_t *problem, double near, sites_t *sites)
{
    int num_hosts = problem->num_hosts;

    sites->num_sites = 0;
    for (int host = 0; host < num_hosts; host++) {
        int other = 0;

        while (other < host && !is_near(problem, host, other, near)) {
            other++;
        }
        sites->site[host] = other < host ? sites->site[other] : sites->num_sites++;
    }
    for (int host = 0; host < num_hosts; host++) {
        for (int other = 0; other < host; other++) {
            if (is_near(problem, host, other, near) !=
                (sites->site[host] == sites->site[other])) {
                return false;
            }
        }
    }
    return sites->num_sites > 1;
}

static void list_members(const mtree_problem_t *problem, sites_t *sites)
{
    int count = 0;

    for (int site = 0; site < sites->num_sites; site++) {
        sites->first[site] = count;
        for (int host = 0; host < problem->num_hosts; host++) {
            if (sites->site[host] == site) {
                sites->place[host] = count - sites->first[site];
                sites->member[count++] = host;
            }
        }
    }
    sites->first[sites->num_sites] = count;
}

/*
 * The sites of the problem's hosts, in its arena.  Where latencies form no clusters, or
 * one, each host is a site.
 */
static void find_sites(const mtree_problem_t *problem, sites_t *sites_p)
{
    size_t num_hosts = (size_t)problem->num_hosts;
    double near = longest_latency(problem) * MTREE_TUNED_NEAR_PART;

    MTREE_ARENA_ARRAY(problem->arena, sites_p->site, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, sites_p->place, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, sites_p->first, num_hosts + 1);
    MTREE_ARENA_ARRAY(problem->arena, sites_p->member, num_hosts);
    if (near <= 0.0 || !group_hosts(problem, near, sites_p)) {
        sites_p->num_sites = problem->num_hosts;
        for (int host = 0; host < problem->num_hosts; host++) {
            sites_p->site[host] = host;
        }
    }
    list_members(problem, sites_p);
}

bool mtree_gateways_fit(const mtree_routes_t *routes, int num_hosts)
{
    mtree_arena_t arena = {0};
    const mtree_problem_t problem = {
        .routes = routes, .num_hosts = num_hosts, .arena = &arena};
    bool fit = mtree_direct_exchange_fits(routes, num_hosts);
    sites_t sites;

    if (fit) {
        find_sites(&problem, &sites);
        fit = sites.num_sites < num_hosts;
    }
    mtree_arena_cleanup(&arena);
    return fit;
}

/* The packing between sites: one host of each stands for it, that of the root the root.
 */
static mtree_status_t plan_sites(const mtree_problem_t *problem, const sites_t *sites,
                                 mtree_plan_t **plan_p)
{
    mtree_plan_request_t request = *problem->request;
    mtree_problem_t between = *problem;
    bool has_root = mtree_collective_has_root(request.collective);
    mtree_routes_t *routes = NULL;
    mtree_status_t status;
    int *hosts;

    MTREE_ARENA_ARRAY(problem->arena, hosts, (size_t)sites->num_sites);
    for (int site = 0; site < sites->num_sites; site++) {
        bool is_roots = has_root && sites->site[request.root] == site;

        hosts[site] =
            problem->hosts[is_roots ? request.root : gateway_of(sites, site, 0)];
    }
    request.bytes *= has_root ? 1.0 : (double)problem->num_hosts / sites->num_sites;
    request.root = has_root ? sites->site[request.root] : request.root;
    between.request = &request;
    between.hosts = hosts;
    between.num_hosts = sites->num_sites;
    between.routes = NULL;
    status = mtree_problem_prepare(&between, &routes);
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
static void draw_tree(const mtree_problem_t *problem, const sites_t *sites,
                      const mtree_tree_t *above, int root, mtree_tree_t *tree)
{
    int place = sites->place[root];

    tree->root = root;
    for (int host = 0; host < problem->num_hosts; host++) {
        int site = sites->site[host];
        int gateway = above->parent[site] < 0 ? root : gateway_of(sites, site, place);

        if (host == root) {
            tree->parent[host] = -1;
        } else if (host != gateway) {
            tree->parent[host] = gateway;
        } else {
            int next = above->parent[site];

            tree->parent[host] =
                above->parent[next] < 0 ? root : gateway_of(sites, next, place);
        }
    }
}

/* The trees of @a between for each host of the site of their root, or for the only root.
 */
static mtree_plan_t *draw_trees(const mtree_problem_t *problem, const sites_t *sites,
                                const mtree_plan_t *between)
{
    const bool has_root = mtree_collective_has_root(between->collective);
    int count = 0, drawn = 0;
    mtree_plan_t *plan;

    for (int t = 0; t < between->num_trees; t++) {
        const int *first = &sites->first[between->trees[t].root];

        count += has_root ? 1 : first[1] - first[0];
    }
    plan = mtree_problem_plan(problem, "gateways", count);
    for (int host = 0; host < problem->num_hosts; host++) {
        for (int t = 0; t < between->num_trees; t++) {
            if ((!has_root || host == problem->request->root) &&
                between->trees[t].root == sites->site[host]) {
                draw_tree(problem, sites, &between->trees[t], host,
                          &plan->trees[drawn++]);
            }
        }
    }
    return plan;
}

mtree_status_t mtree_gateways_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_plan_request_t request = *problem->request;
    mtree_problem_t again = *problem;
    mtree_plan_t *between = NULL, *drawn = NULL;
    sites_t sites;
    mtree_status_t status;

    find_sites(problem, &sites);
    status = plan_sites(problem, &sites, &between);
    if (status == MTREE_OK) {
        drawn = draw_trees(problem, &sites, between);
        request.keep = drawn;
        again.request = &request;
        status = mtree_reweight_plan(&again, plan_p);
    }
    mtree_plan_destroy(between);
    mtree_plan_destroy(drawn);
    return status;
}
