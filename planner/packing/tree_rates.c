/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/tree_rates.h"

#include "planner/graph/candidate_trees.h"
#include "planner/solver/dense_simplex.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

/* Rates that differ by this part are the same. */
#define ROUNDING 1e-9

/* The same of the trees of one group. */
static double group_time(const mtree_tree_set_t *set, int group, double bits)
{
    double time = INFINITY, last;

    /* Trees that begin after the time found take no part; without them it takes longer
     * for fewer. */
    do {
        double rate = 0.0, head = 0.0;

        last = time;
        for (int t = 0; t < set->num_trees; ++t) {
            const mtree_packed_t *tree = &set->trees[t];

            if (tree->group == group && tree->delay < last) {
                rate += tree->rate;
                head += tree->rate * tree->delay;
            }
        }
        time = rate > 0.0 ? (bits + head) / rate : INFINITY;
    } while (time < last);
    return time;
}

double mtree_tree_rates_time(const mtree_packer_t *packer, const mtree_tree_set_t *set,
                             double bits)
{
    double slowest = 0.0;

    for (int group = 0; group < packer->num_groups; ++group) {
        slowest = fmax(slowest, group_time(set, group, bits));
    }
    return slowest;
}

double mtree_tree_rates_least(const mtree_packer_t *packer, const mtree_tree_set_t *set)
{
    double least = INFINITY;

    for (int group = 0; group < packer->num_groups; ++group) {
        double sum = 0.0;

        for (int t = 0; t < set->num_trees; ++t) {
            const mtree_packed_t *tree = &set->trees[t];

            sum += tree->group == group ? mtree_packer_weight(packer, tree) * tree->rate
                                        : 0.0;
        }
        least = fmin(least, sum);
    }
    return least;
}

/* How many times too much the rates are where rounding has added up; 1: they are not. */
static double overload(const mtree_dense_simplex_t *simplex, int num_trees)
{
    double most = 1.0;

    for (int c = 0; c < simplex->num_constraints; ++c) {
        double load = 0.0;

        for (int t = 0; t < num_trees; ++t) {
            load += simplex->uses[t][c] * simplex->rate[t];
        }
        most = fmax(most, load / simplex->capacity[c]);
    }
    return most;
}

void mtree_tree_rates_fit(mtree_packer_t *packer, mtree_tree_set_t *set)
{
    const mtree_candidates_t *candidates = packer->candidates;
    int num_constraints = candidates->num_constraints;
    mtree_arena_t arena = {0};
    mtree_dense_simplex_t *simplex;
    double x, over;

    if ((double)set->num_trees * num_constraints > MTREE_TUNED_STEP_WORK) {
        return;
    }
    simplex = mtree_dense_simplex_create(&arena, num_constraints, candidates->capacity,
                                         set->num_trees, packer->num_groups);
    for (int t = 0; t < set->num_trees; ++t) {
        mtree_candidates_count(candidates, set->trees[t].edges, simplex->uses[t]);
        simplex->weight[t] = mtree_packer_weight(packer, &set->trees[t]);
        simplex->group[t] = set->trees[t].group;
    }
    simplex->most_work = MTREE_TUNED_STAGE_WORK;
    x = mtree_dense_simplex_solve(simplex, set->num_trees);
    over = overload(simplex, set->num_trees);
    packer->work += simplex->work;
    memcpy(packer->constraint_price, simplex->constraint_price,
           (size_t)num_constraints * sizeof(*packer->constraint_price));
    /* Of rates as good as the set's those of fewer trees. */
    if (x / over >= mtree_tree_rates_least(packer, set) * (1.0 - ROUNDING)) {
        for (int t = 0; t < set->num_trees; ++t) {
            set->trees[t].rate = simplex->rate[t] / over;
        }
    }
    mtree_arena_cleanup(&arena);
}

mtree_tree_set_t *mtree_tree_rates_fastest(mtree_packer_t *packer,
                                           const mtree_tree_set_t *set, int count)
{
    mtree_tree_set_t *few = mtree_tree_set_create(set->candidates, set->max_height);

    for (int t = 0; t < set->num_trees; ++t) {
        const mtree_packed_t *tree = &set->trees[t];

        mtree_tree_set_add(few, tree->group, tree->root, tree->edges, tree->rate);
    }
    mtree_tree_set_trim(few, count, 0.0);
    mtree_tree_rates_fit(packer, few);
    return few;
}
