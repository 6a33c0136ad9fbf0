/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/relays/pack.h"

#include "planner/packing/mwu.h"
#include "planner/packing/tree_rates.h"
#include "planner/published/steiner_tree.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

/* A tree that carries no more than this part of all is rounding. */
#define LEAST_STEINER_RATE 1e-6

typedef struct {
    mtree_candidates_t *candidates;
    mtree_packer_t *packer;
    mtree_steiner_oracle_t *oracle;
    int *edge_at;      /* [num_hosts x num_hosts] the edge between two hosts; -1: none */
    double *last;      /* [num_constraints] the prices that the oracle has */
    double *edge_cost; /* [num_edges] */
    double *price;     /* [num_hosts x num_hosts] of an edge from a host to another */
    int *parent;       /* [num_hosts] of a tree */
} finder_t;

static void list_edges(finder_t *finder)
{
    const mtree_candidates_t *candidates = finder->candidates;
    int n = candidates->num_hosts;

    memset(finder->edge_at, -1, (size_t)n * (size_t)n * sizeof(*finder->edge_at));
    for (int e = 0; e < candidates->num_edges; e++) {
        int from = candidates->from[e], to = candidates->to[e];

        finder->edge_at[from * n + to] = e;
        if (!candidates->directed) {
            finder->edge_at[to * n + from] = e;
        }
    }
}

/* Tell the oracle what edges cost. */
static void set_prices(finder_t *finder, const double *constraint_price)
{
    int n = finder->candidates->num_hosts;

    mtree_candidates_price(finder->candidates, constraint_price, finder->edge_cost);
    for (int i = 0; i < n * n; i++) {
        int edge = finder->edge_at[i];

        finder->price[i] = edge < 0 ? INFINITY : finder->edge_cost[edge];
    }
    mtree_steiner_oracle_set_prices(finder->oracle, finder->price, false);
}

/* The cheapest tree of a group, for the packer. */
static mtree_status_t find_tree(void *arg, const double *constraint_price, int group,
                                int *edges)
{
    finder_t *finder = arg;
    int n = finder->candidates->num_hosts, count = 0;
    size_t size = (size_t)finder->candidates->num_constraints * sizeof(*finder->last);
    double price;
    mtree_status_t status;

    if (memcmp(finder->last, constraint_price, size) != 0) {
        memcpy(finder->last, constraint_price, size);
        set_prices(finder, constraint_price);
    }
    finder->packer->work += mtree_steiner_oracle_work(finder->oracle);
    status = mtree_steiner_oracle_find(
        finder->oracle, mtree_packer_root(finder->packer, group), finder->parent, &price);
    for (int host = 0; host < n && status == MTREE_OK; host++) {
        if (finder->parent[host] >= 0) {
            edges[count++] = finder->edge_at[finder->parent[host] * n + host];
        }
    }
    if (count + 1 < n) {
        edges[count] = -1;
    }
    return status;
}

static mtree_status_t finder_init(finder_t *finder, const mtree_problem_t *problem,
                                  int num_active)
{
    mtree_arena_t *arena = problem->arena;
    size_t hosts = (size_t)problem->num_hosts;
    mtree_status_t status = mtree_candidates_create(problem, &finder->candidates);

    if (status != MTREE_OK) {
        return status;
    }
    finder->candidates->num_active = num_active;
    MTREE_ARENA_ARRAY(arena, finder->edge_at, hosts * hosts);
    MTREE_ARENA_ARRAY(arena, finder->last, (size_t)finder->candidates->num_constraints);
    MTREE_ARENA_ARRAY(arena, finder->edge_cost, (size_t)finder->candidates->num_edges);
    MTREE_ARENA_ARRAY(arena, finder->price, hosts * hosts);
    MTREE_ARENA_ARRAY(arena, finder->parent, hosts);
    finder->oracle = mtree_steiner_oracle_create(arena, problem->num_hosts, num_active);
    list_edges(finder);
    finder->packer = mtree_packer_create(problem, finder->candidates);
    finder->packer->find = find_tree;
    finder->packer->finder = finder;
    return MTREE_OK;
}

/* Find the trees that carry most. */
static mtree_status_t generate(mtree_packer_t *packer, mtree_tree_set_t **set_p)
{
    const mtree_mwu_lay_t what = {.tolerance = MTREE_TUNED_TOLERANCE,
                                  .levels = MTREE_MWU_MOST_LEVELS,
                                  .work = MTREE_TUNED_WORK};
    double x;
    mtree_status_t status = mtree_mwu_lay(packer, &what, set_p, &x);

    if (status == MTREE_OK) {
        mtree_tree_rates_fit(packer, *set_p);
        mtree_tree_set_trim(*set_p, 0, x * LEAST_STEINER_RATE);
    }
    return status;
}

static bool spans(const mtree_tree_set_t *set, const mtree_packed_t *tree, int host)
{
    const mtree_candidates_t *candidates = set->candidates;

    for (int e = 0; e + 1 < candidates->num_hosts && tree->edges[e] >= 0; e++) {
        if (candidates->from[tree->edges[e]] == host ||
            candidates->to[tree->edges[e]] == host) {
            return true;
        }
    }
    return false;
}

/* What passes through @a host, in all. */
static double carried_by(const mtree_tree_set_t *set, int host)
{
    double sum = 0.0;

    for (int t = 0; t < set->num_trees; t++) {
        sum += spans(set, &set->trees[t], host) ? set->trees[t].rate : 0.0;
    }
    return sum;
}

/* The relay that carries least of those not @a tried; -1: none is left.  One that carries
 * nothing counts, as it may otherwise come back. */
static int least_relay(const mtree_tree_set_t *set, const bool *tried)
{
    const mtree_candidates_t *candidates = set->candidates;
    double least = INFINITY;
    int best = -1;

    for (int host = candidates->num_active; host < candidates->num_hosts; host++) {
        double carried = tried[host] ? INFINITY : carried_by(set, host);

        if (carried < least) {
            least = carried;
            best = host;
        }
    }
    return best;
}

/* Do without relays that are worth little of @a all, the least used first. */
static void drop_relays(mtree_packer_t *packer, mtree_tree_set_t *set, double all)
{
    mtree_arena_t *arena = packer->problem->arena;
    bool *was_out, *tried;
    int host;

    MTREE_ARENA_ARRAY(arena, was_out, (size_t)set->num_trees);
    MTREE_ARENA_ARRAY(arena, tried, (size_t)set->candidates->num_hosts);
    while ((host = least_relay(set, tried)) >= 0) {
        tried[host] = true;
        for (int t = 0; t < set->num_trees; t++) {
            was_out[t] = set->trees[t].is_left_out;
            set->trees[t].is_left_out = was_out[t] || spans(set, &set->trees[t], host);
        }
        mtree_tree_rates_fit(packer, set);
        if (mtree_tree_rates_least(packer, set) < all * (1.0 - MTREE_TUNED_HARDLY)) {
            for (int t = 0; t < set->num_trees; t++) {
                set->trees[t].is_left_out = was_out[t];
            }
            mtree_tree_rates_fit(packer, set);
        }
    }
    /* Rates that could not be fitted are as before. */
    for (int t = 0; t < set->num_trees; t++) {
        set->trees[t].rate = set->trees[t].is_left_out ? 0.0 : set->trees[t].rate;
    }
}

/* Leave the fastest @a most trees of each root in *set_p; 0: all. */
static void drop_trees(mtree_packer_t *packer, mtree_tree_set_t **set_p, int most)
{
    mtree_tree_set_t *all = *set_p;

    if (most > 0) {
        *set_p = mtree_tree_rates_fastest(packer, all, most);
        mtree_tree_set_destroy(all);
    }
}

/* What the trees of a root carry is a host's block where there are blocks. */
static mtree_plan_t *take_packing(const finder_t *finder, const mtree_tree_set_t *set)
{
    const mtree_packer_t *packer = finder->packer;
    mtree_plan_t *packed = mtree_problem_plan(packer->problem, "relays", set->num_trees);

    for (int t = 0; t < set->num_trees; t++) {
        mtree_tree_t *tree = &packed->trees[t];

        tree->root = set->trees[t].root;
        tree->rate = set->trees[t].rate;
        mtree_tree_set_parents(set, &set->trees[t], tree->parent, NULL);
    }
    if (mtree_steiner_oracle_exact(finder->oracle)) {
        packed->bound = packer->bound * mtree_packer_num_blocks(packer);
    }
    return packed;
}

mtree_status_t mtree_relays_pack(const mtree_problem_t *problem, int num_active,
                                 mtree_plan_t **packed_p)
{
    finder_t finder = {0};
    mtree_tree_set_t *set = NULL;
    mtree_status_t status = finder_init(&finder, problem, num_active);

    if (status == MTREE_OK) {
        status = generate(finder.packer, &set);
    }
    if (status == MTREE_OK) {
        const double rate = mtree_tree_rates_least(finder.packer, set);

        drop_relays(finder.packer, set, rate);
        mtree_tree_set_trim(set, 0, rate * LEAST_STEINER_RATE);
        drop_trees(finder.packer, &set, problem->request->max_trees);
        mtree_tree_set_trim(set, 0, rate * LEAST_STEINER_RATE);
        *packed_p = take_packing(&finder, set);
    }
    mtree_tree_set_destroy(set);
    mtree_packer_destroy(finder.packer);
    return status;
}
