/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/select.h"

#include "planner/graph/candidate_trees.h"
#include "planner/packing/local_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The search is over when the value is this close to what no set can exceed. */
#define GOOD_ENOUGH 1e-6

/* All of the work is done for a value that is this far from it, less for a closer one: a
 * small network's few trees are mostly within a per mille, on which no time is to be
 * spent. */
#define FULL_GAP        0.05
#define LEAST_WORK_PART 0.02

/* Where trees are weighed for a time it is not known what no set can exceed.  The search
 * is over when all that it did is this many times what it had done at the last gain of
 * more than LASTING_GAIN. */
#define PATIENCE     2.0
#define LASTING_GAIN 1e-3

/* The rates that greedy starts aim at, as parts of the optimum over K. */
static const double aims[] = {1.1, 1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5};

#define NUM_AIMS ((int)(sizeof(aims) / sizeof(aims[0])))

/* How strongly wide constraints are preferred when a tree is built anew; tried in turn.
 */
static const double powers[] = {2.0, 1.0, 4.0, 8.0};

#define NUM_POWERS ((int)(sizeof(powers) / sizeof(powers[0])))

/* How much distance counts in trees that are grown, where latency does; tried in turn. */
static const double shallows[] = {0.0, 0.3, 1.0, 3.0, 10.0};

#define NUM_SHALLOWS ((int)(sizeof(shallows) / sizeof(shallows[0])))

/* Starts that are improved, and the part of the work that one of them, and all of them,
 * may take. */
#define MAX_IMPROVED 6
#define START_PART   0.25
#define STARTS_PART  0.5

/* Trees that are rebuilt at once at most, and how often. */
#define MAX_REBUILT 3
#define MAX_KICKS   5000

/* Where a search starts: the trees of a set, or trees grown one after the other. */
typedef enum { FROM_FIRST, FROM_SECOND, GROWN } origin_t;

typedef struct {
    origin_t origin;
    double aim;     /* bits/s a tree */
    double shallow; /* how much distance counts */
    double value;
    int number; /* in the order in which they are listed */
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
static void set_grow_prices(search_t *search, double least, double power)
{
    const mtree_selection_t *selection = search->selection;

    for (int c = 0; c < selection->candidates->num_constraints; ++c) {
        double part = fmax(selection->left[c], 0.0) / selection->packer->mean;

        search->grow_price[c] = pow(part + 1e-3, -power);
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
static bool grow_tree(search_t *search, int t, double least, double power, double shallow)
{
    mtree_selection_t *selection = search->selection;
    mtree_packer_t *packer = selection->packer;
    const mtree_candidates_t *candidates = selection->candidates;
    mtree_prim_options_t options = {.max_height = packer->shapes->max_height};
    int root = candidates->directed ? mtree_packer_root(packer, 0)
                                    : search->sets[0]->trees[0].root;

    set_grow_prices(search, least, power);
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

        if (!grow_tree(search, selection->num_trees, aim, powers[0], shallow)) {
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

/* Is there nothing to gain any more, or no work left for as little as there is? */
static bool is_done(const search_t *search)
{
    double work = mtree_selection_work(search->selection);
    double gap = 1.0 - search->selection->best_value / search->most;
    double part = fmin(1.0, pow(gap / FULL_GAP, 2.0));

    return gap <= GOOD_ENOUGH || work >= search->max_work * fmax(part, LEAST_WORK_PART) ||
           (search->gained_at > 0.0 && work >= PATIENCE * search->gained_at);
}

/* List the starts with the value of each before it is improved; returns their
 * number. */
static int list_starts(search_t *search, start_t *starts)
{
    double aim = search->most / search->selection->max_trees;
    int num_shallows = search->selection->packer->time > 0.0 ? NUM_SHALLOWS : 1;
    int listed = 0, count = 0;

    starts[listed++] = (start_t){.origin = FROM_FIRST};
    starts[listed++] = (start_t){.origin = FROM_SECOND};
    for (int a = 0; a < NUM_AIMS; ++a) {
        for (int s = 0; s < num_shallows; ++s) {
            starts[listed++] =
                (start_t){.origin = GROWN, .aim = aims[a] * aim, .shallow = shallows[s]};
        }
    }
    while (count < listed && !is_done(search)) {
        begin(search, &starts[count]);
        starts[count].number = count;
        starts[count++].value = search->selection->value;
        mtree_selection_keep(search->selection);
    }
    return count;
}

static int start_compare(const void *left, const void *right)
{
    const start_t *a = left, *b = right;

    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return a->number - b->number;
}

/* Improve the starts of the largest values. */
static void improve_starts(search_t *search)
{
    mtree_selection_t *selection = search->selection;
    start_t starts[MAX_STARTS];
    int count = list_starts(search, starts);

    qsort(starts, (size_t)count, sizeof(*starts), start_compare);
    for (int s = 0; s < count && s < MAX_IMPROVED && !is_done(search) &&
                    mtree_selection_work(selection) < STARTS_PART * search->max_work;
         ++s) {
        begin(search, &starts[s]);
        mtree_local_search_run(search->local_search, mtree_selection_work(selection) +
                                                         START_PART * search->max_work);
        mtree_selection_keep(selection);
    }
}

/* Build tree @a t anew on what the others, with rates that suit them, leave. */
static bool rebuild_tree(search_t *search, int t, double power, double shallow)
{
    mtree_selection_t *selection = search->selection;
    int last = selection->num_trees - 1;

    mtree_selection_swap(selection, t, last);
    (void)mtree_dense_simplex_solve(selection->simplex, last);
    leave_all(selection);
    for (int other = 0; other < last; ++other) {
        take(selection, other, selection->simplex->rate[other]);
    }
    if (!grow_tree(search, last, 0.0, power, shallow)) {
        return false;
    }
    mtree_selection_solve(selection);
    return true;
}

/* Rebuild one tree, or later in the search several at once; false when one cannot be
 * grown. */
static bool rebuild_some(search_t *search, int kick)
{
    mtree_selection_t *selection = search->selection;
    int round = kick / selection->num_trees;
    int count = 1 + round / NUM_POWERS % MAX_REBUILT;

    for (int r = 0; r < count; ++r) {
        /* The tree rebuilt goes to the last place, so the next one is another. */
        if (!rebuild_tree(search, (kick + r * round) % selection->num_trees,
                          powers[round % NUM_POWERS], shallows[kick % NUM_SHALLOWS])) {
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
        selection->best_value > search->gained * (1.0 + LASTING_GAIN)) {
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
    for (int k = 0; k < MAX_KICKS && !is_done(search); ++k) {
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
    improve_starts(&search);
    kick(&search);
    drop_slow(search.selection, min_rate);
    set = hand_over(search.selection);
    mtree_arena_cleanup(&arena);
    return set;
}
