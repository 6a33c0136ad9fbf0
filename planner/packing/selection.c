/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/selection.h"

#include "base/cancel.h"
#include "planner/graph/candidate_trees.h"

#include <math.h>
#include <string.h>

mtree_selection_t *mtree_selection_create(mtree_arena_t *arena, mtree_packer_t *packer,
                                          int max_trees)
{
    const mtree_candidates_t *candidates = packer->candidates;
    size_t num_constraints = (size_t)candidates->num_constraints;
    size_t num_hosts = (size_t)candidates->num_hosts, trees = (size_t)max_trees;
    mtree_selection_t *selection;

    MTREE_ARENA_ARRAY(arena, selection, 1);
    selection->packer = packer;
    selection->candidates = candidates;
    selection->max_trees = max_trees;
    selection->num_edges = candidates->num_hosts - 1;
    MTREE_ARENA_ARRAY(arena, selection->trees, trees);
    MTREE_ARENA_ARRAY(arena, selection->rate, trees);
    MTREE_ARENA_ARRAY(arena, selection->constraint_price, num_constraints);
    MTREE_ARENA_ARRAY(arena, selection->left, num_constraints);
    MTREE_ARENA_ARRAY(arena, selection->best_edges, trees * num_hosts);
    for (int t = 0; t < max_trees; ++t) {
        MTREE_ARENA_ARRAY(arena, selection->trees[t].edges, num_hosts);
    }
    selection->simplex = mtree_dense_simplex_create(arena, candidates->num_constraints,
                                                    candidates->capacity, max_trees, 1);
    selection->uses = selection->simplex->uses;
    selection->weight = selection->simplex->weight;
    return selection;
}

double mtree_selection_work(const mtree_selection_t *selection)
{
    return mtree_cancel_is_set() ? INFINITY : selection->work + selection->simplex->work;
}

bool mtree_selection_is_shaped(const mtree_selection_t *selection)
{
    return selection->packer->time > 0.0 || selection->packer->shapes->max_height > 0;
}

void mtree_selection_refresh(mtree_selection_t *selection, int t)
{
    mtree_packed_t *tree = &selection->trees[t];

    tree->root = mtree_packer_root(selection->packer, 0);
    mtree_tree_set_measure(selection->packer->shapes, tree);
    mtree_candidates_count(selection->candidates, tree->edges, selection->uses[t]);
    selection->weight[t] = mtree_packer_weight(selection->packer, tree);
    selection->work +=
        10.0 * selection->num_edges + selection->candidates->num_constraints / 4.0;
}

void mtree_selection_set(mtree_selection_t *selection, int t, const int *edges)
{
    memcpy(selection->trees[t].edges, edges,
           (size_t)selection->num_edges * sizeof(*edges));
    mtree_selection_refresh(selection, t);
}

void mtree_selection_swap(mtree_selection_t *selection, int a, int b)
{
    mtree_packed_t tree = selection->trees[a];
    int *uses = selection->uses[a];
    double weight = selection->weight[a];

    selection->trees[a] = selection->trees[b];
    selection->uses[a] = selection->uses[b];
    selection->weight[a] = selection->weight[b];
    selection->trees[b] = tree;
    selection->uses[b] = uses;
    selection->weight[b] = weight;
}

void mtree_selection_solve(mtree_selection_t *selection)
{
    const mtree_dense_simplex_t *simplex = selection->simplex;
    const mtree_candidates_t *candidates = selection->candidates;
    size_t num_constraints = (size_t)candidates->num_constraints;

    selection->value =
        mtree_dense_simplex_solve(selection->simplex, selection->num_trees);
    memcpy(selection->rate, simplex->rate,
           (size_t)selection->num_trees * sizeof(*selection->rate));
    memcpy(selection->constraint_price, simplex->constraint_price,
           num_constraints * sizeof(*selection->constraint_price));
    memcpy(selection->left, candidates->capacity,
           num_constraints * sizeof(*selection->left));
    for (int t = 0; t < selection->num_trees; ++t) {
        for (int c = 0; c < candidates->num_constraints; ++c) {
            selection->left[c] -= selection->rate[t] * selection->uses[t][c];
        }
    }
    selection->work += candidates->num_constraints * (selection->num_trees + 4.0) / 8.0;
}

void mtree_selection_keep(mtree_selection_t *selection)
{
    if (selection->value <= selection->best_value * (1.0 + MTREE_SELECTION_GAIN)) {
        return;
    }
    selection->best_value = selection->value;
    selection->best_trees = selection->num_trees;
    for (int t = 0; t < selection->num_trees; ++t) {
        memcpy(selection->best_edges + (size_t)t * (size_t)selection->num_edges,
               selection->trees[t].edges, (size_t)selection->num_edges * sizeof(int));
    }
}

void mtree_selection_restore(mtree_selection_t *selection)
{
    selection->num_trees = selection->best_trees;
    for (int t = 0; t < selection->num_trees; ++t) {
        mtree_selection_set(selection, t,
                            selection->best_edges +
                                (size_t)t * (size_t)selection->num_edges);
    }
    mtree_selection_solve(selection);
}
