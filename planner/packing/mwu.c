/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/mwu.h"

#include "base/array.h"
#include "base/cancel.h"
#include "planner/graph/candidate_trees.h"
#include "planner/packing/bound.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sizes, each half of the one before. */
#define MAX_LEVELS 16

/* Trees of one size: this many for each time that all constraints are used once, but no
 * fewer than the least. */
#define TREES_PER_COVER 6.0
#define MIN_ROUNDS      4

/* A constraint that is loaded this many trees more than another costs e times as much. */
#define SOFTNESS 2.0

/* The part of all blocks that crosses an edge of a personalized tree, about; and the
 * trees of one size for each root.  One tree loads some edges with nearly all blocks, so
 * it takes more of them until what comes first, under poor prices, weighs little. */
#define GRAIN      0.3
#define MANY_TREES 16

/* Where a tree of each group looks at more than this many edges, all groups share
 * one tree. */
#define MAX_LOOKS 6e7

typedef struct {
    mtree_colgen_t *colgen;
    const mtree_tree_set_t *only; /* the trees to lay; NULL: any */
    int first, end;               /* the groups whose trees are laid */
    double *mean_price;           /* [num_constraints] sum of the prices of this level */
    double *load;                 /* [num_constraints] */
    const double *limit; /* [num_groups] of each group's own load, in that of all; NULL:
                            there is none */
    double *own;         /* [num_groups x num_constraints] the loads of each group */
    double worst;        /* the greatest load over capacity */
    double worst_own;    /* the greatest of one group, over capacity and its limit */
    double *size;        /* [pool] of each tree of the pool; trees laid twice add up */
    int size_capacity;
    int *shared;  /* [num_hosts - 1] the edges of the tree that all groups share */
    bool is_low;  /* the limit on height is kept */
    double level; /* the size of a tree now, as a part of the mean capacity */
    double grain; /* what a tree uses of a constraint at a time, about */
    double mean;  /* capacity, bits/s */
    double laid;  /* sum of the sizes of each group's trees */
} mwu_t;

/* Prices for the next tree of @a group. */
static void set_prices(mwu_t *mwu, int group)
{
    const mtree_candidates_t *candidates = mwu->colgen->candidates;
    double *price = mwu->colgen->constraint_price;
    double worst = fmax(mwu->worst, mwu->worst_own);
    double soft = SOFTNESS * mwu->level * mwu->grain / mwu->mean;
    double value = 0.0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        double load = mwu->load[c] / candidates->capacity[c];

        price[c] = exp(fmax(-600.0, (load - worst) / soft)) / candidates->capacity[c];
        if (mwu->limit != NULL) {
            double limit = mwu->limit[group] * candidates->capacity[c];

            load = mwu->own[group * candidates->num_constraints + c] / limit;
            price[c] += exp(fmax(-600.0, (load - worst) / soft)) / limit;
        }
        value += price[c] * candidates->capacity[c];
    }
    for (int c = 0; c < candidates->num_constraints; ++c) {
        mwu->mean_price[c] += price[c] / value;
    }
    mwu->colgen->work += 20.0 * candidates->num_constraints;
}

/* Count the tree in colgen->edges as laid. */
static mtree_status_t lay(mwu_t *mwu, int group)
{
    mtree_colgen_t *colgen = mwu->colgen;
    const mtree_candidates_t *candidates = colgen->candidates;
    int column;
    mtree_status_t status = MTREE_ERR_CANCELLED;

    if (!mtree_cancel_is_set()) {
        status =
            mtree_columns_add(colgen->columns, group, mtree_colgen_root(colgen, group),
                              colgen->edges, &column);
    }
    if (status != MTREE_OK) {
        return status;
    }
    if (column >= mwu->size_capacity) {
        int before = mwu->size_capacity;

        status = mtree_array_reserve(&mwu->size, &mwu->size_capacity, column + 1,
                                     sizeof(*mwu->size));
        if (status != MTREE_OK) {
            return status;
        }
        memset(mwu->size + before, 0,
               (size_t)(mwu->size_capacity - before) * sizeof(*mwu->size));
    }
    mwu->size[column] += mwu->level;
    mtree_candidates_count(candidates, colgen->edges, colgen->uses);
    for (int c = 0; c < candidates->num_constraints; ++c) {
        double more = mwu->level * colgen->uses[c];

        mwu->load[c] += more;
        mwu->worst = fmax(mwu->worst, mwu->load[c] / candidates->capacity[c]);
        if (mwu->limit != NULL) {
            double limit = mwu->limit[group] * candidates->capacity[c];
            double *own = &mwu->own[group * candidates->num_constraints + c];

            *own += more;
            mwu->worst_own = fmax(mwu->worst_own, *own / limit);
        }
    }
    return MTREE_OK;
}

/* Replace the cheapest tree in colgen->edges where it is not one to lay. */
static mtree_status_t shape(const mwu_t *mwu, int group)
{
    mtree_colgen_t *colgen = mwu->colgen;

    if (mwu->is_low) {
        return mtree_colgen_find_low(colgen, colgen->constraint_price, group)
                   ? MTREE_OK
                   : MTREE_ERR_NOT_FOUND;
    }
    mtree_colgen_balance(colgen, colgen->constraint_price, group);
    return MTREE_OK;
}

/* The cheapest tree of a group among those that may be laid into colgen->edges. */
static void choose_among(const mwu_t *mwu, int group)
{
    mtree_colgen_t *colgen = mwu->colgen;
    const mtree_candidates_t *candidates = colgen->candidates;
    double least = INFINITY;

    mtree_candidates_price(candidates, colgen->constraint_price, colgen->price);
    for (int t = 0; t < mwu->only->num_trees; ++t) {
        const mtree_column_t *tree = &mwu->only->trees[t];
        double price;

        if (tree->group != group) {
            continue;
        }
        price = mtree_candidates_tree_price(candidates, colgen->price, tree->edges);
        colgen->work += candidates->num_hosts;
        if (price < least) {
            least = price;
            memcpy(colgen->edges, tree->edges,
                   ((size_t)candidates->num_hosts - 1) * sizeof(*colgen->edges));
        }
    }
    colgen->work += candidates->first[candidates->num_edges];
}

/* One tree of each group that is laid. */
static mtree_status_t lay_round(mwu_t *mwu)
{
    mtree_colgen_t *colgen = mwu->colgen;
    int num_groups = colgen->master->num_groups;
    mtree_status_t status = MTREE_OK;

    for (int g = mwu->first; g < mwu->end && status == MTREE_OK; ++g) {
        double cost;

        set_prices(mwu, g);
        if (mwu->only != NULL) {
            choose_among(mwu, g);
            status = lay(mwu, g);
            continue;
        }
        status = mtree_colgen_cheapest(colgen, colgen->constraint_price, g, &cost);
        if (status == MTREE_OK && num_groups == 1) {
            mtree_colgen_offer_bound(colgen, colgen->constraint_price, cost);
        }
        if (status == MTREE_OK) {
            status = shape(mwu, g);
        }
        if (status == MTREE_OK) {
            status = lay(mwu, g);
        }
    }
    mwu->laid += mwu->level;
    return status;
}

/*
 * Prove what the loads of this level show, or, where no work is left for many groups,
 * what the distances between hosts do: all constraints cost the same.  Where no
 * constraints are the tightest partition's, the mean of the prices that the trees were
 * laid under comes close.
 */
static mtree_status_t prove(mwu_t *mwu, double work)
{
    mtree_colgen_t *colgen = mwu->colgen;
    const mtree_candidates_t *candidates = colgen->candidates;
    mtree_status_t status;

    if (colgen->master->num_groups > 1 && colgen->work > work) {
        for (int c = 0; c < candidates->num_constraints; ++c) {
            colgen->constraint_price[c] = 1.0;
        }
        status = mtree_colgen_prove(colgen);
    } else {
        status = mtree_bound_by_load(colgen, mwu->load);
    }

    memcpy(colgen->constraint_price, mwu->mean_price,
           (size_t)candidates->num_constraints * sizeof(*mwu->mean_price));
    return status == MTREE_OK ? mtree_colgen_prove(colgen) : status;
}

static bool is_close(const mwu_t *mwu, double tolerance)
{
    return mwu->laid / mwu->worst >= mwu->colgen->bound * (1.0 - tolerance);
}

/* Lay @a rounds trees of one size, proving what there is after each power of two, or, as
 * a proof takes a tree of every group several times, at the end only. */
static mtree_status_t lay_level(mwu_t *mwu, int rounds, double tolerance, double work)
{
    bool proves_often = mwu->colgen->master->num_groups == 1;
    mtree_status_t status = MTREE_OK;

    for (int round = 1; round <= rounds && status == MTREE_OK; ++round) {
        bool is_last = round == rounds || mwu->colgen->work > work;

        status = lay_round(mwu);
        if (status == MTREE_OK &&
            (is_last || (proves_often && (round & (round - 1)) == 0))) {
            status = prove(mwu, work);
        }
        if (is_last || is_close(mwu, tolerance)) {
            break;
        }
    }
    return status;
}

static mtree_status_t lay_levels(mwu_t *mwu, double tolerance, double work)
{
    const mtree_candidates_t *candidates = mwu->colgen->candidates;
    double cover = (double)candidates->num_constraints / (candidates->num_hosts - 1);
    double wanted = ceil(TREES_PER_COVER * cover / mwu->colgen->master->num_groups);
    int rounds = (int)fmax(
        candidates->is_personalized && mwu->colgen->master->num_groups > 1 ? MANY_TREES
                                                                           : MIN_ROUNDS,
        wanted);
    mtree_status_t status = MTREE_OK;

    for (int level = 0; level < MAX_LEVELS && status == MTREE_OK; ++level) {
        status = lay_level(mwu, rounds, tolerance, work);
        if (mwu->colgen->work > work || is_close(mwu, tolerance)) {
            break;
        }
        mwu->level /= 2.0;
        memset(mwu->mean_price, 0,
               (size_t)candidates->num_constraints * sizeof(*mwu->mean_price));
    }
    return status;
}

/* The trees laid, with the rates that load the worst constraint fully. */
static mtree_status_t collect(const mwu_t *mwu, mtree_tree_set_t *set_p, double *x_p)
{
    const mtree_colgen_t *colgen = mwu->colgen;
    int count = 0;
    mtree_status_t status;

    for (int c = 0; c < colgen->columns->num_columns && c < mwu->size_capacity; ++c) {
        count += mwu->size[c] > 0.0;
    }
    status = mtree_tree_set_create(colgen, count, set_p);
    if (status != MTREE_OK) {
        return status;
    }
    for (int c = 0; set_p->num_trees < count; ++c) {
        if (mwu->size[c] > 0.0) {
            mtree_tree_set_append(set_p, &colgen->columns->column[c],
                                  mwu->size[c] / mwu->worst);
        }
    }
    *x_p = mwu->laid / mwu->worst;
    return MTREE_OK;
}

/*
 * Lay one tree, and for every other root the same with its edges reversed: what every
 * host sends then passes each edge once, in one direction or the other.
 */
static mtree_status_t lay_shared(mwu_t *mwu)
{
    mtree_colgen_t *colgen = mwu->colgen;
    const mtree_candidates_t *candidates = colgen->candidates;
    size_t size = ((size_t)candidates->num_hosts - 1) * sizeof(*mwu->shared);
    double cost;
    mtree_status_t status;

    set_prices(mwu, 0);
    status = mtree_colgen_cheapest(colgen, colgen->constraint_price, 0, &cost);
    if (status == MTREE_OK) {
        status = shape(mwu, 0);
    }
    memcpy(mwu->shared, colgen->edges, size);
    for (int g = 0; g < colgen->master->num_groups && status == MTREE_OK; ++g) {
        memcpy(colgen->edges, mwu->shared, size);
        status = mtree_candidates_reroot(candidates, g, colgen->edges, colgen->into);
        if (status == MTREE_OK) {
            status = lay(mwu, g);
        }
    }
    mwu->laid += mwu->level;
    return status;
}

static mtree_status_t mwu_init(mwu_t *mwu, mtree_colgen_t *colgen)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    mtree_arena_t *arena = colgen->problem->arena;

    *mwu = (mwu_t){.colgen = colgen,
                   .end = colgen->master->num_groups,
                   .level = 1.0,
                   .mean = colgen->master->scale};
    mwu->grain = candidates->is_personalized ? GRAIN * candidates->num_hosts : 1.0;
    MTREE_ARENA_ARRAY(arena, mwu->load, (size_t)candidates->num_constraints);
    MTREE_ARENA_ARRAY(arena, mwu->mean_price, (size_t)candidates->num_constraints);
    MTREE_ARENA_ARRAY(arena, mwu->shared, (size_t)candidates->num_hosts);
    return arena->status;
}

mtree_status_t mtree_mwu_pack(mtree_colgen_t *colgen, bool is_low, double tolerance,
                              double work, mtree_tree_set_t *set_p, double *x_p)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    mwu_t mwu;
    mtree_status_t status = mwu_init(&mwu, colgen);

    if (status != MTREE_OK) {
        return status;
    }
    mwu.is_low = is_low;
    mtree_bound_by_entrances(colgen);
    status = (double)colgen->master->num_groups * candidates->num_edges > MAX_LOOKS &&
                     !candidates->is_personalized
                 ? lay_shared(&mwu)
                 : lay_levels(&mwu, tolerance, work);
    if (status == MTREE_OK) {
        status = collect(&mwu, set_p, x_p);
    }
    free(mwu.size);
    return status;
}

mtree_status_t mtree_mwu_lay(mtree_colgen_t *colgen, const mtree_mwu_lay_t *what,
                             mtree_tree_set_t *set_p, double *x_p)
{
    mtree_arena_t *arena = colgen->problem->arena;
    mwu_t mwu;
    mtree_status_t status = mwu_init(&mwu, colgen);

    mwu.only = what->only;
    mwu.first = what->first;
    mwu.end = what->end;
    mwu.limit = what->limit;
    if (mwu.limit != NULL) {
        MTREE_ARENA_ARRAY(arena, mwu.own,
                          (size_t)colgen->master->num_groups *
                              (size_t)colgen->candidates->num_constraints);
        status = arena->status;
    }
    for (int round = 1; round <= what->levels * MANY_TREES && status == MTREE_OK;
         ++round) {
        status = lay_round(&mwu);
        if (round % MANY_TREES == 0) {
            mwu.level /= 2.0;
        }
        if (what->work > 0.0 && colgen->work > what->work) {
            break;
        }
    }
    if (status == MTREE_OK) {
        status = collect(&mwu, set_p, x_p);
    }
    free(mwu.size);
    return status;
}
