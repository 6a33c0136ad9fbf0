/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/relays/relays.h"

#include "base/log.h"
#include "planner/bound/slowest_flow.h"
#include "planner/plan/finish.h"
#include "planner/plan/plan.h"
#include "planner/relays/pack.h"
#include "planner/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A message beside whose time latencies are nothing. */
#define ENDLESS_BYTES 1e24

const char *mtree_relays_unavailable(const mtree_plan_request_t *request, int num_hosts)
{
    if (request->num_relays == 0 || num_hosts < 2) {
        return "there are none";
    }
    if (num_hosts + request->num_relays > MTREE_RELAYS_MOST_HOSTS) {
        return "too many hosts and relays";
    }
    if (mtree_collective_has_demands(request->collective)) {
        return "the collective has a block for each host";
    }
    if (request->algorithm != NULL || request->keep != NULL) {
        return "an algorithm is given";
    }
    if (request->max_height > 0 || request->min_rate > 0.0) {
        return "height or rate of trees is limited";
    }
    return NULL;
}

bool mtree_relays_gain(const mtree_plan_t *relayed, const mtree_plan_t *plan)
{
    return plan->bytes > 0.0
               ? relayed->seconds * (1.0 + MTREE_TUNED_LEAST_CALL_GAIN) < plan->seconds
               : relayed->throughput >
                     plan->throughput * (1.0 + MTREE_TUNED_LEAST_RATE_GAIN);
}

/* The only host below @a host; -1: there is none, or there are several. */
static int only_child(const int *parent, int num_hosts, int host)
{
    int child = -1;

    for (int i = 0; i < num_hosts; i++) {
        if (parent[i] == host) {
            if (child >= 0) {
                return -1;
            }
            child = i;
        }
    }
    return child;
}

/* A relay that only passes on what the network would bring there anyway leaves the tree.
 */
static void splice(const mtree_problem_t *problem, int num_active, int *parent)
{
    for (int relay = num_active; relay < problem->num_hosts; relay++) {
        int above = parent[relay];
        int child = above < 0 ? -1 : only_child(parent, problem->num_hosts, relay);

        if (child >= 0 && mtree_routes_join(problem->routes, above, relay, child) &&
            mtree_routes_join(problem->routes, child, relay, above)) {
            parent[child] = above;
            parent[relay] = MTREE_PLAN_OUTSIDE;
        }
    }
}

/* Number the active hosts and the relays that are used; how many. */
static int number_hosts(const mtree_problem_t *problem, int num_active,
                        const mtree_plan_t *packed, int *number, int *vertices)
{
    int count = 0;

    for (int host = 0; host < problem->num_hosts; host++) {
        bool is_used = host < num_active;

        for (int t = 0; t < packed->num_trees && !is_used; t++) {
            is_used = !mtree_tree_is_outside(&packed->trees[t], host);
        }
        number[host] = is_used ? count : -1;
        if (is_used) {
            vertices[count++] = problem->hosts[host];
        }
    }
    return count;
}

/* The plan's trees from those packed, with the hosts' new numbers. */
static void fill_trees(const mtree_plan_t *packed, const int *number, mtree_plan_t *plan)
{
    for (int t = 0; t < packed->num_trees; t++) {
        const mtree_tree_t *from = &packed->trees[t];
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = from->root;
        tree->rate = from->rate;
        for (int host = 0; host < packed->num_hosts; host++) {
            int above = from->parent[host];

            if (number[host] >= 0) {
                tree->parent[number[host]] = above < 0 ? above : number[above];
            }
        }
    }
}

/* Where the relay at @a vertex listens; "": nobody has said so. */
static const char *address_of(const mtree_topology_t *topology,
                              const mtree_plan_request_t *request, int vertex)
{
    const char *address = topology->vertices[vertex].relay;

    for (int i = 0; i < request->num_relays && request->relay_addresses != NULL; i++) {
        if (request->relays[i] == vertex) {
            address = request->relay_addresses[i];
        }
    }
    return address == NULL ? "" : address;
}

/* An empty plan with the addresses of its relays. */
static mtree_plan_t *create_plan(const mtree_problem_t *problem, int num_active,
                                 int num_trees)
{
    mtree_plan_t *plan = mtree_problem_plan(problem, "relays", num_trees);
    const int num_relays = problem->num_hosts - num_active;
    const char **addresses;

    MTREE_ARENA_ARRAY(problem->arena, addresses, (size_t)num_relays);
    for (int i = 0; i < num_relays; i++) {
        addresses[i] = address_of(problem->topology, problem->request,
                                  problem->hosts[num_active + i]);
    }
    (void)mtree_plan_add_relays(plan, num_relays, addresses);
    return plan;
}

/* The plan of what is packed; NULL where it uses no relay. */
static mtree_status_t make_plan(const mtree_problem_t *problem, int num_active,
                                const mtree_plan_t *packed, mtree_plan_t **plan_p)
{
    mtree_problem_t used = *problem;
    mtree_routes_t *routes = NULL;
    mtree_status_t status;
    int *number, *vertices;

    MTREE_ARENA_ARRAY(problem->arena, number, (size_t)problem->num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, vertices, (size_t)problem->num_hosts);
    used.hosts = vertices;
    used.num_hosts = number_hosts(problem, num_active, packed, number, vertices);
    if (used.num_hosts == num_active) {
        return MTREE_OK;
    }
    used.routes = NULL;
    status = mtree_problem_prepare(&used, &routes);
    if (status == MTREE_OK) {
        *plan_p = create_plan(&used, num_active, packed->num_trees);
        fill_trees(packed, number, *plan_p);
        mtree_plan_finish(&used, *plan_p);
    }
    mtree_routes_destroy(routes);
    return status;
}

double mtree_relays_cut_bound(const mtree_topology_t *topology, const int *hosts,
                              int num_hosts, mtree_collective_t collective, int root)
{
    mtree_slowest_t path, flow = {.seconds = INFINITY};

    if (num_hosts > 1 && !mtree_collective_is_personalized(collective)) {
        mtree_slowest_flow(topology, hosts, num_hosts, collective, root, ENDLESS_BYTES,
                           &path, &flow);
    }
    return 8.0 * ENDLESS_BYTES / flow.seconds;
}

/* Pack trees between all hosts of @a problem and make the plan. */
static mtree_status_t plan_between(const mtree_problem_t *problem, int num_active,
                                   mtree_plan_t **plan_p)
{
    mtree_plan_t *packed = NULL;
    mtree_status_t status = mtree_relays_pack(problem, num_active, &packed);

    for (int t = 0; status == MTREE_OK && t < packed->num_trees; t++) {
        splice(problem, num_active, packed->trees[t].parent);
    }
    if (status == MTREE_OK) {
        status = make_plan(problem, num_active, packed, plan_p);
    }
    if (status == MTREE_OK && *plan_p != NULL) {
        (*plan_p)->bound =
            packed->bound > 0.0
                ? packed->bound
                : mtree_relays_cut_bound(problem->topology, problem->hosts, num_active,
                                         (*plan_p)->collective, (*plan_p)->root);
    }
    mtree_plan_destroy(packed);
    return status;
}

mtree_status_t mtree_relays_plan(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p)
{
    mtree_arena_t arena = {0};
    mtree_problem_t problem = {.topology = topology,
                               .request = request,
                               .num_hosts = num_hosts + request->num_relays,
                               .arena = &arena};
    mtree_routes_t *routes = NULL;
    mtree_status_t status;
    int *all;

    *plan_p = NULL;
    MTREE_ARENA_ARRAY(&arena, all, (size_t)problem.num_hosts);
    memcpy(all, hosts, (size_t)num_hosts * sizeof(*all));
    memcpy(all + num_hosts, request->relays, (size_t)request->num_relays * sizeof(*all));
    problem.hosts = all;
    status = mtree_problem_prepare(&problem, &routes);
    if (status == MTREE_OK) {
        status = plan_between(&problem, num_hosts, plan_p);
    }
    if (status != MTREE_OK) {
        mtree_plan_destroy(*plan_p);
        *plan_p = NULL;
    }
    mtree_routes_destroy(routes);
    mtree_arena_cleanup(&arena);
    return status;
}

mtree_status_t mtree_relays_find(const mtree_plan_t *plan,
                                 const mtree_topology_t *topology, int *relays)
{
    for (int i = 0; i < plan->num_relays; i++) {
        const char *name = plan->hosts[mtree_plan_num_active(plan) + i];

        relays[i] = mtree_topology_find_host(topology, name);
        if (relays[i] < 0) {
            mtree_error("plan: relay %s is no host of %s; plan with this topology", name,
                        topology->name);
            return MTREE_ERR_NOT_FOUND;
        }
    }
    return MTREE_OK;
}
