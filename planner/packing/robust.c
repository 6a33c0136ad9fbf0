/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/robust.h"

#include "base/array.h"
#include "base/cancel.h"
#include "planner/graph/candidate_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a host may load a link with, beyond what the best packing for it alone does.  On
 * B4 no less is possible for all hosts at once without a loss for equal blocks. */
#define OWN_SLACK 0.15

/* Trees of one size per group, and sizes, each half of the one before. */
#define ROUNDS       16
#define ALONE_LEVELS 6
#define LEVELS       8

/* As in planner/packing/mwu.c. */
#define SOFTNESS 2.0
#define GRAIN    0.3

/* A tree that gets less than this part of its group's rate is left out. */
#define LEAST_PART 1e-3

/* Loads are over capacity, and those of groups alone over their limit, too. */
typedef struct {
    mtree_colgen_t *colgen;            /* of trees that are sought; NULL: */
    const mtree_robust_trees_t *trees; /* only these are laid */
    int num_groups, num_constraints;
    const double *capacity; /* [num_constraints] */
    bool is_alone;          /* one group is laid and the others do not count */
    double *load;           /* [num_constraints] */
    double worst_load;
    double *own;       /* [num_groups x num_constraints] */
    double *worst_own; /* [num_groups] */
    double *limit;     /* [num_groups] of a group's own load, in that of all */
    double *price;     /* [num_constraints] */
    double *size; /* [size_room] of each tree, by its number; trees laid twice add up */
    int size_room;
    double level; /* the size of a tree now */
    double soft;  /* a load that is as much more makes e times the price, at level 1 */
    double laid;  /* sum of the sizes of each group's trees */
    mtree_arena_t arena;
} robust_t;

static mtree_status_t robust_init(robust_t *robust, int num_groups, int num_constraints,
                                  const double *capacity)
{
    size_t groups = (size_t)num_groups, constraints = (size_t)num_constraints;
    double sum = 0.0;

    robust->num_groups = num_groups;
    robust->num_constraints = num_constraints;
    robust->capacity = capacity;
    for (int c = 0; c < num_constraints; ++c) {
        sum += capacity[c];
    }
    robust->soft = SOFTNESS * GRAIN * num_groups * num_constraints / sum;
    MTREE_ARENA_ARRAY(&robust->arena, robust->load, constraints);
    MTREE_ARENA_ARRAY(&robust->arena, robust->own, groups * constraints);
    MTREE_ARENA_ARRAY(&robust->arena, robust->worst_own, groups);
    MTREE_ARENA_ARRAY(&robust->arena, robust->limit, groups);
    MTREE_ARENA_ARRAY(&robust->arena, robust->price, constraints);
    return robust->arena.status;
}

static void robust_clear(robust_t *robust)
{
    free(robust->size);
    mtree_arena_cleanup(&robust->arena);
}

static void set_prices(robust_t *robust, int group)
{
    const double *own = robust->own + (size_t)group * (size_t)robust->num_constraints;
    double soft = robust->soft * robust->level, limit = robust->limit[group];
    double worst = robust->worst_load;

    for (int g = 0; g < robust->num_groups; ++g) {
        worst = fmax(worst, robust->worst_own[g]);
    }
    for (int c = 0; c < robust->num_constraints; ++c) {
        double price = exp(fmax(-600.0, (own[c] - worst) / soft)) / limit;

        if (!robust->is_alone) {
            price += exp(fmax(-600.0, (robust->load[c] - worst) / soft));
        }
        robust->price[c] = price / robust->capacity[c];
    }
}

/* The cheapest of the given trees of @a group. */
static int choose_given(const robust_t *robust, int group)
{
    const mtree_robust_trees_t *trees = robust->trees;
    double least = INFINITY;
    int cheapest = -1;

    for (int t = 0; t < trees->num_trees; ++t) {
        double price = 0.0;

        if (trees->group[t] != group) {
            continue;
        }
        for (int c = 0; c < trees->num_constraints; ++c) {
            price += trees->uses[t][c] * robust->price[c];
        }
        if (price < least) {
            least = price;
            cheapest = t;
        }
    }
    return cheapest;
}

/* The cheapest tree of @a group, and how often it uses each constraint. */
static mtree_status_t find_tree(robust_t *robust, int group, int *tree_p,
                                const int **uses_p)
{
    mtree_colgen_t *colgen = robust->colgen;
    mtree_status_t status;
    double cost;

    if (mtree_cancel_is_set()) {
        return MTREE_ERR_CANCELLED;
    }
    if (colgen == NULL) {
        *tree_p = choose_given(robust, group);
        *uses_p = *tree_p < 0 ? NULL : robust->trees->uses[*tree_p];
        return MTREE_OK;
    }
    status = mtree_colgen_cheapest(colgen, robust->price, group, &cost);
    if (status == MTREE_OK) {
        status =
            mtree_columns_add(colgen->columns, group, mtree_colgen_root(colgen, group),
                              colgen->edges, tree_p);
    }
    if (status == MTREE_OK) {
        mtree_candidates_count(colgen->candidates, colgen->edges, colgen->uses);
        *uses_p = colgen->uses;
    }
    return status;
}

static mtree_status_t count_tree(robust_t *robust, int tree)
{
    int before = robust->size_room;
    mtree_status_t status = mtree_array_reserve(&robust->size, &robust->size_room,
                                                tree + 1, sizeof(*robust->size));

    if (status == MTREE_OK) {
        memset(robust->size + before, 0,
               (size_t)(robust->size_room - before) * sizeof(*robust->size));
        robust->size[tree] += robust->level;
    }
    return status;
}

static mtree_status_t lay(robust_t *robust, int group)
{
    double *own = robust->own + (size_t)group * (size_t)robust->num_constraints;
    const int *uses = NULL;
    mtree_status_t status;
    int tree = -1;

    set_prices(robust, group);
    status = find_tree(robust, group, &tree, &uses);
    if (status != MTREE_OK || tree < 0) {
        return status;
    }
    for (int c = 0; c < robust->num_constraints; ++c) {
        double more = robust->level * uses[c] / robust->capacity[c];

        own[c] += more / robust->limit[group];
        robust->worst_own[group] = fmax(robust->worst_own[group], own[c]);
        if (!robust->is_alone) {
            robust->load[c] += more;
            robust->worst_load = fmax(robust->worst_load, robust->load[c]);
        }
    }
    return robust->is_alone ? MTREE_OK : count_tree(robust, tree);
}

/* Lay trees of the groups from @a first on to @a end. */
static mtree_status_t lay_levels(robust_t *robust, int first, int end, int levels)
{
    mtree_status_t status = MTREE_OK;

    robust->laid = 0.0;
    robust->level = 1.0;
    for (int level = 0; level < levels; ++level) {
        for (int round = 0; round < ROUNDS; ++round) {
            for (int group = first; group < end && status == MTREE_OK; ++group) {
                status = lay(robust, group);
            }
            robust->laid += robust->level;
        }
        robust->level /= 2.0;
    }
    return status;
}

/* Limits by what each group gets where it alone sends.  Where that is no more than the @a
 * x that all get at once its limit has no effect. */
static mtree_status_t find_limits(robust_t *robust, double x)
{
    size_t cells = (size_t)robust->num_groups * (size_t)robust->num_constraints;
    mtree_status_t status = MTREE_OK;

    robust->is_alone = true;
    for (int group = 0; group < robust->num_groups && status == MTREE_OK; ++group) {
        robust->limit[group] = 1.0;
        status = lay_levels(robust, group, group + 1, ALONE_LEVELS);
        /* Seconds alone, in those of all at once. */
        robust->limit[group] =
            (1.0 + OWN_SLACK) * robust->worst_own[group] * x / robust->laid;
        robust->worst_own[group] = 0.0;
    }
    memset(robust->own, 0, cells * sizeof(*robust->own));
    robust->is_alone = false;
    return status;
}

/* Lay the trees of all groups. */
static mtree_status_t robust_run(robust_t *robust, double x)
{
    mtree_status_t status = find_limits(robust, x);

    return status == MTREE_OK ? lay_levels(robust, 0, robust->num_groups, LEVELS)
                              : status;
}

mtree_status_t mtree_robust_rates(const mtree_robust_trees_t *trees, double x,
                                  double *rate)
{
    robust_t robust = {.trees = trees};
    mtree_status_t status =
        robust_init(&robust, trees->num_groups, trees->num_constraints, trees->capacity);

    if (status == MTREE_OK) {
        status = robust_run(&robust, x);
    }
    for (int t = 0; t < trees->num_trees && status == MTREE_OK; ++t) {
        rate[t] = t < robust.size_room ? robust.size[t] / robust.worst_load : 0.0;
    }
    robust_clear(&robust);
    return status;
}

/* Trees of the group of tree @a tree that were laid more often. */
static int rank_in_group(const robust_t *robust, int tree)
{
    const mtree_column_t *column = robust->colgen->columns->column;
    int rank = 0;

    for (int t = 0; t < robust->colgen->columns->num_columns && t < robust->size_room;
         ++t) {
        rank += column[t].group == column[tree].group &&
                (robust->size[t] > robust->size[tree] ||
                 (robust->size[t] == robust->size[tree] && t < tree));
    }
    return rank;
}

/* The @a max_trees trees of each group that were laid most often. */
static mtree_status_t collect(const robust_t *robust, int max_trees,
                              mtree_tree_set_t *set_p)
{
    const mtree_columns_t *columns = robust->colgen->columns;
    mtree_status_t status =
        mtree_tree_set_create(robust->colgen, robust->num_groups * max_trees, set_p);

    for (int t = 0; t < columns->num_columns && t < robust->size_room; ++t) {
        if (status == MTREE_OK && robust->size[t] > 0.0 &&
            rank_in_group(robust, t) < max_trees) {
            mtree_tree_set_append(set_p, &columns->column[t], robust->size[t]);
        }
    }
    return status;
}

/* Robust rates for the trees of @a set. */
static mtree_status_t fit_rates(const mtree_colgen_t *colgen, double x,
                                mtree_tree_set_t *set)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    mtree_robust_trees_t trees = {.num_constraints = candidates->num_constraints,
                                  .num_trees = set->num_trees,
                                  .num_groups = colgen->master->num_groups,
                                  .capacity = candidates->capacity};
    mtree_arena_t arena = {0};
    mtree_status_t status;
    int **uses, *group;

    MTREE_ARENA_ARRAY(&arena, uses, (size_t)set->num_trees);
    MTREE_ARENA_ARRAY(&arena, group, (size_t)set->num_trees);
    for (int t = 0; t < set->num_trees && arena.status == MTREE_OK; ++t) {
        MTREE_ARENA_ARRAY(&arena, uses[t], (size_t)candidates->num_constraints);
    }
    status = arena.status;
    for (int t = 0; t < set->num_trees && status == MTREE_OK; ++t) {
        mtree_candidates_count(candidates, set->trees[t].edges, uses[t]);
        group[t] = set->trees[t].group;
    }
    trees.uses = uses;
    trees.group = group;
    if (status == MTREE_OK) {
        status = mtree_robust_rates(&trees, x, set->rate);
    }
    mtree_arena_cleanup(&arena);
    return status;
}

mtree_status_t mtree_robust_pack(mtree_colgen_t *colgen, double x, int max_trees,
                                 mtree_tree_set_t *set_p)
{
    robust_t robust = {.colgen = colgen};
    mtree_status_t status =
        robust_init(&robust, colgen->master->num_groups,
                    colgen->candidates->num_constraints, colgen->candidates->capacity);

    if (status == MTREE_OK) {
        status = robust_run(&robust, x);
    }
    if (status == MTREE_OK) {
        status = collect(&robust, max_trees, set_p);
    }
    robust_clear(&robust);
    if (status == MTREE_OK) {
        status = fit_rates(colgen, x, set_p);
    }
    if (status == MTREE_OK) {
        mtree_tree_set_trim(set_p, 0, LEAST_PART * x);
    }
    return status;
}
