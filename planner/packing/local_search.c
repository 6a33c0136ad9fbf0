/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/local_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change must gain this part of the value to count, so that the search ends. */
#define GAIN 1e-9

/* Edges for which the linear program is solved at each place: the most promising. */
#define MAX_TRIES 4

/* How much a new edge that leaves room counts beside what the tree itself gains. */
#define ROOM_WORTH 1e-3

struct mtree_exchanger {
    mtree_choice_t *choice;
    int *parent;      /* [num_hosts] of the tree whose edges are exchanged */
    int *order;       /* [num_hosts] its hosts, each after its parent */
    double *distance; /* [num_hosts] seconds from its root */
    int *branch;      /* [num_hosts] the child of the root that a host is below */
    bool *longest;    /* [num_hosts] on one of the two longest paths from the root */
    bool *below;      /* [num_hosts] on the far side of the edge that goes */
    double *price;    /* [num_edges of candidates] */
    double *free;     /* [num_rows] what the other trees leave */
    int num_offers;
    int offer[MAX_TRIES]; /* edges, the most promising first */
    double promise[MAX_TRIES];
};

void mtree_exchanger_destroy(mtree_exchanger_t *exchanger)
{
    if (exchanger == NULL) {
        return;
    }
    free(exchanger->parent);
    free(exchanger->order);
    free(exchanger->distance);
    free(exchanger->branch);
    free(exchanger->longest);
    free(exchanger->below);
    free(exchanger->price);
    free(exchanger->free);
    free(exchanger);
}

mtree_status_t mtree_exchanger_create(mtree_choice_t *choice,
                                      mtree_exchanger_t **exchanger_p)
{
    const mtree_candidates_t *candidates = choice->candidates;
    size_t num_hosts = (size_t)candidates->num_hosts;
    mtree_exchanger_t *exchanger = calloc(1, sizeof(*exchanger));

    if (exchanger == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    exchanger->choice = choice;
    exchanger->parent = malloc(num_hosts * sizeof(*exchanger->parent));
    exchanger->order = malloc(num_hosts * sizeof(*exchanger->order));
    exchanger->distance = malloc(num_hosts * sizeof(*exchanger->distance));
    exchanger->branch = malloc(num_hosts * sizeof(*exchanger->branch));
    exchanger->longest = malloc(num_hosts * sizeof(*exchanger->longest));
    exchanger->below = malloc(num_hosts * sizeof(*exchanger->below));
    exchanger->price =
        malloc(((size_t)candidates->num_edges + 1) * sizeof(*exchanger->price));
    exchanger->free = malloc((size_t)candidates->num_rows * sizeof(*exchanger->free));
    if (exchanger->parent == NULL || exchanger->order == NULL ||
        exchanger->distance == NULL || exchanger->branch == NULL ||
        exchanger->longest == NULL || exchanger->below == NULL ||
        exchanger->price == NULL || exchanger->free == NULL) {
        mtree_exchanger_destroy(exchanger);
        return MTREE_ERR_NO_MEMORY;
    }
    *exchanger_p = exchanger;
    return MTREE_OK;
}

/* The farthest host from the root, of those not below its child @a but. */
static int farthest(const mtree_exchanger_t *exchanger, int but)
{
    int found = exchanger->order[0];

    for (int i = 1; i < exchanger->choice->candidates->num_hosts; ++i) {
        int host = exchanger->order[i];

        if (exchanger->branch[host] != but &&
            exchanger->distance[host] > exchanger->distance[found]) {
            found = host;
        }
    }
    return found;
}

/*
 * Mark the hosts on the two longest paths that part at the root of tree @a t, which is at
 * its centre when it has a choice: unless an edge of these goes, the delay stays.
 */
static void mark_longest(mtree_exchanger_t *exchanger, int t)
{
    const mtree_choice_t *choice = exchanger->choice;
    const mtree_candidates_t *candidates = choice->candidates;
    int root = exchanger->order[0];
    int first;

    for (int e = 0; e < choice->num_edges; ++e) {
        int edge = choice->trees[t].edges[e];
        int from = candidates->from[edge], to = candidates->to[edge];

        exchanger->distance[exchanger->parent[to] == from ? to : from] =
            candidates->latency[edge];
    }
    exchanger->distance[root] = 0.0;
    exchanger->branch[root] = -1;
    for (int i = 1; i < candidates->num_hosts; ++i) {
        int host = exchanger->order[i];
        int parent = exchanger->parent[host];

        exchanger->distance[host] += exchanger->distance[parent];
        exchanger->branch[host] = parent == root ? host : exchanger->branch[parent];
    }
    memset(exchanger->longest, 0,
           (size_t)candidates->num_hosts * sizeof(*exchanger->longest));
    first = farthest(exchanger, root);
    for (int at = first; at >= 0; at = exchanger->parent[at]) {
        exchanger->longest[at] = true;
    }
    for (int at = farthest(exchanger, exchanger->branch[first]); at >= 0;
         at = exchanger->parent[at]) {
        exchanger->longest[at] = true;
    }
}

/* Look at tree @a t: who its hosts' parents are, prices, and what the others leave it. */
static void look_at(mtree_exchanger_t *exchanger, int t)
{
    mtree_choice_t *choice = exchanger->choice;
    const mtree_candidates_t *candidates = choice->candidates;

    mtree_pool_parents(choice->generator->pool, &choice->trees[t], exchanger->parent,
                       exchanger->order);
    mark_longest(exchanger, t);
    mtree_candidates_price(candidates, choice->row_price, exchanger->price);
    for (int row = 0; row < candidates->num_rows; ++row) {
        exchanger->free[row] = choice->left[row] + choice->rate[t] * choice->uses[t][row];
    }
    choice->work += candidates->num_rows / 4.0 + candidates->first[candidates->num_edges];
}

/* Mark the hosts below @a child. */
static void mark_below(mtree_exchanger_t *exchanger, int child)
{
    int num_hosts = exchanger->choice->candidates->num_hosts;

    for (int i = 0; i < num_hosts; ++i) {
        int host = exchanger->order[i];
        int parent = exchanger->parent[host];

        exchanger->below[host] =
            host == child || (parent >= 0 && exchanger->below[parent]);
    }
    exchanger->choice->work += num_hosts / 4.0;
}

/* Can @a edge take the place of the one into @a child? */
static bool reconnects(const mtree_exchanger_t *exchanger, int edge, int child)
{
    const mtree_candidates_t *candidates = exchanger->choice->candidates;
    int from = candidates->from[edge], to = candidates->to[edge];

    if (candidates->directed) {
        return to == child && !exchanger->below[from];
    }
    return exchanger->below[from] != exchanger->below[to];
}

static void change_uses(const mtree_choice_t *choice, int *uses, int edge, int by)
{
    const mtree_candidates_t *candidates = choice->candidates;

    for (int use = candidates->first[edge]; use < candidates->first[edge + 1]; ++use) {
        uses[candidates->rows[use]] += by;
    }
}

/* The weight of tree @a t if its edge at @a place were @a edge. */
static double weight_with(mtree_choice_t *choice, int t, int place, int edge)
{
    mtree_column_t tree = choice->trees[t];
    int old = tree.edges[place];

    tree.edges[place] = edge;
    mtree_pool_measure(choice->generator->pool, &tree);
    tree.edges[place] = old;
    choice->work += 10.0 * choice->num_edges;
    return mtree_master_weight(choice->generator->master, &tree);
}

/* The value of the choice if edge @a place of tree @a t were @a edge. */
static double value_with(mtree_choice_t *choice, int t, int place, int edge)
{
    int old = choice->trees[t].edges[place];
    double weight = choice->weight[t], value;

    if (mtree_choice_is_shaped(choice)) {
        choice->weight[t] = weight_with(choice, t, place, edge);
    }
    change_uses(choice, choice->uses[t], old, -1);
    change_uses(choice, choice->uses[t], edge, 1);
    value = mtree_choice_try(choice, choice->num_trees);
    change_uses(choice, choice->uses[t], edge, -1);
    change_uses(choice, choice->uses[t], old, 1);
    choice->weight[t] = weight;
    return value;
}

/* The rate that a tree's edges allow it, the one at @a place apart, when the other trees
 * keep theirs. */
static double room_without(const mtree_exchanger_t *exchanger, int t, int place)
{
    const mtree_choice_t *choice = exchanger->choice;
    const mtree_candidates_t *candidates = choice->candidates;
    const int *uses = choice->uses[t];
    double room = INFINITY;

    for (int e = 0; e < choice->num_edges; ++e) {
        int edge = choice->trees[t].edges[e];

        for (int use = candidates->first[edge];
             e != place && use < candidates->first[edge + 1]; ++use) {
            int row = candidates->rows[use];

            room = fmin(room, exchanger->free[row] / uses[row]);
        }
    }
    return room;
}

static double room_on(const mtree_exchanger_t *exchanger, const int *uses, int edge)
{
    const mtree_candidates_t *candidates = exchanger->choice->candidates;
    double room = INFINITY;

    for (int use = candidates->first[edge]; use < candidates->first[edge + 1]; ++use) {
        int row = candidates->rows[use];

        room = fmin(room, exchanger->free[row] / (uses[row] + 1));
    }
    return room;
}

static void offer(mtree_exchanger_t *exchanger, int edge, double promise)
{
    int place = exchanger->num_offers;

    if (place == MAX_TRIES) {
        if (promise <= exchanger->promise[place - 1]) {
            return;
        }
        --place;
    } else {
        ++exchanger->num_offers;
    }
    for (; place > 0 && exchanger->promise[place - 1] < promise; --place) {
        exchanger->promise[place] = exchanger->promise[place - 1];
        exchanger->offer[place] = exchanger->offer[place - 1];
    }
    exchanger->promise[place] = promise;
    exchanger->offer[place] = edge;
}

/*
 * Collect the edges that promise most in the place of edge @a place of tree @a t.  The
 * present prices prove that nothing is gained unless the tree's weight grows by more than
 * its price, so others are left out.
 */
static void collect_offers(mtree_exchanger_t *exchanger, int t, int place, int child)
{
    mtree_choice_t *choice = exchanger->choice;
    const mtree_candidates_t *candidates = choice->candidates;
    int old = choice->trees[t].edges[place];
    bool shaped = mtree_choice_is_shaped(choice);
    bool may_shorten = choice->generator->master->time > 0.0 && exchanger->longest[child];
    double room = room_without(exchanger, t, place);

    exchanger->num_offers = 0;
    mark_below(exchanger, child);
    change_uses(choice, choice->uses[t], old, -1);
    for (int edge = 0; edge < candidates->num_edges; ++edge) {
        double own, promise, weight;

        if (edge == old ||
            (!may_shorten && exchanger->price[edge] >= exchanger->price[old]) ||
            !reconnects(exchanger, edge, child)) {
            continue;
        }
        own = room_on(exchanger, choice->uses[t], edge);
        promise = fmin(room, own) + ROOM_WORTH * own;
        if (exchanger->num_offers == MAX_TRIES &&
            promise <= exchanger->promise[MAX_TRIES - 1]) {
            continue;
        }
        weight = shaped ? weight_with(choice, t, place, edge) : choice->weight[t];
        if (weight - choice->weight[t] >
            exchanger->price[edge] - exchanger->price[old] + GAIN) {
            offer(exchanger, edge, weight * promise);
        }
    }
    change_uses(choice, choice->uses[t], old, 1);
    choice->work += candidates->num_edges + choice->num_edges;
}

/* The best exchange of edge @a place of tree @a t, -1: none. */
static int find_exchange(mtree_exchanger_t *exchanger, int t, int place)
{
    mtree_choice_t *choice = exchanger->choice;
    const mtree_candidates_t *candidates = choice->candidates;
    int old = choice->trees[t].edges[place];
    double most = choice->value * (1.0 + GAIN);
    int best = -1;

    int child = exchanger->parent[candidates->to[old]] == candidates->from[old]
                    ? candidates->to[old]
                    : candidates->from[old];

    if (exchanger->price[old] <= 0.0 &&
        (choice->generator->master->time <= 0.0 || !exchanger->longest[child])) {
        return -1;
    }
    collect_offers(exchanger, t, place, child);
    for (int o = 0; o < exchanger->num_offers; ++o) {
        double value = value_with(choice, t, place, exchanger->offer[o]);

        if (value > most) {
            most = value;
            best = exchanger->offer[o];
        }
    }
    return best;
}

/* Exchange edges of tree @a t while that gains; true when it did. */
static bool improve_tree(mtree_exchanger_t *exchanger, int t, double work)
{
    mtree_choice_t *choice = exchanger->choice;
    bool gained = false;

    look_at(exchanger, t);
    for (int place = 0; place < choice->num_edges && mtree_choice_work(choice) < work;
         ++place) {
        int edge = find_exchange(exchanger, t, place);

        if (edge >= 0) {
            choice->trees[t].edges[place] = edge;
            mtree_choice_refresh(choice, t);
            mtree_choice_solve(choice);
            look_at(exchanger, t);
            gained = true;
        }
    }
    return gained;
}

void mtree_exchanger_run(mtree_exchanger_t *exchanger, double work)
{
    mtree_choice_t *choice = exchanger->choice;
    bool gained = true;

    while (gained && mtree_choice_work(choice) < work) {
        gained = false;
        for (int t = 0; t < choice->num_trees; ++t) {
            gained = improve_tree(exchanger, t, work) || gained;
        }
    }
}
