/*
 * The least time for a size: Newton's method on T around the packing's linear program.
 */
#include "planner/generate.h"

#include "planner/enumerate.h"

#include <math.h>
#include <stdlib.h>

/* Up to this many spanning trees, all are looked at, which makes the result exact. */
#define MAX_ENUMERATED 20000.0

/* Roots from which shallow trees are grown, and how much a second of distance may cost in
 * them, as parts of what it costs a whole tree. */
#define MAX_ROOTS 64
static const double distance_parts[] = {0.0, 0.02, 0.06, 0.2, 0.6, 2.0, 1e3};

#define NUM_DISTANCE_PARTS ((int)(sizeof(distance_parts) / sizeof(distance_parts[0])))

/* Trees of the enumerated that one round adds. */
#define BEST_OF_ALL 8

/* Newton's method stops when T changes by less than this part. */
#define TIME_TOLERANCE 1e-6
#define MAX_STEPS      60

/* What a tree is worth beyond its price. */
static double gain(const mtree_generator_t *generator, const mtree_column_t *column)
{
    const mtree_candidates_t *candidates = generator->candidates;
    const mtree_master_t *master = generator->master;
    double sum = 0.0;

    for (int e = 0; e + 1 < candidates->num_hosts; ++e) {
        sum += generator->price[column->edges[e]];
    }
    return master->group_price[column->group] * mtree_master_weight(master, column) - sum;
}

/* Add the trees of generator->all that gain most.  *added_p counts them. */
static mtree_status_t price_all(mtree_generator_t *generator, int *added_p)
{
    const mtree_pool_t *all = generator->all;
    double best_gain[BEST_OF_ALL];
    int best[BEST_OF_ALL];
    int count = 0;
    mtree_status_t status = MTREE_OK;

    for (int c = 0; c < all->num_columns; ++c) {
        double value = gain(generator, &all->columns[c]);
        int place;

        if (value <= MTREE_GAIN ||
            (count == BEST_OF_ALL && value <= best_gain[count - 1])) {
            continue;
        }
        place = count < BEST_OF_ALL ? count++ : count - 1;
        for (; place > 0 && best_gain[place - 1] < value; --place) {
            best_gain[place] = best_gain[place - 1];
            best[place] = best[place - 1];
        }
        best_gain[place] = value;
        best[place] = c;
    }
    for (int b = 0; b < count && status == MTREE_OK; ++b) {
        status = mtree_pool_add(generator->pool, 0, 0, all->columns[best[b]].edges, NULL);
    }
    generator->work += (double)all->num_columns * generator->candidates->num_hosts;
    *added_p += count;
    return status;
}

/* Add the tree in generator->edges when it gains. */
static mtree_status_t offer_tree(mtree_generator_t *generator, int group, int *added_p)
{
    mtree_column_t column = {.group = group, .edges = generator->edges};

    column.root = mtree_generator_root(generator, group);
    mtree_pool_measure(generator->pool, &column);
    if (gain(generator, &column) <= MTREE_GAIN) {
        return MTREE_OK;
    }
    ++*added_p;
    return mtree_pool_add(generator->pool, group, column.root, generator->edges, NULL);
}

/* Grow shallow trees of a group from @a root, and offer each. */
static mtree_status_t price_root(mtree_generator_t *generator, int group, int root,
                                 int *added_p)
{
    const mtree_candidates_t *candidates = generator->candidates;
    const mtree_master_t *master = generator->master;
    double ways = candidates->directed ? 1.0 : 2.0;
    double second =
        master->time > 0.0 ? ways * master->group_price[group] / master->time : 0.0;
    mtree_status_t status = MTREE_OK;

    for (int p = 0; p < NUM_DISTANCE_PARTS && status == MTREE_OK; ++p) {
        mtree_grow_options_t options = {.distance_price = distance_parts[p] * second,
                                        .max_height = generator->pool->max_height};

        if (mtree_grower_run(generator->grower, master->row_price, root, &options,
                             generator->edges)) {
            status = offer_tree(generator, group, added_p);
        }
        generator->work += (double)candidates->num_hosts * candidates->num_hosts +
                           4.0 * candidates->num_edges + 10.0 * candidates->num_hosts;
        if (second <= 0.0) {
            break;
        }
    }
    return status;
}

static mtree_status_t price_group(mtree_generator_t *generator, int group, int *added_p)
{
    const mtree_candidates_t *candidates = generator->candidates;
    double price;
    mtree_status_t status =
        mtree_generator_cheapest(generator, generator->master->row_price, group, &price);

    mtree_candidates_price(candidates, generator->master->row_price, generator->price);
    if (status == MTREE_OK) {
        status = offer_tree(generator, group, added_p);
    }
    if (candidates->directed) {
        return status == MTREE_OK
                   ? price_root(generator, group, mtree_generator_root(generator, group),
                                added_p)
                   : status;
    }
    int step = (candidates->num_hosts + MAX_ROOTS - 1) / MAX_ROOTS;

    for (int root = 0; root < candidates->num_hosts && status == MTREE_OK; root += step) {
        status = price_root(generator, group, root, added_p);
    }
    return status;
}

mtree_status_t mtree_generator_run_shaped(mtree_generator_t *generator, double work)
{
    mtree_status_t status;
    int added, before;

    do {
        added = 0;
        before = generator->pool->num_columns;
        status = mtree_generator_solve(generator);
        if (status == MTREE_OK && generator->all != NULL) {
            mtree_candidates_price(generator->candidates, generator->master->row_price,
                                   generator->price);
            status = price_all(generator, &added);
        }
        for (int g = 0; generator->all == NULL && g < generator->master->num_groups &&
                        status == MTREE_OK;
             ++g) {
            status = price_group(generator, g, &added);
        }
    } while (status == MTREE_OK && added > 0 && generator->pool->num_columns > before &&
             generator->work < work);
    return status;
}

/* The time in which the master's rates deliver @a bits of each group: the slowest
 * group's. */
static double needed_time(const mtree_generator_t *generator, double bits)
{
    const mtree_master_t *master = generator->master;
    double slowest = 0.0;

    for (int g = 0; g < master->num_groups; ++g) {
        double rate = 0.0, head = 0.0;

        for (int t = 0; t < master->num_columns; ++t) {
            const mtree_column_t *column = &generator->pool->columns[t];

            if (column->group == g && column->delay < master->time) {
                rate += master->rate[t];
                head += master->rate[t] * column->delay;
            }
        }
        slowest = fmax(slowest, rate > 0.0 ? (bits + head) / rate : INFINITY);
    }
    return slowest;
}

mtree_status_t mtree_generator_enumerate(mtree_generator_t *generator)
{
    if (generator->candidates->directed ||
        mtree_enumerate_count(generator->candidates) > MAX_ENUMERATED) {
        return MTREE_OK;
    }
    mtree_status_t status = mtree_pool_create(
        generator->candidates, generator->pool->max_height, &generator->all);

    return status == MTREE_OK
               ? mtree_enumerate_trees(generator->candidates, generator->all)
               : status;
}

/* A time that is surely enough: the slowest delay, and the bits at the rates found so
 * far. */
static double enough_time(const mtree_generator_t *generator, double bits)
{
    double delay = 0.0;

    for (int c = 0; c < generator->pool->num_columns; ++c) {
        delay = fmax(delay, generator->pool->columns[c].delay);
    }
    return delay + bits / generator->master->x;
}

mtree_status_t mtree_generator_run_time(mtree_generator_t *generator, double bits,
                                        double work, double *time_p)
{
    double time = enough_time(generator, bits);
    mtree_status_t status = MTREE_OK;

    for (int step = 0; step < MAX_STEPS && status == MTREE_OK; ++step) {
        double next;

        status = mtree_master_set_time(generator->master, time);
        if (status == MTREE_OK) {
            status = mtree_generator_run_shaped(generator, work);
        }
        if (status != MTREE_OK) {
            break;
        }
        next = needed_time(generator, bits);
        if (!(next < time * (1.0 - TIME_TOLERANCE))) {
            break;
        }
        time = next;
    }
    if (status == MTREE_OK) {
        *time_p = time;
    }
    return status;
}
