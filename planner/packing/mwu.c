/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/mwu.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sizes, each half of the one before. */
#define MAX_LEVELS 16

/* Trees of one size: this many for each time that all rows are used once, but no fewer
 * than the least. */
#define TREES_PER_COVER 6.0
#define MIN_ROUNDS      4

/* A row that is loaded this many trees more than another costs e times as much. */
#define SOFTNESS 2.0

/* How far below the worst load, as a part of it, a row may be to count as loaded like it;
 * each is tried. */
static const double margins[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1};

#define NUM_MARGINS ((int)(sizeof(margins) / sizeof(margins[0])))

/* Where a tree of each group takes more than this many looks at edges, all groups share
 * one tree. */
#define MAX_LOOKS 6e7

typedef struct {
    mtree_generator_t *generator;
    double *mean_price; /* [num_rows] sum of the prices of this level */
    double *load;       /* [num_rows] */
    double *size;       /* [pool] of each tree of the pool; trees laid twice add up */
    int size_room;
    double level; /* the size of a tree now, as a part of the mean capacity */
    double mean;  /* capacity, bits/s */
    double laid;  /* sum of the sizes of each group's trees */
} spread_t;

/* The greatest load over capacity. */
static double worst_load(const spread_t *spread)
{
    const mtree_candidates_t *candidates = spread->generator->candidates;
    double worst = 0.0;

    for (int row = 0; row < candidates->num_rows; ++row) {
        worst = fmax(worst, spread->load[row] / candidates->capacity[row]);
    }
    return worst;
}

static void set_prices(spread_t *spread)
{
    const mtree_candidates_t *candidates = spread->generator->candidates;
    double worst = worst_load(spread);
    double soft = SOFTNESS * spread->level / spread->mean;
    double value = 0.0;

    for (int row = 0; row < candidates->num_rows; ++row) {
        double load = spread->load[row] / candidates->capacity[row];

        spread->generator->row_price[row] =
            exp(fmax(-600.0, (load - worst) / soft)) / candidates->capacity[row];
    }
    for (int row = 0; row < candidates->num_rows; ++row) {
        value += spread->generator->row_price[row] * candidates->capacity[row];
    }
    for (int row = 0; row < candidates->num_rows; ++row) {
        spread->mean_price[row] += spread->generator->row_price[row] / value;
    }
    spread->generator->work += 20.0 * candidates->num_rows;
}

/* Count the tree in generator->edges as laid. */
static mtree_status_t lay(spread_t *spread, int group)
{
    mtree_generator_t *generator = spread->generator;
    const mtree_candidates_t *candidates = generator->candidates;
    int column;
    mtree_status_t status =
        mtree_pool_add(generator->pool, group, mtree_generator_root(generator, group),
                       generator->edges, &column);

    if (status != MTREE_OK) {
        return status;
    }
    if (column >= spread->size_room) {
        int room = generator->pool->room;
        double *size = realloc(spread->size, (size_t)room * sizeof(*size));

        if (size == NULL) {
            return MTREE_ERR_NO_MEMORY;
        }
        memset(size + spread->size_room, 0,
               (size_t)(room - spread->size_room) * sizeof(*size));
        spread->size = size;
        spread->size_room = room;
    }
    spread->size[column] += spread->level;
    memset(generator->uses, 0, (size_t)candidates->num_rows * sizeof(*generator->uses));
    mtree_pool_count(generator->pool, generator->edges, generator->uses);
    for (int row = 0; row < candidates->num_rows; ++row) {
        spread->load[row] += spread->level * generator->uses[row];
    }
    return MTREE_OK;
}

/* One tree of each group. */
static mtree_status_t lay_round(spread_t *spread)
{
    mtree_generator_t *generator = spread->generator;
    int num_groups = generator->master->num_groups;
    mtree_status_t status = MTREE_OK;

    for (int g = 0; g < num_groups && status == MTREE_OK; ++g) {
        double cost;

        set_prices(spread);
        status = mtree_generator_cheapest(generator, generator->row_price, g, &cost);
        if (status == MTREE_OK && num_groups == 1) {
            mtree_generator_offer_bound(generator, generator->row_price, cost);
        }
        if (status == MTREE_OK) {
            mtree_generator_balance(generator, generator->row_price, g);
            status = lay(spread, g);
        }
    }
    spread->laid += spread->level;
    return status;
}

/* The bound that the prices in generator->row_price prove for all groups together. */
static mtree_status_t offer_prices(const spread_t *spread)
{
    mtree_generator_t *generator = spread->generator;
    double sum = 0.0;
    mtree_status_t status = MTREE_OK;

    for (int g = 0; g < generator->master->num_groups && status == MTREE_OK; ++g) {
        double cost;

        status = mtree_generator_cheapest(generator, generator->row_price, g, &cost);
        sum += cost;
    }
    if (status == MTREE_OK) {
        mtree_generator_offer_bound(generator, generator->row_price, sum);
    }
    return status;
}

/*
 * Prove what the loads of this level show.  On links of their own the rows loaded like
 * the worst are the tightest partition's, and a price of one on each proves it; in
 * general the mean of the prices that the trees were laid under comes close.
 */
static mtree_status_t prove(spread_t *spread)
{
    const mtree_candidates_t *candidates = spread->generator->candidates;
    double *row_price = spread->generator->row_price;
    double worst = worst_load(spread);
    mtree_status_t status = MTREE_OK;

    for (int m = 0; m < NUM_MARGINS && status == MTREE_OK; ++m) {
        for (int row = 0; row < candidates->num_rows; ++row) {
            row_price[row] = spread->load[row] >=
                             (1.0 - margins[m]) * worst * candidates->capacity[row];
        }
        status = offer_prices(spread);
    }
    memcpy(row_price, spread->mean_price,
           (size_t)candidates->num_rows * sizeof(*row_price));
    return status == MTREE_OK ? offer_prices(spread) : status;
}

static bool is_close(const spread_t *spread, double tolerance)
{
    return spread->laid / worst_load(spread) >=
           spread->generator->bound * (1.0 - tolerance);
}

/* Lay @a rounds trees of one size, proving what there is after each power of two, or, as
 * a proof takes a tree of every group several times, at the end only. */
static mtree_status_t lay_level(spread_t *spread, int rounds, double tolerance,
                                double work)
{
    bool proves_often = spread->generator->master->num_groups == 1;
    mtree_status_t status = MTREE_OK;

    for (int round = 1; round <= rounds && status == MTREE_OK; ++round) {
        bool is_last = round == rounds || spread->generator->work > work;

        status = lay_round(spread);
        if (status == MTREE_OK &&
            (is_last || (proves_often && (round & (round - 1)) == 0))) {
            status = prove(spread);
        }
        if (is_last || is_close(spread, tolerance)) {
            break;
        }
    }
    return status;
}

static mtree_status_t lay_levels(spread_t *spread, double tolerance, double work)
{
    const mtree_candidates_t *candidates = spread->generator->candidates;
    double cover = (double)candidates->num_rows / (candidates->num_hosts - 1);
    double wanted = ceil(TREES_PER_COVER * cover / spread->generator->master->num_groups);
    int rounds = (int)fmax(MIN_ROUNDS, wanted);
    mtree_status_t status = MTREE_OK;

    for (int level = 0; level < MAX_LEVELS && status == MTREE_OK; ++level) {
        status = lay_level(spread, rounds, tolerance, work);
        if (spread->generator->work > work || is_close(spread, tolerance)) {
            break;
        }
        spread->level /= 2.0;
        memset(spread->mean_price, 0,
               (size_t)candidates->num_rows * sizeof(*spread->mean_price));
    }
    return status;
}

/* The trees laid, with the rates that load the worst row fully. */
static mtree_status_t collect(const spread_t *spread, mtree_tree_set_t *set_p,
                              double *x_p)
{
    const mtree_generator_t *generator = spread->generator;
    double worst = worst_load(spread);
    int count = 0;
    mtree_status_t status;

    for (int c = 0; c < generator->pool->num_columns && c < spread->size_room; ++c) {
        count += spread->size[c] > 0.0;
    }
    status = mtree_tree_set_create(generator, count, set_p);
    if (status != MTREE_OK) {
        return status;
    }
    for (int c = 0; set_p->num_trees < count; ++c) {
        if (spread->size[c] > 0.0) {
            mtree_tree_set_append(set_p, generator->candidates->num_hosts - 1,
                                  &generator->pool->columns[c], spread->size[c] / worst);
        }
    }
    *x_p = spread->laid / worst;
    return MTREE_OK;
}

/*
 * What enters a host: a row that every edge into it uses is used by each tree that has
 * its root elsewhere.
 */
static void offer_entrances(spread_t *spread)
{
    mtree_generator_t *generator = spread->generator;
    const mtree_candidates_t *candidates = generator->candidates;
    int num_groups = generator->master->num_groups;
    double *row_price = generator->row_price;

    memset(row_price, 0, (size_t)candidates->num_rows * sizeof(*row_price));
    for (int host = 0; host < candidates->num_hosts; ++host) {
        int first = candidates->in_first[host], last = candidates->in_first[host + 1];
        int rooted = num_groups > 1 ||
                     (candidates->directed && mtree_generator_root(generator, 0) == host);

        if (first == last || num_groups == rooted) {
            continue;
        }
        memset(generator->uses, 0,
               (size_t)candidates->num_rows * sizeof(*generator->uses));
        for (int e = first; e < last; ++e) {
            for (int use = candidates->first[candidates->in[e]];
                 use < candidates->first[candidates->in[e] + 1]; ++use) {
                ++generator->uses[candidates->rows[use]];
            }
        }
        for (int row = 0; row < candidates->num_rows; ++row) {
            if (generator->uses[row] >= last - first) {
                row_price[row] = 1.0;
                mtree_generator_offer_bound(generator, row_price, num_groups - rooted);
                row_price[row] = 0.0;
            }
        }
    }
}

/*
 * Lay one tree, and for every other root the same turned round: what every host sends
 * then passes each edge once, one way or the other.
 */
static mtree_status_t lay_shared(spread_t *spread)
{
    mtree_generator_t *generator = spread->generator;
    const mtree_candidates_t *candidates = generator->candidates;
    int num_edges = candidates->num_hosts - 1;
    int *shared = malloc((size_t)candidates->num_hosts * sizeof(*shared));
    double cost;
    mtree_status_t status = shared == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK;

    set_prices(spread);
    if (status == MTREE_OK) {
        status = mtree_generator_cheapest(generator, generator->row_price, 0, &cost);
    }
    if (status == MTREE_OK) {
        mtree_generator_balance(generator, generator->row_price, 0);
        memcpy(shared, generator->edges, (size_t)num_edges * sizeof(*shared));
    }
    for (int g = 0; g < generator->master->num_groups && status == MTREE_OK; ++g) {
        memcpy(generator->edges, shared, (size_t)num_edges * sizeof(*shared));
        status = mtree_candidates_turn(candidates, g, generator->edges);
        if (status == MTREE_OK) {
            status = lay(spread, g);
        }
    }
    spread->laid += spread->level;
    free(shared);
    return status;
}

mtree_status_t mtree_spread(mtree_generator_t *generator, double tolerance, double work,
                            mtree_tree_set_t *set_p, double *x_p)
{
    const mtree_candidates_t *candidates = generator->candidates;
    spread_t spread = {
        .generator = generator, .level = 1.0, .mean = generator->master->scale};
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    spread.load = calloc((size_t)candidates->num_rows + 1, sizeof(*spread.load));
    spread.mean_price =
        calloc((size_t)candidates->num_rows + 1, sizeof(*spread.mean_price));
    if (spread.load != NULL && spread.mean_price != NULL) {
        offer_entrances(&spread);
        status = (double)generator->master->num_groups * candidates->num_edges > MAX_LOOKS
                     ? lay_shared(&spread)
                     : lay_levels(&spread, tolerance, work);
    }
    if (status == MTREE_OK) {
        status = collect(&spread, set_p, x_p);
    }
    free(spread.load);
    free(spread.mean_price);
    free(spread.size);
    return status;
}
