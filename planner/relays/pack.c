/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/relays/pack.h"

#include "planner/packing/colgen.h"
#include "planner/published/steiner_tree.h"
#include "planner/solver/lp.h"

#include <math.h>
#include <string.h>

/* Trees of each root at the beginning. */
#define BEGIN_ROUNDS 16

/* Steps of work of the column generation.  Networks of tens of hosts need a tenth. */
#define MOST_WORK 2e9

/* The rest to the bound at which no more trees are sought. */
#define GAP 1e-4

/* A tree that carries no more than this part of all is rounding. */
#define LEAST_RATE 1e-6

typedef struct {
    mtree_candidates_t *candidates;
    mtree_colgen_t *colgen;
    mtree_steiner_oracle_t *oracle;
    int *edge_at;      /* [num_hosts x num_hosts] the edge between two hosts; -1: none */
    double *last;      /* [num_constraints] the prices that the oracle has */
    double *edge_cost; /* [num_edges] */
    double *price;     /* [num_hosts x num_hosts] of an edge from a host to another */
    int *parent;       /* [num_hosts] of a tree */
} packer_t;

static void list_edges(packer_t *packer)
{
    const mtree_candidates_t *candidates = packer->candidates;
    int n = candidates->num_hosts;

    memset(packer->edge_at, -1, (size_t)n * (size_t)n * sizeof(*packer->edge_at));
    for (int e = 0; e < candidates->num_edges; e++) {
        int from = candidates->from[e], to = candidates->to[e];

        packer->edge_at[from * n + to] = e;
        if (!candidates->directed) {
            packer->edge_at[to * n + from] = e;
        }
    }
}

/* Tell the oracle what edges cost. */
static void set_prices(packer_t *packer, const double *constraint_price)
{
    int n = packer->candidates->num_hosts;

    mtree_candidates_price(packer->candidates, constraint_price, packer->edge_cost);
    for (int i = 0; i < n * n; i++) {
        int edge = packer->edge_at[i];

        packer->price[i] = edge < 0 ? INFINITY : packer->edge_cost[edge];
    }
    mtree_steiner_oracle_set_prices(packer->oracle, packer->price, false);
}

/* The cheapest tree of a group, for the column generation. */
static mtree_status_t find_tree(void *finder, const double *constraint_price, int group,
                                int *edges)
{
    packer_t *packer = finder;
    int n = packer->candidates->num_hosts, count = 0;
    size_t size = (size_t)packer->candidates->num_constraints * sizeof(*packer->last);
    double price;
    mtree_status_t status;

    if (memcmp(packer->last, constraint_price, size) != 0) {
        memcpy(packer->last, constraint_price, size);
        set_prices(packer, constraint_price);
    }
    packer->colgen->work += mtree_steiner_oracle_work(packer->oracle);
    status = mtree_steiner_oracle_find(
        packer->oracle, mtree_colgen_root(packer->colgen, group), packer->parent, &price);
    for (int host = 0; host < n && status == MTREE_OK; host++) {
        if (packer->parent[host] >= 0) {
            edges[count++] = packer->edge_at[packer->parent[host] * n + host];
        }
    }
    if (count + 1 < n) {
        edges[count] = -1;
    }
    return status;
}

static mtree_status_t packer_init(packer_t *packer, const mtree_problem_t *problem,
                                  int num_active)
{
    mtree_arena_t *arena = problem->arena;
    size_t hosts = (size_t)problem->num_hosts;
    mtree_status_t status = mtree_candidates_create(problem, &packer->candidates);

    if (status != MTREE_OK) {
        return status;
    }
    packer->candidates->num_active = num_active;
    MTREE_ARENA_ARRAY(arena, packer->edge_at, hosts * hosts);
    MTREE_ARENA_ARRAY(arena, packer->last, (size_t)packer->candidates->num_constraints);
    MTREE_ARENA_ARRAY(arena, packer->edge_cost, (size_t)packer->candidates->num_edges);
    MTREE_ARENA_ARRAY(arena, packer->price, hosts * hosts);
    MTREE_ARENA_ARRAY(arena, packer->parent, hosts);
    packer->oracle = mtree_steiner_oracle_create(arena, problem->num_hosts, num_active);
    if (arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    list_edges(packer);
    status = mtree_colgen_create(problem, packer->candidates, &packer->colgen);
    if (status == MTREE_OK) {
        packer->colgen->find = find_tree;
        packer->colgen->finder = packer;
    }
    return status;
}

/* Find the trees that carry most. */
static mtree_status_t generate(mtree_colgen_t *colgen)
{
    mtree_status_t status = mtree_colgen_begin(colgen, BEGIN_ROUNDS);

    if (status == MTREE_OK) {
        status = mtree_colgen_run(colgen, GAP, MOST_WORK);
    }
    /* What is left of the work is no reason to stop short of the best rates. */
    mtree_lp_limit(colgen->master->lp, 0);
    return status == MTREE_OK ? mtree_master_finish(colgen->master) : status;
}

static bool spans(const mtree_candidates_t *candidates, const mtree_column_t *tree,
                  int host)
{
    for (int e = 0; e + 1 < candidates->num_hosts && tree->edges[e] >= 0; e++) {
        if (candidates->from[tree->edges[e]] == host ||
            candidates->to[tree->edges[e]] == host) {
            return true;
        }
    }
    return false;
}

/* What passes through @a host, in all. */
static double carried_by(const mtree_colgen_t *colgen, int host)
{
    const mtree_master_t *master = colgen->master;
    double sum = 0.0;

    for (int t = 0; t < master->num_columns; t++) {
        const mtree_column_t *tree = &colgen->columns->column[t];

        if (master->rate[t] > 0.0 && !tree->is_left_out) {
            sum += spans(colgen->candidates, tree, host) ? master->rate[t] : 0.0;
        }
    }
    return sum;
}

/* The relay that carries least of those not @a tried; -1: none is left.  One that carries
 * nothing counts, as it may otherwise come back. */
static int least_relay(const mtree_colgen_t *colgen, const bool *tried)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    double least = INFINITY;
    int best = -1;

    for (int host = candidates->num_active; host < candidates->num_hosts; host++) {
        double carried = tried[host] ? INFINITY : carried_by(colgen, host);

        if (carried < least) {
            least = carried;
            best = host;
        }
    }
    return best;
}

static void leave_out(mtree_colgen_t *colgen, int t, bool is_left_out)
{
    colgen->columns->column[t].is_left_out = is_left_out;
    mtree_master_reweight(colgen->master, t);
}

/* Leave out every tree through @a host, and mark it; or take back those that are
 * marked. */
static void leave_out_host(mtree_colgen_t *colgen, int host, bool *marked, bool back)
{
    for (int t = 0; t < colgen->master->num_columns; t++) {
        const mtree_column_t *tree = &colgen->columns->column[t];

        if (!back) {
            marked[t] = !tree->is_left_out && spans(colgen->candidates, tree, host);
        }
        if (marked[t]) {
            leave_out(colgen, t, !back);
        }
    }
}

/* Do without relays that are worth little, the least used first. */
static mtree_status_t drop_relays(mtree_colgen_t *colgen, double all)
{
    mtree_arena_t *arena = colgen->problem->arena;
    mtree_status_t status = MTREE_OK;
    bool *marked, *tried;
    int host;

    MTREE_ARENA_ARRAY(arena, marked, (size_t)colgen->master->num_columns);
    MTREE_ARENA_ARRAY(arena, tried, (size_t)colgen->candidates->num_hosts);
    if (arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    while (status == MTREE_OK && (host = least_relay(colgen, tried)) >= 0) {
        tried[host] = true;
        leave_out_host(colgen, host, marked, false);
        status = mtree_master_solve(colgen->master);
        if (status == MTREE_OK &&
            colgen->master->x < all * (1.0 - MTREE_RELAYS_LEAST_WORTH)) {
            leave_out_host(colgen, host, marked, true);
            status = mtree_master_solve(colgen->master);
        }
    }
    return status;
}

/* The tree that carries least of a root that has more than @a most; -1: no root has.
 * Trees that carry nothing are left out. */
static int lightest(mtree_colgen_t *colgen, int most, double all)
{
    const mtree_column_t *trees = colgen->columns->column;
    const double *rate = colgen->master->rate;
    int num_trees = colgen->master->num_columns, best = -1;

    for (int t = 0; t < num_trees; t++) {
        int count = 0;

        if (rate[t] <= all * LEAST_RATE && !trees[t].is_left_out) {
            leave_out(colgen, t, true);
        }
        for (int other = 0; other < num_trees && !trees[t].is_left_out; other++) {
            count += trees[other].group == trees[t].group && !trees[other].is_left_out &&
                     rate[other] > all * LEAST_RATE;
        }
        if (most > 0 && count > most && (best < 0 || rate[t] < rate[best])) {
            best = t;
        }
    }
    return best;
}

/* Leave out trees until each root has at most @a most. */
static mtree_status_t drop_trees(mtree_colgen_t *colgen, int most, double all)
{
    mtree_status_t status = MTREE_OK;
    int tree;

    while (status == MTREE_OK && (tree = lightest(colgen, most, all)) >= 0) {
        leave_out(colgen, tree, true);
        status = mtree_master_solve(colgen->master);
    }
    return status;
}

static bool is_taken(const mtree_colgen_t *colgen, int t)
{
    return !colgen->columns->column[t].is_left_out && colgen->master->rate[t] > 0.0;
}

/* What the trees of a root carry is a host's block where there are blocks. */
static mtree_status_t take_packing(const packer_t *packer, mtree_plan_t **packed_p)
{
    const mtree_colgen_t *colgen = packer->colgen;
    int num_columns = colgen->master->num_columns, count = 0;
    mtree_status_t status;

    for (int t = 0; t < num_columns; t++) {
        count += is_taken(colgen, t);
    }
    status = mtree_problem_plan(colgen->problem, "relays", count, packed_p);
    for (int t = 0, taken = 0; t < num_columns && status == MTREE_OK; t++) {
        if (is_taken(colgen, t)) {
            const mtree_column_t *column = &colgen->columns->column[t];
            mtree_tree_t *tree = &(*packed_p)->trees[taken++];

            tree->root = column->root;
            tree->rate = colgen->master->rate[t];
            mtree_columns_parents(colgen->columns, column, tree->parent, NULL);
        }
    }
    if (status == MTREE_OK && mtree_steiner_oracle_exact(packer->oracle)) {
        (*packed_p)->bound = colgen->bound * mtree_colgen_num_blocks(colgen);
    }
    return status;
}

mtree_status_t mtree_relays_pack(const mtree_problem_t *problem, int num_active,
                                 mtree_plan_t **packed_p)
{
    packer_t packer = {0};
    double rate = 0.0;
    mtree_status_t status = mtree_lp_is_available()
                                ? packer_init(&packer, problem, num_active)
                                : MTREE_ERR_UNSUPPORTED;

    if (status == MTREE_OK) {
        status = generate(packer.colgen);
    }
    if (status == MTREE_OK) {
        rate = packer.colgen->master->x;
        status = drop_relays(packer.colgen, rate);
    }
    if (status == MTREE_OK) {
        status = drop_trees(packer.colgen, problem->request->max_trees, rate);
    }
    if (status == MTREE_OK) {
        status = take_packing(&packer, packed_p);
    }
    mtree_colgen_destroy(packer.colgen);
    return status;
}
