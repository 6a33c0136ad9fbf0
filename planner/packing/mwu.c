/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/mwu.h"

#include "planner/graph/candidate_trees.h"
#include "planner/packing/bound.h"
#include "planner/tuning.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double distances[] = MTREE_TUNED_DISTANCES;

#define NUM_DISTANCES ((int)(sizeof(distances) / sizeof(distances[0])))

typedef struct {
    mtree_packer_t *packer;
    const mtree_mwu_lay_t *what;
    mtree_tree_set_t *set; /* laid so far, with sizes for rates */
    double *mean_price;    /* [num_constraints] sum of the prices of this level */
    double *load;          /* [num_constraints] */
    double *own;      /* [num_groups x num_constraints] the loads of each group, where
                         they have limits */
    double worst;     /* the greatest load over capacity */
    double worst_own; /* the greatest of one group, over capacity and its limit */
    int *edges;       /* [num_hosts - 1] the best tree so far, or the one that all groups
                         share */
    double level;     /* the size of a tree now, as a part of the mean capacity */
    double grain;     /* what a tree uses of a constraint at a time, about */
    double laid;      /* sum of what each group's trees deliver */
    int end;          /* behind the groups whose trees are laid */
    bool is_lost;     /* a group has no tree that is low enough */
} mwu_t;

/* Prices for the next tree of @a group. */
static void set_prices(mwu_t *mwu, int group)
{
    const mtree_candidates_t *candidates = mwu->packer->candidates;
    double *price = mwu->packer->constraint_price;
    double worst = fmax(mwu->worst, mwu->worst_own);
    double soft = MTREE_TUNED_SOFTNESS * mwu->level * mwu->grain / mwu->packer->mean;
    double value = 0.0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        double load = mwu->load[c] / candidates->capacity[c];

        price[c] = exp(fmax(-600.0, (load - worst) / soft)) / candidates->capacity[c];
        if (mwu->what->limit != NULL) {
            double limit = mwu->what->limit[group] * candidates->capacity[c];

            load = mwu->own[group * candidates->num_constraints + c] / limit;
            price[c] += exp(fmax(-600.0, (load - worst) / soft)) / limit;
        }
        value += price[c] * candidates->capacity[c];
    }
    for (int c = 0; c < candidates->num_constraints; ++c) {
        mwu->mean_price[c] += price[c] / value;
    }
    mwu->packer->work += 20.0 * candidates->num_constraints;
}

/* Count the tree in packer->edges, which delivers that part @a weight of what it carries,
 * as laid. */
static void lay(mwu_t *mwu, int group, double weight)
{
    mtree_packer_t *packer = mwu->packer;
    const mtree_candidates_t *candidates = packer->candidates;
    double size = mwu->level / fmax(weight, MTREE_TUNED_LEAST_PART);

    mtree_tree_set_add(mwu->set, group, mtree_packer_root(packer, group), packer->edges,
                       size);
    mtree_candidates_count(candidates, packer->edges, packer->uses);
    for (int c = 0; c < candidates->num_constraints; ++c) {
        double more = size * packer->uses[c];

        mwu->load[c] += more;
        mwu->worst = fmax(mwu->worst, mwu->load[c] / candidates->capacity[c]);
        if (mwu->what->limit != NULL) {
            double limit = mwu->what->limit[group] * candidates->capacity[c];
            double *own = &mwu->own[group * candidates->num_constraints + c];

            *own += more;
            mwu->worst_own = fmax(mwu->worst_own, *own / limit);
        }
    }
}

/* The best tree so far of those looked at. */
typedef struct {
    double price; /* for what it delivers */
    double weight;
} best_t;

/* Look at @a tree, whose edges cost packer->price; mwu->edges becomes the better one. */
static void compare(mwu_t *mwu, const mtree_packed_t *tree, best_t *best)
{
    mtree_packer_t *packer = mwu->packer;
    const mtree_candidates_t *candidates = packer->candidates;
    double weight = mtree_packer_weight(packer, tree);
    double price = mtree_candidates_tree_price(candidates, packer->price, tree->edges) /
                   fmax(weight, MTREE_TUNED_LEAST_PART);

    packer->work += candidates->num_hosts;
    if (price < best->price) {
        *best = (best_t){price, weight};
        memcpy(mwu->edges, tree->edges,
               ((size_t)candidates->num_hosts - 1) * sizeof(*mwu->edges));
    }
}

/* The same of the tree in packer->edges. */
static void compare_new(mwu_t *mwu, int group, best_t *best)
{
    mtree_packer_t *packer = mwu->packer;
    mtree_packed_t tree = {
        .group = group, .root = mtree_packer_root(packer, group), .edges = packer->edges};

    mtree_tree_set_measure(packer->shapes, &tree);
    packer->work += 10.0 * packer->candidates->num_hosts;
    compare(mwu, &tree, best);
}

/* Compare trees that are grown with an eye on distance.  @a cost is what a tree costs at
 * least. */
static void grow_for_time(mwu_t *mwu, int group, double cost, best_t *best)
{
    mtree_packer_t *packer = mwu->packer;
    const mtree_candidates_t *candidates = packer->candidates;
    double passes = candidates->directed ? 1.0 : 2.0;
    double second = passes * cost / packer->time;
    int root = candidates->directed ? mtree_packer_root(packer, group)
                                    : packer->turn++ % candidates->num_hosts;

    for (int p = 0; p < NUM_DISTANCES; ++p) {
        mtree_prim_options_t options = {.distance_price = distances[p] * second,
                                        .max_height = packer->shapes->max_height,
                                        .reuse_factor = mtree_prim_reuse(candidates)};

        packer->work += (double)candidates->num_hosts * candidates->num_hosts +
                        4.0 * candidates->num_edges;
        if (mtree_prim_run(packer->prim, packer->constraint_price, root, &options,
                           packer->edges)) {
            compare_new(mwu, group, best);
        }
    }
}

/* The best of the trees to lay. */
static void choose_among(mwu_t *mwu, int group, best_t *best)
{
    const mtree_tree_set_t *only = mwu->what->only;

    for (int t = 0; t < only->num_trees; ++t) {
        if (only->trees[t].group == group) {
            compare(mwu, &only->trees[t], best);
        }
    }
}

/* A cheap tree into packer->edges, and the bound that the cheapest, whose price is
 * returned, proves. */
static double find_cheap(mwu_t *mwu, int group)
{
    mtree_packer_t *packer = mwu->packer;
    const double *price = packer->constraint_price;
    double cost = mtree_packer_cheapest(packer, price, group);

    if (packer->num_groups == 1) {
        mtree_packer_offer_bound(packer, price, cost);
    }
    if (mwu->what->is_low) {
        mwu->is_lost = !mtree_packer_find_low(packer, price, group);
    } else {
        mtree_packer_balance(packer, price, group);
    }
    return cost;
}

/* The cheapest tree of a prefix's group, where a second on its path costs as much as what
 * all need longer for the message because of its load, into packer->edges. */
static void find_near(mwu_t *mwu, int group)
{
    mtree_packer_t *packer = mwu->packer;
    const mtree_candidates_t *candidates = packer->candidates;
    mtree_prim_options_t options = {.distance_price = 0.0};

    for (int c = 0; c < candidates->num_constraints; ++c) {
        options.distance_price += packer->constraint_price[c] * candidates->capacity[c];
    }
    options.distance_price /= mwu->what->bits;
    packer->work += (double)candidates->num_hosts * candidates->num_hosts +
                    4.0 * candidates->num_edges;
    (void)mtree_prim_run(packer->prim, packer->constraint_price,
                         mtree_packer_root(packer, group), &options, packer->edges);
}

/* The tree of a group to lay into packer->edges; its weight. */
static double choose(mwu_t *mwu, int group)
{
    mtree_packer_t *packer = mwu->packer;
    best_t best = {INFINITY, 1.0};
    double cost = 0.0;

    if (mwu->what->only == NULL && mwu->what->bits > 0.0) {
        find_near(mwu, group);
    } else if (mwu->what->only == NULL) {
        cost = find_cheap(mwu, group);
    }
    if (mwu->what->only != NULL) {
        mtree_candidates_price(packer->candidates, packer->constraint_price,
                               packer->price);
        choose_among(mwu, group, &best);
    } else if (cost > 0.0 && packer->time > 0.0) {
        compare_new(mwu, group, &best);
        grow_for_time(mwu, group, cost, &best);
    }
    if (isfinite(best.price)) {
        memcpy(packer->edges, mwu->edges,
               ((size_t)packer->candidates->num_hosts - 1) * sizeof(*mwu->edges));
    }
    return best.weight;
}

/* Can no more trees be laid? */
static bool is_stuck(const mwu_t *mwu)
{
    return mwu->is_lost || !mtree_packer_goes_on(mwu->packer);
}

/* One tree of each group that is laid. */
static void lay_round(mwu_t *mwu)
{
    for (int g = mwu->what->first; g < mwu->end && !is_stuck(mwu); ++g) {
        double weight;

        set_prices(mwu, g);
        weight = choose(mwu, g);
        if (!is_stuck(mwu)) {
            lay(mwu, g, weight);
        }
    }
    mwu->laid += mwu->level;
}

/* May no more trees be laid? */
static bool is_over(const mwu_t *mwu)
{
    return is_stuck(mwu) ||
           (mwu->what->work > 0.0 && mwu->packer->work > mwu->what->work);
}

/*
 * Prove what the loads of this level show, or, where no work is left for many groups,
 * what the distances between hosts do: all constraints cost the same.  Where no
 * constraints are the tightest partition's, the mean of the prices that the trees were
 * laid under comes close.
 */
static void prove(mwu_t *mwu)
{
    mtree_packer_t *packer = mwu->packer;
    const mtree_candidates_t *candidates = packer->candidates;

    if (packer->num_groups > 1 && is_over(mwu)) {
        for (int c = 0; c < candidates->num_constraints; ++c) {
            packer->constraint_price[c] = 1.0;
        }
        mtree_packer_prove(packer, NULL);
    } else {
        mtree_bound_by_load(packer, mwu->load);
    }
    memcpy(packer->constraint_price, mwu->mean_price,
           (size_t)candidates->num_constraints * sizeof(*mwu->mean_price));
    mtree_packer_prove(packer, NULL);
}

static bool is_close(const mwu_t *mwu)
{
    return mwu->laid / mwu->worst >= mwu->packer->bound * (1.0 - mwu->what->tolerance);
}

/* Trees of one size for each group. */
static int num_rounds(const mwu_t *mwu)
{
    const mtree_candidates_t *candidates = mwu->packer->candidates;
    double cover = (double)candidates->num_constraints / (candidates->num_hosts - 1);
    bool is_alltoall = candidates->is_personalized && mwu->packer->num_groups > 1;

    return is_alltoall || mwu->what->tolerance <= 0.0
               ? MTREE_TUNED_TREES
               : (int)fmax(MTREE_TUNED_LEAST_ROUNDS,
                           ceil(MTREE_TUNED_COVERS * cover / mwu->packer->num_groups));
}

/* Lay trees of one size.  What there is is proved after each power of two, or, as a proof
 * takes a tree of every group several times, at the end only. */
static void lay_level(mwu_t *mwu, int rounds)
{
    bool proves = mwu->what->tolerance > 0.0;
    bool proves_often = mwu->packer->num_groups == 1;
    bool is_last = false;

    for (int round = 1; !is_last; ++round) {
        lay_round(mwu);
        is_last = round == rounds || is_over(mwu);
        if (proves && (is_last || (proves_often && (round & (round - 1)) == 0))) {
            prove(mwu);
        }
        is_last = is_last || (proves && is_close(mwu));
    }
}

static void lay_levels(mwu_t *mwu)
{
    const mtree_mwu_lay_t *what = mwu->what;
    int rounds = num_rounds(mwu);

    for (int level = 0; level < what->levels; ++level) {
        lay_level(mwu, rounds);
        if (is_over(mwu) || (what->tolerance > 0.0 && is_close(mwu))) {
            break;
        }
        mwu->level /= 2.0;
        memset(mwu->mean_price, 0,
               (size_t)mwu->packer->candidates->num_constraints *
                   sizeof(*mwu->mean_price));
    }
}

/*
 * Lay one tree, and for every other root the same with its edges reversed: what every
 * host sends then passes each edge once, in one direction or the other.
 */
static void lay_shared(mwu_t *mwu)
{
    mtree_packer_t *packer = mwu->packer;
    const mtree_candidates_t *candidates = packer->candidates;
    size_t size = ((size_t)candidates->num_hosts - 1) * sizeof(*mwu->edges);

    set_prices(mwu, 0);
    (void)choose(mwu, 0);
    memcpy(mwu->edges, packer->edges, size);
    for (int g = 0; g < packer->num_groups && !is_stuck(mwu); ++g) {
        memcpy(packer->edges, mwu->edges, size);
        packer->status =
            mtree_candidates_reroot(candidates, g, packer->edges, packer->into);
        if (packer->status == MTREE_OK) {
            lay(mwu, g, 1.0);
        }
    }
    mwu->laid += mwu->level;
}

static void init(mwu_t *mwu)
{
    const mtree_packer_t *packer = mwu->packer;
    const mtree_candidates_t *candidates = packer->candidates;
    size_t num_constraints = (size_t)candidates->num_constraints;
    mtree_arena_t *arena = packer->problem->arena;

    MTREE_ARENA_ARRAY(arena, mwu->load, num_constraints);
    MTREE_ARENA_ARRAY(arena, mwu->mean_price, num_constraints);
    MTREE_ARENA_ARRAY(arena, mwu->edges, (size_t)candidates->num_hosts);
    if (mwu->what->limit != NULL) {
        MTREE_ARENA_ARRAY(arena, mwu->own, (size_t)packer->num_groups * num_constraints);
    }
    mwu->set = mtree_tree_set_create(candidates, packer->shapes->max_height);
}

mtree_status_t mtree_mwu_lay(mtree_packer_t *packer, const mtree_mwu_lay_t *what,
                             mtree_tree_set_t **set_p, double *x_p)
{
    const mtree_candidates_t *candidates = packer->candidates;
    bool is_huge =
        !candidates->is_personalized &&
        (double)packer->num_groups * candidates->num_edges > MTREE_TUNED_MAX_LOOKS;
    mwu_t mwu = {.packer = packer,
                 .what = what,
                 .end = what->end > 0 ? what->end : packer->num_groups,
                 .level = 1.0,
                 .grain =
                     fmax(1.0, MTREE_TUNED_GRAIN * mtree_packer_blocks_per_tree(packer))};

    init(&mwu);
    if (what->tolerance > 0.0) {
        mtree_bound_by_entrances(packer);
    }
    if (is_huge && what->only == NULL) {
        lay_shared(&mwu);
    } else {
        lay_levels(&mwu);
    }
    if (is_stuck(&mwu)) {
        mtree_tree_set_destroy(mwu.set);
        return mwu.is_lost ? MTREE_ERR_NOT_FOUND : packer->status;
    }
    /* The worst constraint is loaded fully. */
    for (int t = 0; t < mwu.set->num_trees; ++t) {
        mwu.set->trees[t].rate /= mwu.worst;
    }
    *x_p = mwu.laid / mwu.worst;
    mtree_tree_set_destroy(*set_p);
    *set_p = mwu.set;
    return MTREE_OK;
}
