/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/local_search.h"

#include "planner/graph/candidate_trees.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

struct mtree_local_search {
    mtree_selection_t *selection;
    int *parent;      /* [num_hosts] of the tree whose edges are exchanged */
    int *order;       /* [num_hosts] its hosts, each after its parent */
    double *distance; /* [num_hosts] seconds from its root */
    int *branch;      /* [num_hosts] the child of the root that a host is below */
    bool *longest;    /* [num_hosts] on one of the two longest paths from the root */
    bool *below;      /* [num_hosts] on the far side of the edge that goes */
    double *price;    /* [num_edges of candidates] */
    double *path;     /* [num_hosts] the price of a block's path from the root; 0 unless
                         personalized */
    double *free;     /* [num_constraints] what the other trees leave */
    int num_offers;
    int offer[MTREE_TUNED_MAX_TRIES]; /* edges, the most promising first */
    double promise[MTREE_TUNED_MAX_TRIES];
};

mtree_local_search_t *mtree_local_search_create(mtree_arena_t *arena,
                                                mtree_selection_t *selection)
{
    const mtree_candidates_t *candidates = selection->candidates;
    size_t num_hosts = (size_t)candidates->num_hosts;
    mtree_local_search_t *search;

    MTREE_ARENA_ARRAY(arena, search, 1);
    search->selection = selection;
    MTREE_ARENA_ARRAY(arena, search->parent, num_hosts);
    MTREE_ARENA_ARRAY(arena, search->order, num_hosts);
    MTREE_ARENA_ARRAY(arena, search->distance, num_hosts);
    MTREE_ARENA_ARRAY(arena, search->branch, num_hosts);
    MTREE_ARENA_ARRAY(arena, search->longest, num_hosts);
    MTREE_ARENA_ARRAY(arena, search->below, num_hosts);
    MTREE_ARENA_ARRAY(arena, search->price, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(arena, search->path, num_hosts);
    MTREE_ARENA_ARRAY(arena, search->free, (size_t)candidates->num_constraints);
    return search;
}

/* The farthest host from the root, of those not below its child @a but. */
static int farthest(const mtree_local_search_t *search, int but)
{
    int found = search->order[0];

    for (int i = 1; i < search->selection->candidates->num_hosts; ++i) {
        int host = search->order[i];

        if (search->branch[host] != but &&
            search->distance[host] > search->distance[found]) {
            found = host;
        }
    }
    return found;
}

/*
 * Mark the hosts on the two longest paths that part at the root of tree @a t, which is at
 * its centre when it has a selection: unless an edge of these goes, the delay stays.
 */
static void mark_longest(mtree_local_search_t *search, int t)
{
    const mtree_selection_t *selection = search->selection;
    const mtree_candidates_t *candidates = selection->candidates;
    int root = search->order[0];
    int first;

    for (int e = 0; e < selection->num_edges; ++e) {
        int edge = selection->trees[t].edges[e];
        int from = candidates->from[edge], to = candidates->to[edge];

        search->distance[search->parent[to] == from ? to : from] =
            candidates->latency[edge];
    }
    search->distance[root] = 0.0;
    search->branch[root] = -1;
    for (int i = 1; i < candidates->num_hosts; ++i) {
        int host = search->order[i];
        int parent = search->parent[host];

        search->distance[host] += search->distance[parent];
        search->branch[host] = parent == root ? host : search->branch[parent];
    }
    memset(search->longest, 0, (size_t)candidates->num_hosts * sizeof(*search->longest));
    first = farthest(search, root);
    for (int at = first; at >= 0; at = search->parent[at]) {
        search->longest[at] = true;
    }
    for (int at = farthest(search, search->branch[first]); at >= 0;
         at = search->parent[at]) {
        search->longest[at] = true;
    }
}

/* What blocks pay for their paths in tree @a t. */
static void price_paths(mtree_local_search_t *search, int t)
{
    const mtree_selection_t *selection = search->selection;
    const mtree_candidates_t *candidates = selection->candidates;

    for (int e = 0; e < selection->num_edges; ++e) {
        int edge = selection->trees[t].edges[e];

        search->path[candidates->to[edge]] = search->price[edge];
    }
    search->path[search->order[0]] = 0.0;
    for (int i = 1; i < candidates->num_hosts; ++i) {
        search->path[search->order[i]] += search->path[search->parent[search->order[i]]];
    }
}

/* What a block pays to the end of @a edge. */
static double price_over(const mtree_local_search_t *search, int edge)
{
    return search->path[search->selection->candidates->from[edge]] + search->price[edge];
}

/* Look at tree @a t: who its hosts' parents are, prices, and what the others leave it. */
static void look_at(mtree_local_search_t *search, int t)
{
    mtree_selection_t *selection = search->selection;
    const mtree_candidates_t *candidates = selection->candidates;

    mtree_tree_set_parents(selection->packer->shapes, &selection->trees[t],
                           search->parent, search->order);
    mark_longest(search, t);
    mtree_candidates_price(candidates, selection->constraint_price, search->price);
    if (candidates->is_personalized) {
        price_paths(search, t);
    }
    for (int c = 0; c < candidates->num_constraints; ++c) {
        search->free[c] = selection->left[c] + selection->rate[t] * selection->uses[t][c];
    }
    selection->work +=
        candidates->num_constraints / 4.0 + candidates->first[candidates->num_edges];
}

/* Mark the hosts below @a child. */
static void mark_below(mtree_local_search_t *search, int child)
{
    int num_hosts = search->selection->candidates->num_hosts;

    for (int i = 0; i < num_hosts; ++i) {
        int host = search->order[i];
        int parent = search->parent[host];

        search->below[host] = host == child || (parent >= 0 && search->below[parent]);
    }
    search->selection->work += num_hosts / 4.0;
}

/* Does @a edge join what is below the edge that goes to the rest of the tree? */
static bool reconnects(const mtree_local_search_t *search, int edge)
{
    const mtree_candidates_t *candidates = search->selection->candidates;

    return search->below[candidates->from[edge]] != search->below[candidates->to[edge]];
}

static void change_uses(const mtree_selection_t *selection, int *uses, int edge, int by)
{
    const mtree_candidates_t *candidates = selection->candidates;

    for (int use = candidates->first[edge]; use < candidates->first[edge + 1]; ++use) {
        uses[candidates->constraints[use]] += by;
    }
}

/* The weight of tree @a t if its edge at @a place were @a edge. */
static double weight_with(mtree_selection_t *selection, int t, int place, int edge)
{
    mtree_packed_t tree = selection->trees[t];
    int old = tree.edges[place];

    tree.edges[place] = edge;
    mtree_tree_set_measure(selection->packer->shapes, &tree);
    tree.edges[place] = old;
    selection->work += 10.0 * selection->num_edges;
    return mtree_packer_weight(selection->packer, &tree);
}

/* Make edge @a place of tree @a t @a edge, and count its uses anew: what crosses the
 * edges above depends on it, too, where it is personalized. */
static void replace_edge(mtree_selection_t *selection, int t, int place, int edge)
{
    int *edges = selection->trees[t].edges;

    if (selection->candidates->is_personalized) {
        edges[place] = edge;
        mtree_candidates_count(selection->candidates, edges, selection->uses[t]);
        selection->work += selection->num_edges;
        return;
    }
    change_uses(selection, selection->uses[t], edges[place], -1);
    change_uses(selection, selection->uses[t], edge, 1);
    edges[place] = edge;
}

/* The value of the selection if edge @a place of tree @a t were @a edge. */
static double value_with(mtree_selection_t *selection, int t, int place, int edge)
{
    int old = selection->trees[t].edges[place];
    double weight = selection->weight[t], value;

    if (mtree_selection_is_shaped(selection)) {
        selection->weight[t] = weight_with(selection, t, place, edge);
    }
    replace_edge(selection, t, place, edge);
    value = mtree_dense_simplex_solve(selection->simplex, selection->num_trees);
    replace_edge(selection, t, place, old);
    selection->weight[t] = weight;
    return value;
}

/* The rate that a tree's edges allow it, the one at @a place apart, when the other trees
 * keep theirs. */
static double room_without(const mtree_local_search_t *search, int t, int place)
{
    const mtree_selection_t *selection = search->selection;
    const mtree_candidates_t *candidates = selection->candidates;
    const int *uses = selection->uses[t];
    double room = INFINITY;

    for (int e = 0; e < selection->num_edges; ++e) {
        int edge = selection->trees[t].edges[e];

        for (int use = candidates->first[edge];
             e != place && use < candidates->first[edge + 1]; ++use) {
            int c = candidates->constraints[use];

            room = fmin(room, search->free[c] / uses[c]);
        }
    }
    return room;
}

static double room_on(const mtree_local_search_t *search, const int *uses, int edge,
                      int blocks)
{
    const mtree_candidates_t *candidates = search->selection->candidates;
    double room = INFINITY;

    for (int use = candidates->first[edge]; use < candidates->first[edge + 1]; ++use) {
        int c = candidates->constraints[use];

        room = fmin(room, search->free[c] / (uses[c] + blocks));
    }
    return room;
}

static void offer(mtree_local_search_t *search, int edge, double promise)
{
    int place = search->num_offers;

    if (place == MTREE_TUNED_MAX_TRIES) {
        if (promise <= search->promise[place - 1]) {
            return;
        }
        --place;
    } else {
        ++search->num_offers;
    }
    for (; place > 0 && search->promise[place - 1] < promise; --place) {
        search->promise[place] = search->promise[place - 1];
        search->offer[place] = search->offer[place - 1];
    }
    search->promise[place] = promise;
    search->offer[place] = edge;
}

/*
 * Collect the edges that promise most in the place of edge @a place of tree @a t.  The
 * present prices prove that nothing is gained unless the tree's weight grows by more than
 * its price, so others are left out.
 */
static void collect_offers(mtree_local_search_t *search, int t, int place, int child)
{
    mtree_selection_t *selection = search->selection;
    const mtree_candidates_t *candidates = selection->candidates;
    int old = selection->trees[t].edges[place];
    bool shaped = mtree_selection_is_shaped(selection);
    bool may_shorten = selection->packer->time > 0.0 && search->longest[child];
    double room = room_without(search, t, place);
    const int *carried = mtree_candidates_carried(candidates, selection->trees[t].edges);
    int blocks = carried == NULL ? 1 : carried[place];
    /* A directed edge takes the place of another one into the same host. */
    const int *into =
        candidates->directed ? candidates->in + candidates->in_first[child] : NULL;
    int num_edges = candidates->directed
                        ? candidates->in_first[child + 1] - candidates->in_first[child]
                        : candidates->num_edges;

    search->num_offers = 0;
    mark_below(search, child);
    change_uses(selection, selection->uses[t], old, -blocks);
    for (int i = 0; i < num_edges; ++i) {
        int edge = into != NULL ? into[i] : i;
        double own, promise, weight;

        if (edge == old ||
            (!may_shorten && price_over(search, edge) >= price_over(search, old)) ||
            !reconnects(search, edge)) {
            continue;
        }
        own = room_on(search, selection->uses[t], edge, blocks);
        promise = fmin(room, own) + MTREE_TUNED_ROOM_WEIGHT * own;
        if (search->num_offers == MTREE_TUNED_MAX_TRIES &&
            promise <= search->promise[MTREE_TUNED_MAX_TRIES - 1]) {
            continue;
        }
        weight = shaped ? weight_with(selection, t, place, edge) : selection->weight[t];
        if (weight - selection->weight[t] >
            blocks * (price_over(search, edge) - price_over(search, old)) +
                MTREE_SELECTION_GAIN) {
            offer(search, edge, weight * promise);
        }
    }
    change_uses(selection, selection->uses[t], old, blocks);
    selection->work += num_edges + selection->num_edges;
}

/* The best exchange of edge @a place of tree @a t, -1: none. */
static int find_exchange(mtree_local_search_t *search, int t, int place)
{
    mtree_selection_t *selection = search->selection;
    const mtree_candidates_t *candidates = selection->candidates;
    int old = selection->trees[t].edges[place];
    double most = selection->value * (1.0 + MTREE_SELECTION_GAIN);
    int best = -1;

    int child = search->parent[candidates->to[old]] == candidates->from[old]
                    ? candidates->to[old]
                    : candidates->from[old];

    if (price_over(search, old) <= 0.0 &&
        (selection->packer->time <= 0.0 || !search->longest[child])) {
        return -1;
    }
    collect_offers(search, t, place, child);
    for (int o = 0; o < search->num_offers; ++o) {
        double value = value_with(selection, t, place, search->offer[o]);

        if (value > most) {
            most = value;
            best = search->offer[o];
        }
    }
    return best;
}

/* Exchange edges of tree @a t while that gains; true when it did. */
static bool improve_tree(mtree_local_search_t *search, int t, double work)
{
    mtree_selection_t *selection = search->selection;
    bool gained = false;

    look_at(search, t);
    for (int place = 0;
         place < selection->num_edges && mtree_selection_work(selection) < work;
         ++place) {
        int edge = find_exchange(search, t, place);

        if (edge >= 0) {
            selection->trees[t].edges[place] = edge;
            mtree_selection_refresh(selection, t);
            mtree_selection_solve(selection);
            look_at(search, t);
            gained = true;
        }
    }
    return gained;
}

void mtree_local_search_run(mtree_local_search_t *search, double work)
{
    mtree_selection_t *selection = search->selection;
    bool gained = true;

    while (gained && mtree_selection_work(selection) < work) {
        gained = false;
        for (int t = 0; t < selection->num_trees; ++t) {
            gained = improve_tree(search, t, work) || gained;
        }
    }
}
