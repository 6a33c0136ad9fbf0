/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/sites.h"

#include <math.h>
#include <stdbool.h>

/* Hosts are near each other where their latency is at most this part of the longest. */
#define NEAR_PART 0.125

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
static bool group_hosts(const mtree_problem_t *problem, double near, mtree_sites_t *sites)
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

static void list_members(const mtree_problem_t *problem, mtree_sites_t *sites)
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

mtree_status_t mtree_sites_find(const mtree_problem_t *problem, mtree_sites_t *sites_p)
{
    size_t num_hosts = (size_t)problem->num_hosts;
    double near = longest_latency(problem) * NEAR_PART;

    MTREE_ARENA_ARRAY(problem->arena, sites_p->site, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, sites_p->place, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, sites_p->first, num_hosts + 1);
    MTREE_ARENA_ARRAY(problem->arena, sites_p->member, num_hosts);
    if (problem->arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    if (near <= 0.0 || !group_hosts(problem, near, sites_p)) {
        sites_p->num_sites = problem->num_hosts;
        for (int host = 0; host < problem->num_hosts; host++) {
            sites_p->site[host] = host;
        }
    }
    list_members(problem, sites_p);
    return MTREE_OK;
}
