/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/packer.h"

#include "base/cancel.h"
#include "planner/graph/arborescence.h"
#include "planner/graph/candidate_trees.h"

#include <math.h>
#include <string.h>

void mtree_packer_destroy(mtree_packer_t *packer)
{
    if (packer != NULL) {
        mtree_tree_set_destroy(packer->shapes);
    }
}

bool mtree_packer_goes_on(mtree_packer_t *packer)
{
    if (packer->status == MTREE_OK && mtree_cancel_is_set()) {
        packer->status = MTREE_ERR_CANCELLED;
    }
    return packer->status == MTREE_OK;
}

mtree_packer_t *mtree_packer_create(const mtree_problem_t *problem,
                                    const mtree_candidates_t *candidates)
{
    const mtree_plan_request_t *request = problem->request;
    size_t num_constraints = (size_t)candidates->num_constraints;
    size_t num_hosts = (size_t)candidates->num_hosts;
    mtree_arena_t *arena = problem->arena;
    mtree_packer_t *packer;

    MTREE_ARENA_ARRAY(arena, packer, 1);
    packer->problem = problem;
    packer->candidates = candidates;
    packer->num_groups =
        mtree_collective_num_groups(request->collective, candidates->num_active);
    packer->bound = INFINITY;
    for (size_t c = 0; c < num_constraints; ++c) {
        packer->mean += candidates->capacity[c] / candidates->num_constraints;
    }
    MTREE_ARENA_ARRAY(arena, packer->bound_price, num_constraints);
    MTREE_ARENA_ARRAY(arena, packer->constraint_price, num_constraints);
    MTREE_ARENA_ARRAY(arena, packer->uses, num_constraints);
    MTREE_ARENA_ARRAY(arena, packer->price, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(arena, packer->edges, num_hosts);
    MTREE_ARENA_ARRAY(arena, packer->into, num_hosts);
    packer->prim = mtree_prim_create(arena, candidates);
    packer->shapes = mtree_tree_set_create(candidates, request->max_height);
    return packer;
}

double mtree_packer_weight(const mtree_packer_t *packer, const mtree_packed_t *tree)
{
    int max_height = packer->shapes->max_height;

    if (tree->is_left_out || (max_height > 0 && tree->height > max_height)) {
        return 0.0;
    }
    return packer->time > 0.0 ? fmax(0.0, 1.0 - tree->delay / packer->time) : 1.0;
}

bool mtree_packer_is_prefix(const mtree_packer_t *packer)
{
    return mtree_collective_is_prefix(packer->problem->request->collective);
}

double mtree_packer_num_blocks(const mtree_packer_t *packer)
{
    if (mtree_packer_is_prefix(packer)) {
        return 1.0;
    }
    return packer->candidates->is_personalized ? packer->candidates->num_hosts
                                               : packer->num_groups;
}

double mtree_packer_blocks_per_tree(const mtree_packer_t *packer)
{
    return packer->candidates->is_personalized && !mtree_packer_is_prefix(packer)
               ? packer->candidates->num_hosts
               : 1.0;
}

int mtree_packer_root(const mtree_packer_t *packer, int group)
{
    const mtree_plan_request_t *request = packer->problem->request;

    return mtree_collective_has_root(request->collective) ? request->root : group;
}

/* The cheapest arborescence into packer->edges: the candidates reach every host from
 * every host. */
static void find_arborescence(mtree_packer_t *packer, int root)
{
    const mtree_candidates_t *candidates = packer->candidates;
    int count = 0;

    packer->status = mtree_arborescence_find(candidates->num_hosts, root,
                                             candidates->num_edges, candidates->from,
                                             candidates->to, packer->price, packer->into);
    for (int i = 0; i < candidates->num_hosts && packer->status == MTREE_OK; ++i) {
        if (i != root) {
            packer->edges[count++] = packer->into[i];
        }
    }
}

double mtree_packer_cheapest(mtree_packer_t *packer, const double *constraint_price,
                             int group)
{
    const mtree_candidates_t *candidates = packer->candidates;
    static const mtree_prim_options_t plainly = {0};
    double num_hosts = candidates->num_hosts;

    if (!mtree_packer_goes_on(packer)) {
        return 0.0;
    }
    mtree_candidates_price(candidates, constraint_price, packer->price);
    if (packer->find != NULL) {
        packer->status =
            packer->find(packer->finder, constraint_price, group, packer->edges);
    } else if (candidates->directed && !candidates->is_personalized) {
        find_arborescence(packer, mtree_packer_root(packer, group));
        packer->work += candidates->num_edges * log2(num_hosts + 1.0) * 8.0;
    } else {
        int root = candidates->directed ? mtree_packer_root(packer, group) : 0;

        (void)mtree_prim_run(packer->prim, constraint_price, root, &plainly,
                             packer->edges);
        packer->work += num_hosts * num_hosts + 4.0 * candidates->num_edges;
    }
    packer->work += candidates->first[candidates->num_edges];
    return packer->status == MTREE_OK
               ? mtree_candidates_tree_price(candidates, packer->price, packer->edges)
               : 0.0;
}

void mtree_packer_offer_bound(mtree_packer_t *packer, const double *constraint_price,
                              double cost)
{
    const mtree_candidates_t *candidates = packer->candidates;
    double value = 0.0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        value += candidates->capacity[c] * constraint_price[c];
    }
    if (cost > 0.0 && value / cost < packer->bound) {
        packer->bound = value / cost;
        memcpy(packer->bound_price, constraint_price,
               (size_t)candidates->num_constraints * sizeof(*constraint_price));
    }
}

void mtree_packer_prove(mtree_packer_t *packer, mtree_tree_set_t *set)
{
    double sum = 0.0;

    for (int g = 0; g < packer->num_groups; ++g) {
        sum += mtree_packer_cheapest(packer, packer->constraint_price, g);
        if (packer->status != MTREE_OK) {
            return;
        }
        if (set != NULL) {
            mtree_tree_set_add(set, g, mtree_packer_root(packer, g), packer->edges, 0.0);
        }
    }
    mtree_packer_offer_bound(packer, packer->constraint_price, sum);
}

void mtree_packer_balance(mtree_packer_t *packer, const double *constraint_price,
                          int group)
{
    const mtree_candidates_t *candidates = packer->candidates;
    mtree_prim_options_t options = {.reuse_factor = mtree_prim_reuse(candidates)};
    int root = candidates->directed ? mtree_packer_root(packer, group) : 0;

    if (options.reuse_factor <= 0.0 || packer->find != NULL) {
        return;
    }
    (void)mtree_prim_run(packer->prim, constraint_price, root, &options, packer->edges);
    packer->work += 4.0 * candidates->first[candidates->num_edges];
}

/* A price per hop beside which those of the edges are little. */
static double high_hop_price(const mtree_candidates_t *candidates,
                             const double *constraint_price)
{
    double sum = 0.0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        sum += constraint_price[c];
    }
    return sum * 10.0;
}

bool mtree_packer_find_low(mtree_packer_t *packer, const double *constraint_price,
                           int group)
{
    const mtree_candidates_t *candidates = packer->candidates;
    int num_roots = candidates->directed ? 1 : candidates->num_hosts;
    int first = candidates->directed ? mtree_packer_root(packer, group)
                                     : packer->turn++ % num_roots;
    mtree_prim_options_t options = {.max_height = packer->shapes->max_height,
                                    .reuse_factor = mtree_prim_reuse(candidates)};

    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < num_roots; ++i) {
            int root = candidates->directed ? first : (first + i) % num_roots;

            packer->work += 4.0 * candidates->first[candidates->num_edges];
            if (mtree_prim_run(packer->prim, constraint_price, root, &options,
                               packer->edges)) {
                return true;
            }
        }
        options.hop_price = high_hop_price(candidates, constraint_price);
    }
    return false;
}
