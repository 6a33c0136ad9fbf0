/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/tree_set.h"

#include "planner/graph/candidate_trees.h"
#include "planner/solver/dense_simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tree below this part of what its group gets is what rounding left of one that is not
 * there. */
#define LEAST_PART 1e-9

/* Rates are not fitted where trees times constraints are more: it would take seconds. */
#define MAX_REFIT_USES 3000000

mtree_status_t mtree_tree_set_create(const mtree_colgen_t *colgen, int room,
                                     mtree_tree_set_t *set_p)
{
    size_t num_hosts = (size_t)colgen->candidates->num_hosts;
    mtree_tree_set_t set = {.num_edges = colgen->candidates->num_hosts - 1};

    MTREE_ARENA_ARRAY(&set.arena, set.trees, (size_t)room);
    MTREE_ARENA_ARRAY(&set.arena, set.rate, (size_t)room);
    MTREE_ARENA_ARRAY(&set.arena, set.ranked, (size_t)room);
    for (int t = 0; t < room && set.arena.status == MTREE_OK; ++t) {
        MTREE_ARENA_ARRAY(&set.arena, set.trees[t].edges, num_hosts);
    }
    if (set.arena.status != MTREE_OK) {
        mtree_tree_set_clear(&set);
        return MTREE_ERR_NO_MEMORY;
    }
    *set_p = set;
    return MTREE_OK;
}

void mtree_tree_set_append(mtree_tree_set_t *set, const mtree_column_t *tree, double rate)
{
    mtree_column_t *place = &set->trees[set->num_trees];
    int *edges = place->edges;

    memcpy(edges, tree->edges, (size_t)set->num_edges * sizeof(*edges));
    *place = *tree;
    place->edges = edges;
    set->rate[set->num_trees++] = rate;
}

mtree_status_t mtree_tree_set_from_master(const mtree_colgen_t *colgen,
                                          mtree_tree_set_t *set_p)
{
    const mtree_master_t *master = colgen->master;
    double least = master->x * LEAST_PART;
    mtree_status_t status;
    int count = 0;

    for (int t = 0; t < master->num_columns; ++t) {
        count += master->rate[t] > least;
    }
    status = mtree_tree_set_create(colgen, count, set_p);
    for (int t = 0; t < master->num_columns && status == MTREE_OK; ++t) {
        if (master->rate[t] > least) {
            mtree_tree_set_append(set_p, &colgen->columns->column[t], master->rate[t]);
        }
    }
    return status;
}

double mtree_tree_set_time(const mtree_tree_set_t *set, double bits)
{
    double time = INFINITY, last;

    /* Trees that begin after the time found take no part; without them it takes longer
     * for fewer. */
    do {
        double rate = 0.0, head = 0.0;

        last = time;
        for (int t = 0; t < set->num_trees; ++t) {
            if (set->trees[t].delay < last) {
                rate += set->rate[t];
                head += set->rate[t] * set->trees[t].delay;
            }
        }
        time = rate > 0.0 ? (bits + head) / rate : INFINITY;
    } while (time < last);
    return time;
}

/* Each group's trees together, the fastest first. */
static int ranked_compare(const void *left, const void *right)
{
    const mtree_ranked_tree_t *a = left, *b = right;

    if (a->group != b->group) {
        return a->group - b->group;
    }
    if (a->rate != b->rate) {
        return a->rate > b->rate ? -1 : 1;
    }
    return a->number - b->number;
}

/* Move the trees that are not left out to the front, in their order. */
static void close_gaps(mtree_tree_set_t *set)
{
    int kept = 0;

    for (int t = 0; t < set->num_trees; ++t) {
        if (!set->trees[t].is_left_out) {
            mtree_column_t tree = set->trees[kept];

            set->trees[kept] = set->trees[t];
            set->rate[kept++] = set->rate[t];
            set->trees[t] = tree;
        }
    }
    set->num_trees = kept;
}

void mtree_tree_set_trim(mtree_tree_set_t *set, int max_trees, double min_rate)
{
    int rank = 0;

    for (int t = 0; t < set->num_trees; ++t) {
        set->ranked[t] = (mtree_ranked_tree_t){set->trees[t].group, t, set->rate[t]};
    }
    qsort(set->ranked, (size_t)set->num_trees, sizeof(*set->ranked), ranked_compare);
    for (int i = 0; i < set->num_trees; ++i) {
        const mtree_ranked_tree_t *ranked = &set->ranked[i];

        rank = i > 0 && ranked->group == ranked[-1].group ? rank + 1 : 0;
        set->trees[ranked->number].is_left_out =
            rank > 0 && ((max_trees > 0 && rank >= max_trees) || ranked->rate < min_rate);
    }
    close_gaps(set);
}

double mtree_tree_set_least(const mtree_tree_set_t *set, int num_groups)
{
    double least = INFINITY;

    for (int group = 0; group < num_groups; ++group) {
        double sum = 0.0;

        for (int t = 0; t < set->num_trees; ++t) {
            sum += set->trees[t].group == group ? set->rate[t] : 0.0;
        }
        least = fmin(least, sum);
    }
    return least;
}

mtree_status_t mtree_tree_set_refit(mtree_colgen_t *colgen, mtree_tree_set_t *set)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    int num_constraints = candidates->num_constraints;
    int num_groups = colgen->master->num_groups;
    size_t num_trees = (size_t)set->num_trees;
    mtree_arena_t arena = {0};
    mtree_dense_simplex_t *simplex;
    double x;
    mtree_status_t status;

    if (num_trees * (size_t)num_constraints > MAX_REFIT_USES) {
        return MTREE_OK;
    }
    simplex = mtree_dense_simplex_create(&arena, num_constraints, candidates->capacity,
                                         set->num_trees, num_groups);
    status = arena.status;
    if (status != MTREE_OK) {
        goto free_arena;
    }
    for (int t = 0; t < set->num_trees; ++t) {
        mtree_candidates_count(candidates, set->trees[t].edges, simplex->uses[t]);
        simplex->weight[t] = mtree_master_weight(colgen->master, &set->trees[t]);
        simplex->group[t] = set->trees[t].group;
    }
    x = mtree_dense_simplex_solve(simplex, set->num_trees);
    memcpy(colgen->constraint_price, simplex->constraint_price,
           (size_t)num_constraints * sizeof(*colgen->constraint_price));
    /* Only rates that are better than the set's. */
    if (colgen->master->time > 0.0 || x > mtree_tree_set_least(set, num_groups)) {
        memcpy(set->rate, simplex->rate, num_trees * sizeof(*set->rate));
    }

free_arena:
    mtree_arena_cleanup(&arena);
    return status;
}

void mtree_tree_set_clear(mtree_tree_set_t *set)
{
    mtree_arena_cleanup(&set->arena);
    *set = (mtree_tree_set_t){0};
}
