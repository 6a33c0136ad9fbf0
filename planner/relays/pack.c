/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/relays/pack.h"

#include "planner/graph/candidate_trees.h"
#include "planner/published/steiner_tree.h"
#include "planner/relays/columns.h"

#include <math.h>
#include <stdlib.h>

/* Rounds over the roots that make the first columns, and how much dearer a full
 * constraint becomes in one. */
#define START_ROUNDS 16
#define START_STEP   0.3

/* Rounds of pricing at most.  Networks of tens of hosts need tens. */
#define MOST_ROUNDS 400

/* A tree becomes a column when it is cheaper than its root pays by more than this. */
#define PRICE_TOLERANCE 1e-7

/* The rest to the bound at which no more trees are sought. */
#define GAP 1e-4

/* A tree that carries no more than this part of all is rounding. */
#define LEAST_RATE 1e-6

typedef struct {
    mtree_relay_columns_t columns;
    mtree_steiner_oracle_t *oracle;
    mtree_lp_t *lp;
    double *constraint_price; /* [num_constraints] */
    double *edge_price;       /* [num_edges] */
    double *price; /* [num_hosts x num_hosts] of an edge from a host to another */
    int *parent;   /* [num_hosts] the last tree found */
    double bound;  /* of what each root carries, in units of columns.unit */
} packer_t;

static mtree_status_t packer_init(packer_t *packer, const mtree_problem_t *problem,
                                  int num_active)
{
    mtree_collective_t collective = problem->request->collective;
    int root = mtree_collective_has_root(collective)     ? problem->request->root
               : mtree_collective_has_blocks(collective) ? -1
                                                         : 0;
    size_t hosts = (size_t)problem->num_hosts;
    mtree_candidates_t *candidates;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    packer->bound = INFINITY;
    if (status != MTREE_OK) {
        return status;
    }
    MTREE_ARENA_ARRAY(problem->arena, packer->constraint_price,
                      (size_t)candidates->num_constraints);
    MTREE_ARENA_ARRAY(problem->arena, packer->edge_price, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(problem->arena, packer->price, hosts * hosts);
    MTREE_ARENA_ARRAY(problem->arena, packer->parent, hosts);
    if (problem->arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    packer->oracle =
        mtree_steiner_oracle_create(problem->arena, problem->num_hosts, num_active);
    return packer->oracle == NULL
               ? MTREE_ERR_NO_MEMORY
               : mtree_relay_columns_init(&packer->columns, problem->arena, candidates,
                                          num_active, root);
}

/* Tell the oracle what edges cost at packer->constraint_price. */
static void set_prices(packer_t *packer)
{
    const mtree_relay_columns_t *columns = &packer->columns;
    int num_hosts = columns->candidates->num_hosts;

    mtree_candidates_price(columns->candidates, packer->constraint_price,
                           packer->edge_price);
    for (int i = 0; i < num_hosts * num_hosts; i++) {
        packer->price[i] =
            columns->edge_at[i] < 0 ? INFINITY : packer->edge_price[columns->edge_at[i]];
    }
    mtree_steiner_oracle_set_prices(packer->oracle, packer->price, false);
}

/* The cheapest tree of root number @a group to packer->parent. */
static mtree_status_t find_tree(packer_t *packer, int group, double *price_p)
{
    mtree_status_t status = mtree_steiner_oracle_find(
        packer->oracle, packer->columns.first_root + group, packer->parent, price_p);

    for (int host = 0; host < packer->columns.candidates->num_hosts; host++) {
        if (packer->parent[host] == MTREE_STEINER_ABSENT) {
            packer->parent[host] = MTREE_PLAN_OUTSIDE;
        }
    }
    return status;
}

/* In turn the cheapest tree of each root, whose constraints then become dearer by the
 * part that the tree takes of them.  These trees fill the network evenly. */
static mtree_status_t start(packer_t *packer)
{
    mtree_relay_columns_t *columns = &packer->columns;
    const mtree_candidates_t *candidates = columns->candidates;
    mtree_status_t status = MTREE_OK;

    for (int c = 0; c < candidates->num_constraints; c++) {
        packer->constraint_price[c] = columns->unit / candidates->capacity[c];
    }
    for (int i = 0; i < START_ROUNDS * columns->num_groups && status == MTREE_OK; i++) {
        double price, room;

        set_prices(packer);
        status = find_tree(packer, i % columns->num_groups, &price);
        if (status == MTREE_OK) {
            status =
                mtree_relay_columns_add(columns, i % columns->num_groups, packer->parent);
        }
        if (status != MTREE_OK) {
            return status;
        }
        room = mtree_candidates_max_rate(candidates, columns->uses, candidates->capacity);
        for (int c = 0; c < candidates->num_constraints; c++) {
            packer->constraint_price[c] *=
                1.0 + START_STEP * room * columns->uses[c] / candidates->capacity[c];
        }
    }
    return status;
}

/* The prices of the constraints by the last solution; returns what all capacity costs. */
static double take_prices(packer_t *packer)
{
    const mtree_candidates_t *candidates = packer->columns.candidates;
    double sum = 0.0;

    for (int c = 0; c < candidates->num_constraints; c++) {
        packer->constraint_price[c] =
            fmax(0.0, mtree_lp_price(packer->lp, packer->columns.num_groups + c));
        sum +=
            packer->constraint_price[c] * candidates->capacity[c] / packer->columns.unit;
    }
    return sum;
}

/*
 * Ask for the cheapest tree of every root, and add those that are missing.  Any prices
 * bound the rate: a bit per second of it takes a tree of each root, and these cost at
 * least what the cheapest ones do, of what all capacity costs.
 */
static mtree_status_t price_all(packer_t *packer, int *num_added_p)
{
    double all = take_prices(packer), least = 0.0;
    mtree_status_t status = MTREE_OK;

    *num_added_p = 0;
    set_prices(packer);
    for (int group = 0; group < packer->columns.num_groups && status == MTREE_OK;
         group++) {
        double price, paid = -mtree_lp_price(packer->lp, group);

        status = find_tree(packer, group, &price);
        least += price;
        if (status == MTREE_OK && price < paid - PRICE_TOLERANCE) {
            status = mtree_relay_columns_add(&packer->columns, group, packer->parent);
            if (status == MTREE_OK) {
                mtree_relay_columns_extend(&packer->columns, packer->lp);
                ++*num_added_p;
            }
        }
    }
    if (status == MTREE_OK && least > 0.0) {
        packer->bound = fmin(packer->bound, all / least);
    }
    return status;
}

/* Solve and price in turn until no tree is missing. */
static mtree_status_t generate(packer_t *packer)
{
    mtree_status_t status = start(packer);
    int num_added = 1;

    if (status == MTREE_OK) {
        status = mtree_relay_columns_program(&packer->columns, &packer->lp);
    }
    for (int round = 0; round < MOST_ROUNDS && num_added > 0 && status == MTREE_OK;
         round++) {
        status = mtree_lp_solve(packer->lp);
        if (status == MTREE_OK) {
            status = price_all(packer, &num_added);
        }
        if (mtree_lp_objective(packer->lp) >= packer->bound * (1.0 - GAP)) {
            num_added = 0;
        }
    }
    return status;
}

/* What passes through @a host, in all. */
static double carried_by(const mtree_relay_columns_t *columns, int host)
{
    double sum = 0.0;

    for (int i = 0; i < columns->num_columns; i++) {
        const mtree_relay_column_t *column = &columns->columns[i];

        sum += column->parent[host] != MTREE_PLAN_OUTSIDE ? column->rate : 0.0;
    }
    return sum;
}

/* The relay that carries least of those not @a tried; -1: none is left.  One that carries
 * nothing counts, as it may otherwise come back. */
static int least_relay(const mtree_relay_columns_t *columns, const bool *tried)
{
    double least = INFINITY;
    int best = -1;

    for (int host = columns->num_active; host < columns->candidates->num_hosts; host++) {
        double carried = tried[host] ? INFINITY : carried_by(columns, host);

        if (carried < least) {
            least = carried;
            best = host;
        }
    }
    return best;
}

/* Leave out every tree through @a host; or take back those that were not left out
 * @a before. */
static void leave_out(mtree_relay_columns_t *columns, int host, bool *before, bool back)
{
    for (int i = 0; i < columns->num_columns; i++) {
        mtree_relay_column_t *column = &columns->columns[i];

        if (back) {
            column->is_left_out = before[i];
        } else {
            before[i] = column->is_left_out;
            column->is_left_out = before[i] || column->parent[host] != MTREE_PLAN_OUTSIDE;
        }
    }
}

/* Do without relays that are worth little, the least used first. */
static mtree_status_t drop_relays(mtree_relay_columns_t *columns, double all)
{
    mtree_status_t status = MTREE_OK;
    bool *before, *tried;
    int host;

    MTREE_ARENA_ARRAY(columns->arena, before, (size_t)columns->num_columns);
    MTREE_ARENA_ARRAY(columns->arena, tried, (size_t)columns->candidates->num_hosts);
    if (columns->arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    while (status == MTREE_OK && (host = least_relay(columns, tried)) >= 0) {
        double rate = 0.0;

        tried[host] = true;
        leave_out(columns, host, before, false);
        status = mtree_relay_columns_solve(columns, &rate);
        if (status == MTREE_OK && rate < all * (1.0 - MTREE_RELAYS_LEAST_WORTH)) {
            leave_out(columns, host, before, true);
            status = mtree_relay_columns_solve(columns, &rate);
        }
    }
    return status;
}

/* The tree that carries least of a root that has more than @a most; -1: no root has.
 * Trees that carry nothing are left out. */
static int lightest(mtree_relay_columns_t *columns, int most, double all)
{
    int best = -1;

    for (int i = 0; i < columns->num_columns; i++) {
        mtree_relay_column_t *column = &columns->columns[i];
        int count = 0;

        if (column->rate * columns->unit <= all * LEAST_RATE) {
            column->is_left_out = true;
        }
        for (int k = 0; k < columns->num_columns && !column->is_left_out; k++) {
            count += columns->columns[k].group == column->group &&
                     columns->columns[k].rate * columns->unit > all * LEAST_RATE;
        }
        if (most > 0 && count > most &&
            (best < 0 || column->rate < columns->columns[best].rate)) {
            best = i;
        }
    }
    return best;
}

/* Leave out trees until each root has at most @a most. */
static mtree_status_t drop_trees(mtree_relay_columns_t *columns, int most, double all)
{
    mtree_status_t status = MTREE_OK;
    int tree;

    while (status == MTREE_OK && (tree = lightest(columns, most, all)) >= 0) {
        double rate;

        columns->columns[tree].is_left_out = true;
        status = mtree_relay_columns_solve(columns, &rate);
    }
    return status;
}

/* What the trees of a root carry is a host's block where there are blocks. */
static double message_rate(const packer_t *packer, double rate)
{
    return rate * packer->columns.num_groups;
}

static mtree_status_t take_packing(packer_t *packer, mtree_relayed_packing_t *packing)
{
    const mtree_relay_columns_t *columns = &packer->columns;

    packing->num_trees = 0;
    packing->bound = mtree_steiner_oracle_exact(packer->oracle)
                         ? message_rate(packer, packer->bound * columns->unit)
                         : 0.0;
    MTREE_ARENA_ARRAY(columns->arena, packing->trees, (size_t)columns->num_columns);
    if (packing->trees == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int i = 0; i < columns->num_columns; i++) {
        const mtree_relay_column_t *column = &columns->columns[i];

        if (!column->is_left_out && column->rate > 0.0) {
            packing->trees[packing->num_trees++] =
                (mtree_relayed_tree_t){.root = columns->first_root + column->group,
                                       .rate = column->rate * columns->unit,
                                       .parent = column->parent};
        }
    }
    return MTREE_OK;
}

mtree_status_t mtree_relays_pack(const mtree_problem_t *problem, int num_active,
                                 mtree_relayed_packing_t *packing_p)
{
    packer_t packer = {0};
    double rate = 0.0;
    mtree_status_t status = packer_init(&packer, problem, num_active);

    if (status == MTREE_OK) {
        status = generate(&packer);
    }
    if (status == MTREE_OK) {
        status = mtree_relay_columns_solve(&packer.columns, &rate);
    }
    if (status == MTREE_OK) {
        status = drop_relays(&packer.columns, rate);
    }
    if (status == MTREE_OK) {
        status = drop_trees(&packer.columns, problem->request->max_trees, rate);
    }
    if (status == MTREE_OK) {
        status = take_packing(&packer, packing_p);
    }
    mtree_lp_destroy(packer.lp);
    mtree_relay_columns_cleanup(&packer.columns);
    return status;
}
