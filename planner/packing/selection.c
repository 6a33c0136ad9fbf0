/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/selection.h"

#include <stdlib.h>
#include <string.h>

/* What a choice must be better by to count as better. */
#define GAIN 1e-9

void mtree_choice_destroy(mtree_choice_t *choice)
{
    if (choice == NULL) {
        return;
    }
    mtree_dense_simplex_destroy(choice->tableau);
    for (int t = 0; t < choice->max_trees; ++t) {
        if (choice->trees != NULL) {
            free(choice->trees[t].edges);
        }
        if (choice->uses != NULL) {
            free(choice->uses[t]);
        }
    }
    free(choice->trees);
    free(choice->uses);
    free(choice->weight);
    free(choice->rate);
    free(choice->row_price);
    free(choice->left);
    free(choice->best_edges);
    free(choice);
}

static mtree_status_t create_parts(mtree_choice_t *choice)
{
    const mtree_candidates_t *candidates = choice->candidates;
    size_t num_rows = (size_t)candidates->num_rows, trees = (size_t)choice->max_trees;
    size_t num_hosts = (size_t)candidates->num_hosts;

    choice->trees = calloc(trees, sizeof(*choice->trees));
    choice->uses = calloc(trees, sizeof(*choice->uses));
    choice->weight = calloc(trees, sizeof(*choice->weight));
    choice->rate = calloc(trees, sizeof(*choice->rate));
    choice->row_price = calloc(num_rows, sizeof(*choice->row_price));
    choice->left = malloc(num_rows * sizeof(*choice->left));
    choice->best_edges = malloc(trees * num_hosts * sizeof(*choice->best_edges));
    if (choice->trees == NULL || choice->uses == NULL || choice->weight == NULL ||
        choice->rate == NULL || choice->row_price == NULL || choice->left == NULL ||
        choice->best_edges == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int t = 0; t < choice->max_trees; ++t) {
        choice->trees[t].edges = malloc(num_hosts * sizeof(int));
        choice->uses[t] = malloc(num_rows * sizeof(int));
        if (choice->trees[t].edges == NULL || choice->uses[t] == NULL) {
            return MTREE_ERR_NO_MEMORY;
        }
    }
    return mtree_dense_simplex_create(candidates->num_rows, candidates->capacity,
                                      choice->max_trees, &choice->tableau);
}

mtree_status_t mtree_choice_create(mtree_generator_t *generator, int max_trees,
                                   mtree_choice_t **choice_p)
{
    mtree_choice_t *choice = calloc(1, sizeof(*choice));
    mtree_status_t status;

    if (choice == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    choice->generator = generator;
    choice->candidates = generator->candidates;
    choice->max_trees = max_trees;
    choice->num_edges = generator->candidates->num_hosts - 1;
    status = create_parts(choice);
    if (status != MTREE_OK) {
        mtree_choice_destroy(choice);
        return status;
    }
    *choice_p = choice;
    return MTREE_OK;
}

double mtree_choice_work(const mtree_choice_t *choice)
{
    return choice->work + choice->tableau->work;
}

bool mtree_choice_is_shaped(const mtree_choice_t *choice)
{
    return choice->generator->master->time > 0.0 ||
           choice->generator->pool->max_height > 0;
}

void mtree_choice_refresh(mtree_choice_t *choice, int t)
{
    mtree_column_t *tree = &choice->trees[t];

    tree->root = mtree_generator_root(choice->generator, 0);
    mtree_pool_measure(choice->generator->pool, tree);
    memset(choice->uses[t], 0, (size_t)choice->candidates->num_rows * sizeof(int));
    mtree_pool_count(choice->generator->pool, tree->edges, choice->uses[t]);
    choice->weight[t] = mtree_master_weight(choice->generator->master, tree);
    choice->work += 10.0 * choice->num_edges + choice->candidates->num_rows / 4.0;
}

void mtree_choice_set(mtree_choice_t *choice, int t, const int *edges)
{
    memcpy(choice->trees[t].edges, edges, (size_t)choice->num_edges * sizeof(*edges));
    mtree_choice_refresh(choice, t);
}

void mtree_choice_swap(mtree_choice_t *choice, int a, int b)
{
    mtree_column_t tree = choice->trees[a];
    int *uses = choice->uses[a];
    double weight = choice->weight[a];

    choice->trees[a] = choice->trees[b];
    choice->uses[a] = choice->uses[b];
    choice->weight[a] = choice->weight[b];
    choice->trees[b] = tree;
    choice->uses[b] = uses;
    choice->weight[b] = weight;
}

double mtree_choice_try(mtree_choice_t *choice, int num_trees)
{
    return mtree_dense_simplex_solve(choice->tableau, num_trees, choice->uses,
                                     choice->weight);
}

void mtree_choice_solve(mtree_choice_t *choice)
{
    const mtree_dense_simplex_t *tableau = choice->tableau;
    const mtree_candidates_t *candidates = choice->candidates;
    size_t num_rows = (size_t)candidates->num_rows;

    choice->value = mtree_choice_try(choice, choice->num_trees);
    memcpy(choice->rate, tableau->rate,
           (size_t)choice->num_trees * sizeof(*choice->rate));
    memcpy(choice->row_price, tableau->row_price, num_rows * sizeof(*choice->row_price));
    memcpy(choice->left, candidates->capacity, num_rows * sizeof(*choice->left));
    for (int t = 0; t < choice->num_trees; ++t) {
        for (int row = 0; row < candidates->num_rows; ++row) {
            choice->left[row] -= choice->rate[t] * choice->uses[t][row];
        }
    }
    choice->work += candidates->num_rows * (choice->num_trees + 4.0) / 8.0;
}

void mtree_choice_keep(mtree_choice_t *choice)
{
    if (choice->value <= choice->best_value * (1.0 + GAIN)) {
        return;
    }
    choice->best_value = choice->value;
    choice->best_trees = choice->num_trees;
    for (int t = 0; t < choice->num_trees; ++t) {
        memcpy(choice->best_edges + (size_t)t * (size_t)choice->num_edges,
               choice->trees[t].edges, (size_t)choice->num_edges * sizeof(int));
    }
}

void mtree_choice_restore(mtree_choice_t *choice)
{
    choice->num_trees = choice->best_trees;
    for (int t = 0; t < choice->num_trees; ++t) {
        mtree_choice_set(choice, t,
                         choice->best_edges + (size_t)t * (size_t)choice->num_edges);
    }
    mtree_choice_solve(choice);
}
