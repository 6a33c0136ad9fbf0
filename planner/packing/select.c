/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/select.h"

#include "planner/graph/candidate_trees.h"
#include "planner/packing/local_search.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

/* A value that is this close to what no set can exceed is as great. */
#define GOOD_ENOUGH 1e-6

static const double aims[] = MTREE_TUNED_AIMS;
static const double shallows[] = MTREE_TUNED_SHALLOWS;

#define NUM_AIMS     ((int)(sizeof(aims) / sizeof(aims[0])))
#define NUM_SHALLOWS ((int)(sizeof(shallows) / sizeof(shallows[0])))

/* Where a search starts: the trees of a set, or trees grown one after the other. */
typedef enum { FROM_FIRST, FROM_SECOND, GROWN } origin_t;

typedef struct {
    origin_t origin;
    double aim;     /* bits/s a tree */
    double shallow; /* how much distance counts */
} start_t;

#define MAX_STARTS (2 + NUM_AIMS * NUM_SHALLOWS)

typedef struct {
    mtree_selection_t *selection;
    mtree_local_search_t *local_search;
    const mtree_tree_set_t *const *sets; /* [2] */
    double *grow_price;                  /* [num_constraints] */
    double most;                         /* no set's value exceeds it */
    double max_work;
    double gained;    /* the best value after the last gain */
    double gained_at; /* work done by then; 0: it does not count yet */
} search_t;

/* Prices that prefer constraints with much left; constraints with less than @a least only
 * when there is no other. */
static void set_grow_prices(search_t *search, double least)
{
    const mtree_selection_t *selection = search->selection;

    for (int c = 0; c < selection->candidates->num_constraints; ++c) {
        double part = fmax(selection->left[c], 0.0) / selection->packer->mean;

        search->grow_price[c] = 1.0 / ((part + 1e-3) * (part + 1e-3));
        if (selection->left[c] < least * (1.0 - 1e-9)) {
            search->grow_price[c] *= 1e6;
        }
    }
    search->selection->work += 30.0 * selection->candidates->num_constraints;
}

/* What a second of distance costs if a distance of T counts @a shallow times as much as
 * the whole tree does at the mean price of a constraint. */
static double distance_price(const search_t *search, double shallow)
{
    const mtree_candidates_t *candidates = search->selection->candidates;
    double time = search->selection->packer->time;
    double sum = 0.0;

    for (int c = 0; c < candidates->num_constraints && time > 0.0; ++c) {
        sum += fmin(search->grow_price[c], 1e3);
    }
    return time > 0.0 ? shallow * sum / candidates->num_constraints *
                            candidates->num_hosts / time
                      : 0.0;
}

/* Grow a tree into place @a t on what is left. */
static bool grow_tree(search_t *search, int t, double least, double shallow)
{
    mtree_selection_t *selection = search->selection;
    mtree_packer_t *packer = selection->packer;
    const mtree_candidates_t *candidates = selection->candidates;
    mtree_prim_options_t options = {.max_height = packer->shapes->max_height};
    int root = candidates->directed ? mtree_packer_root(packer, 0)
                                    : search->sets[0]->trees[0].root;

    set_grow_prices(search, least);
    options.reuse_factor = mtree_prim_reuse(candidates);
    options.distance_price = distance_price(search, shallow);
    selection->work +=
        (double)candidates->num_hosts * candidates->num_hosts + candidates->num_edges;
    if (!mtree_prim_run(packer->prim, search->grow_price, root, &options,
                        selection->trees[t].edges)) {
        return false;
    }
    mtree_selection_refresh(selection, t);
    return true;
}

static void take(mtree_selection_t *selection, int t, double rate)
{
    for (int c = 0; c < selection->candidates->num_constraints; ++c) {
        selection->left[c] -= rate * selection->uses[t][c];
    }
}

static void leave_all(mtree_selection_t *selection)
{
    memcpy(selection->left, selection->candidates->capacity,
           (size_t)selection->candidates->num_constraints * sizeof(*selection->left));
}

/* Trees one after the other, each given up to @a aim of what is left. */
static void start_growing(search_t *search, double aim, double shallow)
{
    mtree_selection_t *selection = search->selection;

    leave_all(selection);
    while (selection->num_trees < selection->max_trees) {
        double rate;

        if (!grow_tree(search, selection->num_trees, aim, shallow)) {
            break;
        }
        rate = fmin(aim, mtree_candidates_max_rate(selection->candidates,
                                                   selection->uses[selection->num_trees],
                                                   selection->left));
        if (rate <= 1e-6 * aim) {
            break;
        }
        take(selection, selection->num_trees++, rate);
    }
}

/* Those trees of @a set that deliver most at their rates. */
static void start_from(mtree_selection_t *selection, const mtree_tree_set_t *set)
{
    double limit = INFINITY;
    int last = -1;

    while (selection->num_trees < selection->max_trees) {
        double most = 0.0;
        int best = -1;

        for (int t = 0; t < set->num_trees; ++t) {
            double delivered = set->trees[t].rate *
                               mtree_packer_weight(selection->packer, &set->trees[t]);

            if (delivered > most &&
                (delivered < limit || (delivered == limit && t > last))) {
                most = delivered;
                best = t;
            }
        }
        if (best < 0) {
            break;
        }
        limit = most;
        last = best;
        mtree_selection_set(selection, selection->num_trees++, set->trees[best].edges);
    }
}

static void begin(search_t *search, const start_t *start)
{
    mtree_selection_t *selection = search->selection;

    selection->num_trees = 0;
    if (start->origin == GROWN) {
        start_growing(search, start->aim, start->shallow);
    } else {
        start_from(selection, search->sets[start->origin]);
    }
    mtree_selection_solve(selection);
}

/* Is there nothing to gain any more, or no work or patience left? */
static bool is_done(const search_t *search)
{
    double work = mtree_selection_work(search->selection);

    return search->selection->best_value >= search->most * (1.0 - GOOD_ENOUGH) ||
           work >= search->max_work ||
           (search->gained_at > 0.0 && work >= MTREE_TUNED_PATIENCE * search->gained_at);
}

/* List the starts; returns their number. */
static int list_starts(const search_t *search, start_t *starts)
{
    double aim = search->most / search->selection->max_trees;
    int num_shallows = search->selection->packer->time > 0.0 ? NUM_SHALLOWS : 1;
    int count = 0;

    starts[count++] = (start_t){.origin = FROM_FIRST};
    starts[count++] = (start_t){.origin = FROM_SECOND};
    for (int a = 0; a < NUM_AIMS; ++a) {
        for (int s = 0; s < num_shallows; ++s) {
            starts[count++] =
                (start_t){.origin = GROWN, .aim = aims[a] * aim, .shallow = shallows[s]};
        }
    }
    return count;
}

/* Improve the start of the largest value. */
static void improve_best_start(search_t *search)
{
    mtree_selection_t *selection = search->selection;
    start_t starts[MAX_STARTS];
    int count = list_starts(search, starts);

    for (int s = 0; s < count && !is_done(search); ++s) {
        begin(search, &starts[s]);
        mtree_selection_keep(selection);
    }
    mtree_selection_restore(selection);
    mtree_local_search_run(
        search->local_search,
        fmin(search->max_work, MTREE_TUNED_PATIENCE * mtree_selection_work(selection)));
    mtree_selection_keep(selection);
}

/* Build tree @a t anew on what the others, with rates that suit them, leave. */
static bool rebuild_tree(search_t *search, int t, double shallow)
{
    mtree_selection_t *selection = search->selection;
    int last = selection->num_trees - 1;

    mtree_selection_swap(selection, t, last);
    (void)mtree_dense_simplex_solve(selection->simplex, last);
    leave_all(selection);
    for (int other = 0; other < last; ++other) {
        take(selection, other, selection->simplex->rate[other]);
    }
    if (!grow_tree(search, last, 0.0, shallow)) {
        return false;
    }
    mtree_selection_solve(selection);
    return true;
}

/* Rebuild one tree, or later in the search several at once; false when one cannot be
 * grown. */
static bool rebuild_some(search_t *search, int kick)
{
    const mtree_selection_t *selection = search->selection;
    int round = kick / selection->num_trees;
    int count = 1 + round / NUM_SHALLOWS % selection->num_trees;

    for (int r = 0; r < count; ++r) {
        /* The tree rebuilt goes to the last place, so the next one is another. */
        if (!rebuild_tree(search, (kick + r * round) % selection->num_trees,
                          shallows[kick % NUM_SHALLOWS])) {
            return false;
        }
    }
    return true;
}

/* Note what counts for the patience of the search. */
static void note_gain(search_t *search)
{
    const mtree_selection_t *selection = search->selection;

    if (selection->packer->time > 0.0 &&
        selection->best_value > search->gained * (1.0 + MTREE_TUNED_LEAST_PART)) {
        search->gained = selection->best_value;
        search->gained_at = mtree_selection_work(selection);
    }
}

/*
 * Rebuild trees and improve, in turn for as long as there is work left, from the best
 * selection or the last one that is as good.
 */
static void kick(search_t *search)
{
    mtree_selection_t *selection = search->selection;

    mtree_selection_restore(selection);
    note_gain(search);
    for (int k = 0; !is_done(search); ++k) {
        if (selection->num_trees < selection->max_trees) {
            mtree_selection_set(selection, selection->num_trees, selection->best_edges);
            ++selection->num_trees;
        }
        if (!rebuild_some(search, k)) {
            break;
        }
        mtree_local_search_run(search->local_search, search->max_work);
        mtree_selection_keep(selection);
        note_gain(search);
        if (selection->value < selection->best_value) {
            mtree_selection_restore(selection);
        }
    }
    mtree_selection_restore(selection);
}

/* Drop the tree with the least rate while that rate is too low or nothing. */
static void drop_slow(mtree_selection_t *selection, double min_rate)
{
    for (;;) {
        int slowest = 0;

        for (int t = 1; t < selection->num_trees; ++t) {
            slowest = selection->rate[t] < selection->rate[slowest] ? t : slowest;
        }
        if (selection->num_trees <= 1 ||
            (selection->rate[slowest] >= min_rate &&
             selection->rate[slowest] > selection->value * 1e-9)) {
            return;
        }
        mtree_selection_swap(selection, slowest, --selection->num_trees);
        mtree_selection_solve(selection);
    }
}

static mtree_tree_set_t *hand_over(const mtree_selection_t *selection)
{
    mtree_tree_set_t *set = mtree_tree_set_create(selection->candidates,
                                                  selection->packer->shapes->max_height);

    for (int t = 0; t < selection->num_trees; ++t) {
        mtree_tree_set_add(set, 0, mtree_packer_root(selection->packer, 0),
                           selection->trees[t].edges, selection->rate[t]);
    }
    return set;
}

mtree_tree_set_t *mtree_select_trees(mtree_packer_t *packer,
                                     const mtree_tree_set_t *const sets[2], int max_trees,
                                     double min_rate, double most, double work)
{
    search_t search = {.sets = sets, .most = most, .max_work = work};
    mtree_arena_t arena = {0};
    mtree_tree_set_t *set;

    MTREE_ARENA_ARRAY(&arena, search.grow_price,
                      (size_t)packer->candidates->num_constraints);
    search.selection = mtree_selection_create(&arena, packer, max_trees);
    search.local_search = mtree_local_search_create(&arena, search.selection);
    improve_best_start(&search);
    kick(&search);
    drop_slow(search.selection, min_rate);
    set = hand_over(search.selection);
    mtree_arena_cleanup(&arena);
    return set;
}
