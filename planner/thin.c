#include "planner/thin.h"

#include "planner/tableau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change must gain this part of the value to count, so that the search ends. */
#define GAIN 1e-9

/* The search is over when the value is this close to what no set can exceed. */
#define GOOD_ENOUGH 1e-6

/* The rates that greedy starts aim at, as parts of the optimum over K. */
static const double aims[] = {1.1, 1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5};

#define NUM_AIMS ((int)(sizeof(aims) / sizeof(aims[0])))

/* How strongly wide rows are preferred when a tree is built anew; tried in turn. */
static const double powers[] = {2.0, 1.0, 4.0, 8.0};

#define NUM_POWERS ((int)(sizeof(powers) / sizeof(powers[0])))

/* How much distance counts in trees that are grown, where latency does; tried in turn. */
static const double shallows[] = {1.0, 0.0, 0.3, 3.0, 10.0};

#define NUM_SHALLOWS ((int)(sizeof(shallows) / sizeof(shallows[0])))

typedef struct {
    mtree_generator_t *generator;
    const mtree_candidates_t *candidates;
    mtree_tableau_t *tableau;
    int max_trees, num_trees;
    int num_edges;         /* of a tree */
    mtree_column_t *trees; /* [max_trees + 1]; the last is scratch for a tree on trial */
    int **uses;            /* [max_trees + 1] of the rows by each */
    double *weight;        /* [max_trees + 1] */
    double *rate, *row_price; /* of the set as it is */
    double value;
    int best_trees; /* the best set so far */
    double best_value;
    int *best_edges; /* [max_trees x num_edges] */
    int *parent;     /* [num_hosts] of the tree whose edges are exchanged */
    signed char
        *below;    /* [num_hosts] on the far side of the edge that goes; -1: not known */
    double *price; /* [num_edges of candidates] */
    double *left;  /* [num_rows] capacity that is left */
    double *grow_price; /* [num_rows] */
    double most;        /* no set's value exceeds it */
    double shallow;     /* how much distance counts when trees are grown; 0: not */
    double work, max_work;
} search_t;

static void search_free(search_t *search)
{
    mtree_tableau_destroy(search->tableau);
    for (int t = 0; t <= search->max_trees; ++t) {
        if (search->trees != NULL) {
            free(search->trees[t].edges);
        }
        if (search->uses != NULL) {
            free(search->uses[t]);
        }
    }
    free(search->trees);
    free(search->uses);
    free(search->weight);
    free(search->rate);
    free(search->row_price);
    free(search->best_edges);
    free(search->parent);
    free(search->below);
    free(search->price);
    free(search->left);
    free(search->grow_price);
}

static mtree_status_t search_init(search_t *search)
{
    const mtree_candidates_t *candidates = search->candidates;
    size_t num_rows = (size_t)candidates->num_rows, trees = (size_t)search->max_trees + 1;
    size_t num_hosts = (size_t)candidates->num_hosts;
    mtree_status_t status;

    search->trees = calloc(trees, sizeof(*search->trees));
    search->uses = calloc(trees, sizeof(*search->uses));
    search->weight = calloc(trees, sizeof(*search->weight));
    search->rate = calloc(trees, sizeof(*search->rate));
    search->row_price = calloc(num_rows, sizeof(*search->row_price));
    search->best_edges = malloc(trees * num_hosts * sizeof(*search->best_edges));
    search->parent = malloc(num_hosts * sizeof(*search->parent));
    search->below = malloc(num_hosts * sizeof(*search->below));
    search->price = malloc(((size_t)candidates->num_edges + 1) * sizeof(*search->price));
    search->left = malloc(num_rows * sizeof(*search->left));
    search->grow_price = malloc(num_rows * sizeof(*search->grow_price));
    status = mtree_tableau_create(candidates->num_rows, candidates->capacity,
                                  search->max_trees, &search->tableau);
    if (search->trees == NULL || search->uses == NULL || search->weight == NULL ||
        search->rate == NULL || search->row_price == NULL || search->best_edges == NULL ||
        search->parent == NULL || search->below == NULL || search->price == NULL ||
        search->left == NULL || search->grow_price == NULL) {
        status = MTREE_ERR_NO_MEMORY;
    }
    for (int t = 0; t <= search->max_trees && status == MTREE_OK; ++t) {
        search->trees[t].edges = malloc(num_hosts * sizeof(int));
        search->uses[t] = malloc(num_rows * sizeof(int));
        if (search->trees[t].edges == NULL || search->uses[t] == NULL) {
            status = MTREE_ERR_NO_MEMORY;
        }
    }
    return status;
}

/* Everything that follows from the edges of the tree in place @a t. */
static void refresh_tree(search_t *search, int t)
{
    mtree_column_t *tree = &search->trees[t];

    tree->root = mtree_generator_root(search->generator, 0);
    mtree_pool_measure(search->generator->pool, tree);
    memset(search->uses[t], 0, (size_t)search->candidates->num_rows * sizeof(int));
    mtree_pool_count(search->generator->pool, tree->edges, search->uses[t]);
    search->weight[t] = mtree_master_weight(search->generator->master, tree);
    search->work += 10.0 * search->num_edges + search->candidates->num_rows;
}

static void set_tree(search_t *search, int t, const int *edges)
{
    memcpy(search->trees[t].edges, edges, (size_t)search->num_edges * sizeof(*edges));
    refresh_tree(search, t);
}

/* The value of the set with the rates that suit it best. */
static double solve(search_t *search, int num_trees)
{
    search->work +=
        0.25 * (num_trees + 8.0) * (num_trees + 2.0) * search->candidates->num_rows;
    return mtree_tableau_solve(search->tableau, num_trees, search->uses, search->weight);
}

static void solve_set(search_t *search)
{
    const mtree_tableau_t *tableau = search->tableau;

    search->value = solve(search, search->num_trees);
    memcpy(search->rate, tableau->rate,
           (size_t)search->num_trees * sizeof(*search->rate));
    memcpy(search->row_price, tableau->row_price,
           (size_t)search->candidates->num_rows * sizeof(*search->row_price));
}

static void keep_best(search_t *search)
{
    if (search->value <= search->best_value * (1.0 + GAIN)) {
        return;
    }
    search->best_value = search->value;
    search->best_trees = search->num_trees;
    for (int t = 0; t < search->num_trees; ++t) {
        memcpy(search->best_edges + (size_t)t * (size_t)search->num_edges,
               search->trees[t].edges, (size_t)search->num_edges * sizeof(int));
    }
}

static void return_to_best(search_t *search)
{
    search->num_trees = search->best_trees;
    for (int t = 0; t < search->num_trees; ++t) {
        set_tree(search, t, search->best_edges + (size_t)t * (size_t)search->num_edges);
    }
    solve_set(search);
}

/* Exchange the contents of two places. */
static void swap_trees(search_t *search, int a, int b)
{
    mtree_column_t tree = search->trees[a];
    int *uses = search->uses[a];
    double weight = search->weight[a];

    search->trees[a] = search->trees[b];
    search->uses[a] = search->uses[b];
    search->weight[a] = search->weight[b];
    search->trees[b] = tree;
    search->uses[b] = uses;
    search->weight[b] = weight;
}

/* Mark the hosts below @a child in the tree of search->parent. */
static void mark_below(search_t *search, int child)
{
    int num_hosts = search->candidates->num_hosts;

    memset(search->below, -1, (size_t)num_hosts * sizeof(*search->below));
    search->below[child] = 1;
    for (int i = 0; i < num_hosts; ++i) {
        int at = i;

        while (search->below[at] < 0 && search->parent[at] >= 0) {
            at = search->parent[at];
        }

        signed char side = search->below[at] == 1;

        for (at = i; search->below[at] < 0; at = search->parent[at]) {
            search->below[at] = side;
            if (search->parent[at] < 0) {
                break;
            }
        }
    }
    search->work += 4.0 * num_hosts;
}

/* Can @a edge take the place of the one into @a child? */
static bool reconnects(const search_t *search, int edge, int child)
{
    const mtree_candidates_t *candidates = search->candidates;
    int from = candidates->from[edge], to = candidates->to[edge];

    if (candidates->directed) {
        return to == child && search->below[from] == 0;
    }
    return search->below[from] != search->below[to];
}

static void change_uses(const search_t *search, int *uses, int edge, int by)
{
    const mtree_candidates_t *candidates = search->candidates;

    for (int use = candidates->first[edge]; use < candidates->first[edge + 1]; ++use) {
        uses[candidates->rows[use]] += by;
    }
}

/* Does the weight of a tree depend on its shape? */
static bool shape_counts(const search_t *search)
{
    return search->generator->master->time > 0.0 ||
           search->generator->pool->max_height > 0;
}

/* The value of the set if edge @a place of tree @a t were @a edge. */
static double try_edge(search_t *search, int t, int place, int edge)
{
    mtree_column_t *tree = &search->trees[t];
    int old = tree->edges[place];
    double weight = search->weight[t];
    double value;

    change_uses(search, search->uses[t], old, -1);
    change_uses(search, search->uses[t], edge, 1);
    tree->edges[place] = edge;
    if (shape_counts(search)) {
        mtree_pool_measure(search->generator->pool, tree);
        search->weight[t] = mtree_master_weight(search->generator->master, tree);
        search->work += 10.0 * search->num_edges;
    }
    value = solve(search, search->num_trees);
    tree->edges[place] = old;
    search->weight[t] = weight;
    change_uses(search, search->uses[t], edge, -1);
    change_uses(search, search->uses[t], old, 1);
    return value;
}

/*
 * The best exchange of edge @a place of tree @a t.  The present prices stay a proof that
 * nothing is gained unless the new edge is cheaper under them (or the tree's weight
 * grows), so others are not tried.
 */
static int find_exchange(search_t *search, int t, int place)
{
    const mtree_candidates_t *candidates = search->candidates;
    int old = search->trees[t].edges[place];
    int child = search->parent[candidates->to[old]] == candidates->from[old]
                    ? candidates->to[old]
                    : candidates->from[old];
    double most = search->value * (1.0 + GAIN);
    int best = -1;

    mark_below(search, child);
    search->work += candidates->num_edges;
    for (int edge = 0; edge < candidates->num_edges && search->work < search->max_work;
         ++edge) {
        if (edge != old && search->price[edge] < search->price[old] * (1.0 - 1e-9) &&
            reconnects(search, edge, child)) {
            double value = try_edge(search, t, place, edge);

            if (value > most) {
                most = value;
                best = edge;
            }
        }
    }
    return best;
}

/* Exchange edges of tree @a t while that gains; true when it did. */
static bool improve_tree(search_t *search, int t)
{
    bool gained = false;

    mtree_pool_parents(search->generator->pool, &search->trees[t], search->parent);
    mtree_candidates_price(search->candidates, search->row_price, search->price);
    for (int place = 0; place < search->num_edges && search->work < search->max_work;
         ++place) {
        int edge = search->price[search->trees[t].edges[place]] <= 0.0
                       ? -1
                       : find_exchange(search, t, place);

        if (edge >= 0) {
            search->trees[t].edges[place] = edge;
            refresh_tree(search, t);
            solve_set(search);
            mtree_pool_parents(search->generator->pool, &search->trees[t],
                               search->parent);
            mtree_candidates_price(search->candidates, search->row_price, search->price);
            gained = true;
        }
    }
    return gained;
}

static void improve(search_t *search)
{
    bool gained = true;

    while (gained && search->work < search->max_work) {
        gained = false;
        for (int t = 0; t < search->num_trees; ++t) {
            gained = improve_tree(search, t) || gained;
        }
    }
    keep_best(search);
}

/* Grow a tree into place @a t that prefers rows with much left; those under @a least only
 * when it must. */
static bool grow_wide(search_t *search, int t, double least, double power)
{
    const mtree_candidates_t *candidates = search->candidates;
    mtree_grow_options_t options = {.max_height = search->generator->pool->max_height};
    int root = candidates->directed ? mtree_generator_root(search->generator, 0)
                                    : search->generator->pool->columns[0].root;

    options.spread = candidates->num_edges > candidates->num_rows ? 1.0 : 0.0;
    for (int row = 0; row < candidates->num_rows; ++row) {
        double part = fmax(search->left[row], 0.0) / search->generator->master->scale;

        search->grow_price[row] = pow(part + 1e-3, -power);
        if (search->left[row] < least * (1.0 - 1e-9)) {
            search->grow_price[row] *= 1e6;
        }
    }
    if (search->generator->master->time > 0.0) {
        double sum = 0.0;

        for (int row = 0; row < candidates->num_rows; ++row) {
            sum += fmin(search->grow_price[row], 1e3);
        }
        /* A distance of T then counts as much as the whole tree does, at the mean price
         * of a row. */
        options.distance_price = search->shallow * sum / candidates->num_rows *
                                 candidates->num_hosts / search->generator->master->time;
    }
    search->work += 30.0 * candidates->num_rows +
                    (double)candidates->num_hosts * candidates->num_hosts +
                    candidates->num_edges;
    if (!mtree_grower_run(search->generator->grower, search->grow_price, root, &options,
                          search->trees[t].edges)) {
        return false;
    }
    refresh_tree(search, t);
    return true;
}

/* The rate that what is left allows for the tree in place @a t. */
static double room_for(const search_t *search, int t)
{
    double rate = INFINITY;

    for (int row = 0; row < search->candidates->num_rows; ++row) {
        if (search->uses[t][row] > 0) {
            rate = fmin(rate, search->left[row] / search->uses[t][row]);
        }
    }
    return rate;
}

static void take(search_t *search, int t, double rate)
{
    for (int row = 0; row < search->candidates->num_rows; ++row) {
        search->left[row] -= rate * search->uses[t][row];
    }
}

/* Start afresh: trees one after the other, each given up to @a aim of what is left. */
static void start_greedily(search_t *search, double aim)
{
    memcpy(search->left, search->candidates->capacity,
           (size_t)search->candidates->num_rows * sizeof(*search->left));
    search->num_trees = 0;
    while (search->num_trees < search->max_trees) {
        double rate;

        if (!grow_wide(search, search->num_trees, aim, powers[0])) {
            break;
        }
        rate = fmin(aim, room_for(search, search->num_trees));
        if (rate <= 1e-6 * aim) {
            break;
        }
        take(search, search->num_trees++, rate);
    }
    solve_set(search);
}

/* Start from the master's trees that deliver most. */
static void start_from_master(search_t *search)
{
    const mtree_master_t *master = search->generator->master;
    double limit = INFINITY;

    search->num_trees = 0;
    while (search->num_trees < search->max_trees) {
        double most = 0.0;
        int best = -1;

        for (int c = 0; c < master->num_columns; ++c) {
            double worth =
                master->rate[c] *
                mtree_master_weight(master, &search->generator->pool->columns[c]);

            if (worth > most && worth < limit) {
                most = worth;
                best = c;
            }
        }
        if (best < 0) {
            break;
        }
        limit = most;
        set_tree(search, search->num_trees++,
                 search->generator->pool->columns[best].edges);
    }
    solve_set(search);
}

/* Build tree @a t anew on what the others, with rates that suit them, leave. */
static bool rebuild_tree(search_t *search, int t, double power)
{
    int last = search->num_trees - 1;

    swap_trees(search, t, last);
    (void)solve(search, last);
    memcpy(search->left, search->candidates->capacity,
           (size_t)search->candidates->num_rows * sizeof(*search->left));
    for (int other = 0; other < last; ++other) {
        take(search, other, search->tableau->rate[other]);
    }
    if (!grow_wide(search, last, 0.0, power)) {
        return false;
    }
    solve_set(search);
    return true;
}

/* Is there nothing to gain any more, or no work left? */
static bool is_done(const search_t *search)
{
    return search->work >= search->max_work ||
           search->best_value >= search->most * (1.0 - GOOD_ENOUGH);
}

/* Start from each beginning, improve the best, then rebuild trees in turn for as long as
 * there is work left. */
static void search_set(search_t *search)
{
    double aim = search->most / search->max_trees;

    start_from_master(search);
    keep_best(search);
    improve(search);
    for (int a = 0; a < NUM_AIMS && !is_done(search); ++a) {
        search->shallow = shallows[a % NUM_SHALLOWS];
        start_greedily(search, aims[a] * aim);
        improve(search);
    }
    for (int kick = 0; !is_done(search); ++kick) {
        search->shallow = shallows[kick % NUM_SHALLOWS];
        return_to_best(search);
        if (search->num_trees < search->max_trees) {
            set_tree(search, search->num_trees, search->best_edges);
            ++search->num_trees;
        }
        if (!rebuild_tree(search, kick % search->num_trees,
                          powers[kick / search->num_trees % NUM_POWERS])) {
            break;
        }
        improve(search);
        if (kick >= 4 * NUM_POWERS * search->max_trees) {
            break;
        }
    }
    return_to_best(search);
}

/* Drop the tree with the least rate while that rate is too low or nothing. */
static void drop_slow(search_t *search, double min_rate)
{
    for (;;) {
        int slowest = 0;

        for (int t = 1; t < search->num_trees; ++t) {
            slowest = search->rate[t] < search->rate[slowest] ? t : slowest;
        }
        if (search->num_trees <= 1 || (search->rate[slowest] >= min_rate &&
                                       search->rate[slowest] > search->value * 1e-9)) {
            return;
        }
        swap_trees(search, slowest, --search->num_trees);
        solve_set(search);
    }
}

static mtree_status_t hand_over(const search_t *search, mtree_tree_set_t *set_p)
{
    mtree_status_t status =
        mtree_tree_set_create(search->generator, search->num_trees, set_p);

    for (int t = 0; t < search->num_trees && status == MTREE_OK; ++t) {
        mtree_tree_set_append(set_p, search->num_edges, &search->trees[t],
                              search->rate[t]);
    }
    return status;
}

mtree_status_t mtree_thin(mtree_generator_t *generator, int max_trees, double min_rate,
                          double most, double work, mtree_tree_set_t *set_p)
{
    search_t search = {.generator = generator,
                       .candidates = generator->candidates,
                       .max_trees = max_trees,
                       .num_edges = generator->candidates->num_hosts - 1,
                       .most = most,
                       .max_work = work};
    mtree_status_t status = search_init(&search);

    if (status == MTREE_OK) {
        search_set(&search);
        drop_slow(&search, min_rate);
        status = hand_over(&search, set_p);
    }
    search_free(&search);
    return status;
}
