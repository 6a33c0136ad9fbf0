/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least time for a size: Newton's method on T around the packing's linear program.
 */
#include "planner/packing/colgen.h"

#include "planner/graph/candidate_trees.h"
#include "planner/packing/columns.h"

#include <math.h>
#include <stdbool.h>

/* Roots from which shallow trees are grown, and how much a second of distance may cost in
 * them, as parts of what it costs a whole tree. */
#define MAX_ROOTS 64
static const double distance_parts[] = {0.0, 0.02, 0.06, 0.2, 0.6, 2.0, 1e3};

#define NUM_DISTANCE_PARTS ((int)(sizeof(distance_parts) / sizeof(distance_parts[0])))

/* Trees that one round adds: at least, and one for this many constraints. */
#define BEST_OFFERS    8
#define ROWS_PER_OFFER 8

/* T is taken down when that changes it by more than this part, at the end by more than
 * that. */
#define TIME_STEP      0.01
#define TIME_TOLERANCE 1e-6

/* The search ends when this many rounds of new trees have taken T down by less than this
 * part. */
#define STALL_ROUNDS 8
#define STALL_GAIN   5e-4

/* What a tree gains at the present prices: minus its reduced cost. */
static double gain(const mtree_colgen_t *colgen, const mtree_column_t *column)
{
    const mtree_master_t *master = colgen->master;

    return master->group_price[column->group] * mtree_master_weight(master, column) -
           mtree_candidates_tree_price(colgen->candidates, colgen->price, column->edges);
}

/* The trees that gain most so far, the best first. */
typedef struct {
    int count, room;
    double *gain;
    int *column;
} ranking_t;

static void rank(ranking_t *ranking, int column, double gain)
{
    int place;

    if (gain <= MTREE_GAIN ||
        (ranking->count == ranking->room && gain <= ranking->gain[ranking->count - 1])) {
        return;
    }
    place = ranking->count < ranking->room ? ranking->count++ : ranking->count - 1;
    for (; place > 0 && ranking->gain[place - 1] < gain; --place) {
        ranking->gain[place] = ranking->gain[place - 1];
        ranking->column[place] = ranking->column[place - 1];
    }
    ranking->gain[place] = gain;
    ranking->column[place] = column;
}

/* Add the trees of @a offers that gain most: all of them would slow the linear program
 * down.  *added_p counts them. */
static mtree_status_t add_best(mtree_colgen_t *colgen, const mtree_columns_t *offers,
                               int *added_p)
{
    ranking_t ranking = {.room = BEST_OFFERS + colgen->master->num_groups +
                                 colgen->candidates->num_constraints / ROWS_PER_OFFER};
    mtree_arena_t arena = {0};
    mtree_status_t status;

    MTREE_ARENA_ARRAY(&arena, ranking.gain, (size_t)ranking.room);
    MTREE_ARENA_ARRAY(&arena, ranking.column, (size_t)ranking.room);
    status = arena.status;
    if (status != MTREE_OK) {
        goto free_ranking;
    }
    mtree_candidates_price(colgen->candidates, colgen->master->constraint_price,
                           colgen->price);
    for (int c = 0; c < offers->num_columns; ++c) {
        rank(&ranking, c, gain(colgen, &offers->column[c]));
    }
    for (int r = 0; r < ranking.count && status == MTREE_OK; ++r) {
        const mtree_column_t *offer = &offers->column[ranking.column[r]];

        status = mtree_columns_add(colgen->columns, offer->group, offer->root,
                                   offer->edges, NULL);
    }
    colgen->work += (double)offers->num_columns * colgen->candidates->num_hosts;
    *added_p = ranking.count;

free_ranking:
    mtree_arena_cleanup(&arena);
    return status;
}

/* Grow shallow trees of a group from @a root into @a offers. */
static mtree_status_t offer_from_root(mtree_colgen_t *colgen, int group, int root,
                                      mtree_columns_t *offers)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    const mtree_master_t *master = colgen->master;
    double passes = candidates->directed ? 1.0 : 2.0;
    double second =
        master->time > 0.0 ? passes * master->group_price[group] / master->time : 0.0;
    mtree_status_t status = MTREE_OK;

    for (int p = 0; p < NUM_DISTANCE_PARTS && status == MTREE_OK; ++p) {
        mtree_prim_options_t options = {.distance_price = distance_parts[p] * second,
                                        .max_height = colgen->columns->max_height};

        if (mtree_prim_run(colgen->prim, master->constraint_price, root, &options,
                           colgen->edges)) {
            status = mtree_columns_add(offers, group, root, colgen->edges, NULL);
        }
        colgen->work += (double)candidates->num_hosts * candidates->num_hosts +
                        4.0 * candidates->num_edges + 10.0 * candidates->num_hosts;
        if (second <= 0.0) {
            break;
        }
    }
    return status;
}

/* The cheapest tree of a group, and shallow ones from its root, or from many when
 * undirected. */
static mtree_status_t offer_trees(mtree_colgen_t *colgen, int group,
                                  mtree_columns_t *offers)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    int root = mtree_colgen_root(colgen, group);
    int step = (candidates->num_hosts + MAX_ROOTS - 1) / MAX_ROOTS;
    double price;
    mtree_status_t status =
        mtree_colgen_cheapest(colgen, colgen->master->constraint_price, group, &price);

    if (status == MTREE_OK) {
        status = mtree_columns_add(offers, group, root, colgen->edges, NULL);
    }
    if (candidates->directed) {
        return status == MTREE_OK ? offer_from_root(colgen, group, root, offers) : status;
    }
    for (root = 0; root < candidates->num_hosts && status == MTREE_OK; root += step) {
        status = offer_from_root(colgen, group, root, offers);
    }
    return status;
}

/* Add trees that pay under the master's prices; *added_p is their number. */
static mtree_status_t price_shapes(mtree_colgen_t *colgen, int *added_p)
{
    mtree_columns_t *offers = NULL;
    mtree_status_t status =
        mtree_columns_create(colgen->candidates, colgen->columns->max_height, &offers);

    for (int g = 0; g < colgen->master->num_groups && status == MTREE_OK; ++g) {
        status = offer_trees(colgen, g, offers);
    }
    if (status == MTREE_OK) {
        status = add_best(colgen, offers, added_p);
    }
    mtree_columns_destroy(offers);
    return status;
}

mtree_status_t mtree_colgen_run_shaped(mtree_colgen_t *colgen, double work)
{
    mtree_status_t status;
    int added = 0, before;

    do {
        before = colgen->columns->num_columns;
        status = mtree_colgen_solve(colgen, work);
        if (status == MTREE_OK) {
            status = price_shapes(colgen, &added);
        }
    } while (status == MTREE_OK && added > 0 && colgen->columns->num_columns > before &&
             colgen->work < work);
    return status;
}

/* The time in which the master's rates deliver @a bits of each group: the slowest
 * group's. */
static double needed_time(const mtree_colgen_t *colgen, double bits)
{
    const mtree_master_t *master = colgen->master;
    double slowest = 0.0;

    for (int g = 0; g < master->num_groups; ++g) {
        double rate = 0.0, head = 0.0;

        for (int t = 0; t < master->num_columns; ++t) {
            const mtree_column_t *column = &colgen->columns->column[t];

            if (column->group == g && column->delay < master->time) {
                rate += master->rate[t];
                head += master->rate[t] * column->delay;
            }
        }
        slowest = fmax(slowest, rate > 0.0 ? (bits + head) / rate : INFINITY);
    }
    return slowest;
}

/* A time that is surely enough: the slowest delay, and the bits at the rates found so
 * far. */
static double enough_time(const mtree_colgen_t *colgen, double bits)
{
    double delay = 0.0;

    for (int c = 0; c < colgen->columns->num_columns; ++c) {
        delay = fmax(delay, colgen->columns->column[c].delay);
    }
    return delay + bits / colgen->master->x;
}

mtree_status_t mtree_colgen_run_time(mtree_colgen_t *colgen, double bits, double work,
                                     double *time_p)
{
    mtree_status_t status = mtree_colgen_solve(colgen, work);
    double time = enough_time(colgen, bits);
    double time_before = time;
    bool is_last = false;
    int rounds = 0;

    mtree_master_set_time(colgen->master, time);
    while (status == MTREE_OK) {
        int before = colgen->columns->num_columns;
        int added = 0;
        double next;

        status = mtree_colgen_solve(colgen, work);
        if (status != MTREE_OK) {
            break;
        }
        next = needed_time(colgen, bits);
        if (next < time * (1.0 - (is_last ? TIME_TOLERANCE : TIME_STEP))) {
            /* The rates are enough for less time: ask for that before looking for trees.
             */
            time = next;
            mtree_master_set_time(colgen->master, time);
            continue;
        }
        if (is_last) {
            break;
        }
        if (++rounds % STALL_ROUNDS == 0) {
            is_last = next > time_before * (1.0 - STALL_GAIN);
            time_before = next;
        }
        status = price_shapes(colgen, &added);
        is_last = is_last || added == 0 || colgen->columns->num_columns == before ||
                  colgen->work > work;
    }
    if (status == MTREE_OK) {
        *time_p = time;
    }
    return status;
}
