/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/select.h"

#include "planner/packing/local_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The search is over when the value is this close to what no set can exceed. */
#define GOOD_ENOUGH 1e-6

/* All of the work is done for a value that is this far from it, less for a closer one: a
 * small network's few trees are mostly within a per mille, on which no time is to be
 * spent. */
#define WORTH_ALL  0.05
#define LEAST_PART 0.02

/* The rates that greedy starts aim at, as parts of the optimum over K. */
static const double aims[] = {1.1, 1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5};

#define NUM_AIMS ((int)(sizeof(aims) / sizeof(aims[0])))

/* How strongly wide rows are preferred when a tree is built anew; tried in turn. */
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

/* Where a search starts: the master's trees, the hint's, or trees grown one after the
 * other. */
typedef enum { FROM_MASTER, FROM_HINT, GROWN } origin_t;

typedef struct {
    origin_t origin;
    double aim;     /* bits/s a tree */
    double shallow; /* how much distance counts */
    double value;
} start_t;

#define MAX_STARTS (2 + NUM_AIMS * NUM_SHALLOWS)

typedef struct {
    mtree_choice_t *choice;
    mtree_exchanger_t *exchanger;
    const mtree_tree_set_t *hint;
    double *grow_price; /* [num_rows] */
    double most;        /* no set's value exceeds it */
    double max_work;
} search_t;

static void search_free(search_t *search)
{
    mtree_exchanger_destroy(search->exchanger);
    mtree_choice_destroy(search->choice);
    free(search->grow_price);
}

static mtree_status_t search_init(search_t *search, mtree_generator_t *generator,
                                  int max_trees)
{
    mtree_status_t status;

    search->grow_price =
        malloc((size_t)generator->candidates->num_rows * sizeof(*search->grow_price));
    if (search->grow_price == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    status = mtree_choice_create(generator, max_trees, &search->choice);
    return status == MTREE_OK ? mtree_exchanger_create(search->choice, &search->exchanger)
                              : status;
}

/* Prices that prefer rows with much left; rows with less than @a least only when there is
 * no other way. */
static void set_grow_prices(search_t *search, double least, double power)
{
    const mtree_choice_t *choice = search->choice;

    for (int row = 0; row < choice->candidates->num_rows; ++row) {
        double part = fmax(choice->left[row], 0.0) / choice->generator->master->scale;

        search->grow_price[row] = pow(part + 1e-3, -power);
        if (choice->left[row] < least * (1.0 - 1e-9)) {
            search->grow_price[row] *= 1e6;
        }
    }
    search->choice->work += 30.0 * choice->candidates->num_rows;
}

/* What a second of distance costs if a distance of T counts @a shallow times as much as
 * the whole tree does at the mean price of a row. */
static double distance_price(const search_t *search, double shallow)
{
    const mtree_candidates_t *candidates = search->choice->candidates;
    double time = search->choice->generator->master->time;
    double sum = 0.0;

    for (int row = 0; row < candidates->num_rows && time > 0.0; ++row) {
        sum += fmin(search->grow_price[row], 1e3);
    }
    return time > 0.0
               ? shallow * sum / candidates->num_rows * candidates->num_hosts / time
               : 0.0;
}

/* Grow a tree into place @a t on what is left. */
static bool grow_tree(search_t *search, int t, double least, double power, double shallow)
{
    mtree_choice_t *choice = search->choice;
    mtree_generator_t *generator = choice->generator;
    const mtree_candidates_t *candidates = choice->candidates;
    mtree_grow_options_t options = {.max_height = generator->pool->max_height};
    int root = candidates->directed ? mtree_generator_root(generator, 0)
                                    : generator->pool->columns[0].root;

    set_grow_prices(search, least, power);
    options.spread = candidates->num_edges > candidates->num_rows ? 1.0 : 0.0;
    options.distance_price = distance_price(search, shallow);
    choice->work +=
        (double)candidates->num_hosts * candidates->num_hosts + candidates->num_edges;
    if (!mtree_grower_run(generator->grower, search->grow_price, root, &options,
                          choice->trees[t].edges)) {
        return false;
    }
    mtree_choice_refresh(choice, t);
    return true;
}

/* The rate that what is left allows for the tree in place @a t. */
static double room_for(const mtree_choice_t *choice, int t)
{
    double rate = INFINITY;

    for (int row = 0; row < choice->candidates->num_rows; ++row) {
        if (choice->uses[t][row] > 0) {
            rate = fmin(rate, choice->left[row] / choice->uses[t][row]);
        }
    }
    return rate;
}

static void take(mtree_choice_t *choice, int t, double rate)
{
    for (int row = 0; row < choice->candidates->num_rows; ++row) {
        choice->left[row] -= rate * choice->uses[t][row];
    }
}

static void leave_all(mtree_choice_t *choice)
{
    memcpy(choice->left, choice->candidates->capacity,
           (size_t)choice->candidates->num_rows * sizeof(*choice->left));
}

/* Trees one after the other, each given up to @a aim of what is left. */
static void start_growing(search_t *search, double aim, double shallow)
{
    mtree_choice_t *choice = search->choice;

    leave_all(choice);
    while (choice->num_trees < choice->max_trees) {
        double rate;

        if (!grow_tree(search, choice->num_trees, aim, powers[0], shallow)) {
            break;
        }
        rate = fmin(aim, room_for(choice, choice->num_trees));
        if (rate <= 1e-6 * aim) {
            break;
        }
        take(choice, choice->num_trees++, rate);
    }
}

/* Those of @a count trees that deliver most at their rates. */
static void start_from(mtree_choice_t *choice, const mtree_column_t *trees,
                       const double *rate, int count)
{
    double limit = INFINITY;
    int last = -1;

    while (choice->num_trees < choice->max_trees) {
        double most = 0.0;
        int best = -1;

        for (int t = 0; t < count; ++t) {
            double worth =
                rate[t] * mtree_master_weight(choice->generator->master, &trees[t]);

            if (worth > most && (worth < limit || (worth == limit && t > last))) {
                most = worth;
                best = t;
            }
        }
        if (best < 0) {
            break;
        }
        limit = most;
        last = best;
        mtree_choice_set(choice, choice->num_trees++, trees[best].edges);
    }
}

static void begin(search_t *search, const start_t *start)
{
    mtree_choice_t *choice = search->choice;
    const mtree_generator_t *generator = choice->generator;

    choice->num_trees = 0;
    switch (start->origin) {
    case FROM_MASTER:
        start_from(choice, generator->pool->columns, generator->master->rate,
                   generator->master->num_columns);
        break;
    case FROM_HINT:
        start_from(choice, search->hint->trees, search->hint->rate,
                   search->hint->num_trees);
        break;
    case GROWN:
        start_growing(search, start->aim, start->shallow);
        break;
    }
    mtree_choice_solve(choice);
}

/* Is there nothing to gain any more, or no work left for as little as there is? */
static bool is_done(const search_t *search)
{
    double gap = 1.0 - search->choice->best_value / search->most;
    double part = fmin(1.0, pow(gap / WORTH_ALL, 2.0));

    return gap <= GOOD_ENOUGH ||
           mtree_choice_work(search->choice) >= search->max_work * fmax(part, LEAST_PART);
}

/* List the starts with what each is worth before it is improved; returns their number. */
static int list_starts(search_t *search, start_t *starts)
{
    double aim = search->most / search->choice->max_trees;
    int num_shallows = search->choice->generator->master->time > 0.0 ? NUM_SHALLOWS : 1;
    int listed = 0, count = 0;

    starts[listed++] = (start_t){.origin = FROM_MASTER};
    starts[listed++] = (start_t){.origin = FROM_HINT};
    for (int a = 0; a < NUM_AIMS; ++a) {
        for (int s = 0; s < num_shallows; ++s) {
            starts[listed++] =
                (start_t){.origin = GROWN, .aim = aims[a] * aim, .shallow = shallows[s]};
        }
    }
    while (count < listed && !is_done(search)) {
        begin(search, &starts[count]);
        starts[count++].value = search->choice->value;
        mtree_choice_keep(search->choice);
    }
    return count;
}

static int start_compare(const void *left, const void *right)
{
    const start_t *a = left, *b = right;

    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    if (a->origin != b->origin) {
        return a->origin < b->origin ? -1 : 1;
    }
    if (a->aim != b->aim) {
        return a->aim > b->aim ? -1 : 1;
    }
    return (a->shallow > b->shallow) - (a->shallow < b->shallow);
}

/* Improve the starts that are worth most. */
static void improve_starts(search_t *search)
{
    mtree_choice_t *choice = search->choice;
    start_t starts[MAX_STARTS];
    int count = list_starts(search, starts);

    qsort(starts, (size_t)count, sizeof(*starts), start_compare);
    for (int s = 0; s < count && s < MAX_IMPROVED && !is_done(search) &&
                    mtree_choice_work(choice) < STARTS_PART * search->max_work;
         ++s) {
        begin(search, &starts[s]);
        mtree_exchanger_run(search->exchanger,
                            mtree_choice_work(choice) + START_PART * search->max_work);
        mtree_choice_keep(choice);
    }
}

/* Build tree @a t anew on what the others, with rates that suit them, leave. */
static bool rebuild_tree(search_t *search, int t, double power, double shallow)
{
    mtree_choice_t *choice = search->choice;
    int last = choice->num_trees - 1;

    mtree_choice_swap(choice, t, last);
    (void)mtree_choice_try(choice, last);
    leave_all(choice);
    for (int other = 0; other < last; ++other) {
        take(choice, other, choice->tableau->rate[other]);
    }
    if (!grow_tree(search, last, 0.0, power, shallow)) {
        return false;
    }
    mtree_choice_solve(choice);
    return true;
}

/* Rebuild one tree, or later in the search several at once; false when one cannot be
 * grown. */
static bool rebuild_some(search_t *search, int kick)
{
    mtree_choice_t *choice = search->choice;
    int round = kick / choice->num_trees;
    int count = 1 + round / NUM_POWERS % MAX_REBUILT;

    for (int r = 0; r < count; ++r) {
        /* The tree rebuilt goes to the last place, so the next one is another. */
        if (!rebuild_tree(search, (kick + r * round) % choice->num_trees,
                          powers[round % NUM_POWERS], shallows[kick % NUM_SHALLOWS])) {
            return false;
        }
    }
    return true;
}

/*
 * Rebuild trees and improve, in turn for as long as there is work left, from the best
 * choice or the last one that is as good.
 */
static void kick(search_t *search)
{
    mtree_choice_t *choice = search->choice;

    mtree_choice_restore(choice);
    for (int k = 0; k < MAX_KICKS && !is_done(search); ++k) {
        if (choice->num_trees < choice->max_trees) {
            mtree_choice_set(choice, choice->num_trees, choice->best_edges);
            ++choice->num_trees;
        }
        if (!rebuild_some(search, k)) {
            break;
        }
        mtree_exchanger_run(search->exchanger, search->max_work);
        mtree_choice_keep(choice);
        if (choice->value < choice->best_value) {
            mtree_choice_restore(choice);
        }
    }
    mtree_choice_restore(choice);
}

/* Drop the tree with the least rate while that rate is too low or nothing. */
static void drop_slow(mtree_choice_t *choice, double min_rate)
{
    for (;;) {
        int slowest = 0;

        for (int t = 1; t < choice->num_trees; ++t) {
            slowest = choice->rate[t] < choice->rate[slowest] ? t : slowest;
        }
        if (choice->num_trees <= 1 || (choice->rate[slowest] >= min_rate &&
                                       choice->rate[slowest] > choice->value * 1e-9)) {
            return;
        }
        mtree_choice_swap(choice, slowest, --choice->num_trees);
        mtree_choice_solve(choice);
    }
}

static mtree_status_t hand_over(const mtree_choice_t *choice, mtree_tree_set_t *set_p)
{
    mtree_status_t status =
        mtree_tree_set_create(choice->generator, choice->num_trees, set_p);

    for (int t = 0; t < choice->num_trees && status == MTREE_OK; ++t) {
        mtree_tree_set_append(set_p, choice->num_edges, &choice->trees[t],
                              choice->rate[t]);
    }
    return status;
}

mtree_status_t mtree_thin(mtree_generator_t *generator, const mtree_tree_set_t *hint,
                          int max_trees, double min_rate, double most, double work,
                          mtree_tree_set_t *set_p)
{
    search_t search = {.hint = hint, .most = most, .max_work = work};
    mtree_status_t status = search_init(&search, generator, max_trees);

    if (status == MTREE_OK) {
        improve_starts(&search);
        kick(&search);
        drop_slow(search.choice, min_rate);
        status = hand_over(search.choice, set_p);
    }
    search_free(&search);
    return status;
}
