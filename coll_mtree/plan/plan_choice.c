/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_choice.h"

#include "coll_mtree/base/tuning.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

int coll_mtree_plan_choice_trees_per_root(const mtree_plan_t *plan)
{
    int most = 0;

    if (!mtree_collective_has_blocks(plan->collective)) {
        return plan->num_trees;
    }
    for (int host = 0; host < plan->num_hosts; host++) {
        int trees = 0;

        for (int t = 0; t < plan->num_trees; t++) {
            trees += plan->trees[t].root == host;
        }
        most = trees > most ? trees : most;
    }
    return most;
}

bool coll_mtree_plan_choice_is_good_enough(const mtree_plan_t *plan,
                                           const mtree_plan_t *donor)
{
    double larger = plan->bytes / donor->bytes;
    double most = donor->bound > 0
                      ? COLL_MTREE_OTHER_SIZE_COST * 8 * plan->bytes / donor->bound
                      : 0;

    if (larger >= 0.5 && larger <= 2) {
        most = fmax(most, COLL_MTREE_NEAR_SIZE_COST * donor->seconds * fmax(larger, 1));
    }
    return plan->seconds > 0 && plan->seconds <= most;
}

size_t coll_mtree_plan_choice_bytes(const mtree_plan_t *plan)
{
    size_t hosts, per_host;

    if (plan == NULL) {
        return 0;
    }
    hosts = (size_t)plan->num_hosts;
    per_host = sizeof(*plan->trees->parent) + sizeof(*plan->trees->latency);
    return sizeof(*plan) +
           (size_t)plan->num_trees * (sizeof(*plan->trees) + hosts * per_host) +
           (plan->routes == NULL ? 0 : hosts * hosts * sizeof(*plan->routes));
}

/* Hosts above which a table of all pairs is too large. */
#define MOST_PAIRED_HOSTS 1024

double coll_mtree_plan_choice_under_way(const mtree_plan_t *plan)
{
    size_t hosts = (size_t)plan->num_hosts;
    double *bytes, most = 0;

    if (hosts > MOST_PAIRED_HOSTS) {
        return 0;
    }
    bytes = mtree_calloc(hosts * hosts, sizeof(*bytes));
    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];

        for (size_t h = 0; h < hosts; h++) {
            if (tree->parent[h] >= 0) {
                size_t parent = (size_t)tree->parent[h];
                double *sum =
                    &bytes[h < parent ? h * hosts + parent : parent * hosts + h];

                *sum += tree->rate / 8 * 2 * tree->latency[h];
                most = fmax(most, *sum);
            }
        }
    }
    free(bytes);
    return most;
}

bool coll_mtree_plan_choice_can_rebalance(const mtree_plan_t *plan)
{
    return plan->order == NULL && mtree_plan_num_steps(plan) == 0 &&
           !mtree_plan_is_by_arrival(plan);
}

double coll_mtree_plan_choice_seconds(const mtree_plan_t *plan,
                                      const mtree_topology_t *topology,
                                      const mtree_routes_t *routes)
{
    double *load = mtree_calloc(2 * (size_t)topology->num_links, sizeof(*load));
    double transfer = 8 * plan->bytes / plan->throughput;
    double overload;

    mtree_plan_load(plan, routes, load);
    overload = mtree_plan_busiest(topology, load);
    free(load);
    return fmax(plan->seconds - transfer, 0) + transfer * overload;
}

mtree_drift_change_t coll_mtree_plan_choice_drift(mtree_drift_change_t change,
                                                  coll_mtree_versions_t versions,
                                                  bool follows)
{
    const bool is_stale = versions.plan != versions.newest && !follows;

    if (versions.plan < versions.gone && (is_stale || versions.newest < versions.gone)) {
        return MTREE_DRIFT_GONE;
    }
    return is_stale ? MTREE_DRIFT_LARGE : change;
}

coll_mtree_change_t coll_mtree_plan_choice_change(double now, double rebalanced,
                                                  double anew, double *gain_p)
{
    if (anew > 0 && now >= COLL_MTREE_LEAST_TREES_GAIN * anew &&
        (rebalanced < 0 || rebalanced > COLL_MTREE_LEAST_SHARES_GAIN * anew)) {
        *gain_p = now / anew;
        return COLL_MTREE_REPLAN;
    }
    *gain_p = rebalanced > 0 ? now / rebalanced : 0;
    return *gain_p >= COLL_MTREE_LEAST_SHARES_GAIN ? COLL_MTREE_REBALANCE
                                                   : COLL_MTREE_STAY;
}
