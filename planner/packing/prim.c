/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/prim.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

/* Of so many hosts that wait it is known which is the cheapest, as few of them change
 * while one joins. */
#define BLOCK 32

struct mtree_prim {
    const mtree_candidates_t *candidates;
    double *price;    /* [num_edges] */
    double *key;      /* [num_hosts] price of joining over `via` */
    int *via;         /* [num_hosts] edge, -1: none */
    double *distance; /* [num_hosts] seconds from the root, of hosts in the tree */
    double *path;     /* [num_hosts] price of the edges from the root that each block pays
                         by itself */
    int *height; /* [num_hosts] hops from the root, of hosts in the tree; -1: not in it */
    int *waiting; /* hosts not in the tree */
    int num_waiting;
    int *place;    /* [num_hosts] in `waiting`, of a host that waits */
    int *cheapest; /* [num_hosts / BLOCK + 1] the place of the first host with the least
                      key of a block of places; -1: none can join */
    int *load;     /* [num_constraints] uses by the tree */
    double *again; /* [num_constraints] what another use by the tree adds to the price */
};

mtree_prim_t *mtree_prim_create(mtree_arena_t *arena,
                                const mtree_candidates_t *candidates)
{
    size_t num_hosts = (size_t)candidates->num_hosts;
    mtree_prim_t *prim;

    MTREE_ARENA_ARRAY(arena, prim, 1);
    prim->candidates = candidates;
    MTREE_ARENA_ARRAY(arena, prim->price, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(arena, prim->key, num_hosts);
    MTREE_ARENA_ARRAY(arena, prim->via, num_hosts);
    MTREE_ARENA_ARRAY(arena, prim->distance, num_hosts);
    MTREE_ARENA_ARRAY(arena, prim->path, num_hosts);
    MTREE_ARENA_ARRAY(arena, prim->height, num_hosts);
    MTREE_ARENA_ARRAY(arena, prim->waiting, num_hosts);
    MTREE_ARENA_ARRAY(arena, prim->place, num_hosts);
    MTREE_ARENA_ARRAY(arena, prim->cheapest, num_hosts / BLOCK + 1);
    MTREE_ARENA_ARRAY(arena, prim->load, (size_t)candidates->num_constraints);
    MTREE_ARENA_ARRAY(arena, prim->again, (size_t)candidates->num_constraints);
    return prim;
}

/* What joining over @a edge from @a host costs now; of what is more than @a most, some
 * part that is. */
static double edge_key(const mtree_prim_t *prim, const mtree_prim_options_t *options,
                       int edge, int host, double most)
{
    const mtree_candidates_t *candidates = prim->candidates;
    double key = prim->path[host] + prim->price[edge];

    if (options->reuse_factor > 0.0) {
        for (int use = candidates->first[edge];
             use < candidates->first[edge + 1] && key <= most; ++use) {
            key += prim->again[candidates->constraints[use]];
        }
    }
    return key + options->hop_price * (prim->height[host] + 1) +
           options->distance_price * (prim->distance[host] + candidates->latency[edge]);
}

/* Find the cheapest host of the block of @a place. */
static void settle_block(mtree_prim_t *prim, int place)
{
    int begin = place / BLOCK * BLOCK, best = -1;
    double least = INFINITY;

    for (int w = begin; w < begin + BLOCK && w < prim->num_waiting; ++w) {
        if (prim->key[prim->waiting[w]] < least) {
            least = prim->key[prim->waiting[w]];
            best = w;
        }
    }
    prim->cheapest[place / BLOCK] = best;
}

/* The key of @a host, which waits, falls. */
static void lower_key(mtree_prim_t *prim, int host, double key, int via)
{
    int place = prim->place[host];
    int *best = &prim->cheapest[place / BLOCK];
    double least = *best < 0 ? INFINITY : prim->key[prim->waiting[*best]];

    prim->key[host] = key;
    prim->via[host] = via;
    if (key < least || (key <= least && place < *best)) {
        *best = place;
    }
}

/* The host at @a place of those that wait joins; the last one takes its place. */
static void leave(mtree_prim_t *prim, int place)
{
    int last = prim->waiting[--prim->num_waiting];

    prim->waiting[place] = last;
    prim->place[last] = place;
    settle_block(prim, place);
    settle_block(prim, prim->num_waiting);
}

/* Offer the edges of @a host, which has just joined, to the hosts that wait. */
static void offer_edges(mtree_prim_t *prim, const mtree_prim_options_t *options, int host)
{
    const mtree_candidates_t *candidates = prim->candidates;

    if (options->max_height > 0 && prim->height[host] >= options->max_height) {
        return;
    }
    for (int o = candidates->out_first[host]; o < candidates->out_first[host + 1]; ++o) {
        int edge = candidates->out[o];
        int other = mtree_candidates_other(candidates, edge, host);

        if (prim->height[other] < 0) {
            double key = edge_key(prim, options, edge, host, prim->key[other]);

            if (key < prim->key[other]) {
                lower_key(prim, other, key, edge);
            }
        }
    }
}

/* Compute anew the key of a waiting host, over all edges from the tree that can be seen
 * from it. */
static void refresh_key(mtree_prim_t *prim, const mtree_prim_options_t *options, int host)
{
    const mtree_candidates_t *candidates = prim->candidates;
    int via = prim->via[host];
    double most = edge_key(prim, options, via,
                           mtree_candidates_other(candidates, via, host), INFINITY);

    prim->key[host] = INFINITY;
    for (int o = candidates->in_first[host]; o < candidates->in_first[host + 1]; ++o) {
        int edge = candidates->in[o];
        int other = mtree_candidates_other(candidates, edge, host);

        if (prim->height[other] >= 0 &&
            (options->max_height == 0 || prim->height[other] < options->max_height)) {
            double key = edge_key(prim, options, edge, other, most);

            if (key < prim->key[host]) {
                prim->key[host] = key;
                prim->via[host] = edge;
            }
        }
    }
    settle_block(prim, prim->place[host]);
}

/* The place in `waiting` of the host with the least key, -1 when none can join. */
static int find_cheapest(const mtree_prim_t *prim)
{
    double least = INFINITY;
    int best = -1;

    for (int b = 0; b * BLOCK < prim->num_waiting; ++b) {
        int place = prim->cheapest[b];

        if (place >= 0 && prim->key[prim->waiting[place]] < least) {
            least = prim->key[prim->waiting[place]];
            best = place;
        }
    }
    return best;
}

static int take_cheapest(mtree_prim_t *prim, const mtree_prim_options_t *options)
{
    int best = find_cheapest(prim);

    if (options->reuse_factor <= 0.0 || best < 0) {
        return best;
    }
    for (int i = 0; i < MTREE_TUNED_REFRESHES; ++i) {
        int host = prim->waiting[best];
        double old = prim->key[host];

        refresh_key(prim, options, host);
        if (prim->key[host] <= old) {
            return best;
        }
        best = find_cheapest(prim);
    }
    /* Whichever host it is now, it joins over the edge that is best now. */
    refresh_key(prim, options, prim->waiting[best]);
    return best;
}

static void start(mtree_prim_t *prim, const double *constraint_price, int root,
                  const mtree_prim_options_t *options)
{
    const mtree_candidates_t *candidates = prim->candidates;

    mtree_candidates_price(candidates, constraint_price, prim->price);
    if (options->reuse_factor > 0.0) {
        memset(prim->load, 0, (size_t)candidates->num_constraints * sizeof(*prim->load));
        memset(prim->again, 0,
               (size_t)candidates->num_constraints * sizeof(*prim->again));
    }
    prim->num_waiting = 0;
    for (int i = 0; i < candidates->num_hosts; ++i) {
        prim->key[i] = INFINITY;
        prim->via[i] = -1;
        prim->height[i] = -1;
        if (i != root) {
            prim->place[i] = prim->num_waiting;
            prim->waiting[prim->num_waiting++] = i;
        }
        prim->cheapest[i / BLOCK] = -1;
    }
    prim->distance[root] = 0.0;
    prim->path[root] = 0.0;
    prim->height[root] = 0;
}

bool mtree_prim_run(mtree_prim_t *prim, const double *constraint_price, int root,
                    const mtree_prim_options_t *options, int *edges)
{
    const mtree_candidates_t *candidates = prim->candidates;
    int joined = root;

    start(prim, constraint_price, root, options);
    for (int i = 0; i + 1 < candidates->num_hosts; ++i) {
        offer_edges(prim, options, joined);

        int place = take_cheapest(prim, options);

        if (place < 0) {
            return false;
        }
        joined = prim->waiting[place];
        edges[i] = prim->via[joined];

        int parent = mtree_candidates_other(candidates, edges[i], joined);

        leave(prim, place);
        prim->distance[joined] = prim->distance[parent] + candidates->latency[edges[i]];
        prim->path[joined] = candidates->is_personalized
                                 ? prim->path[parent] + prim->price[edges[i]]
                                 : 0.0;
        prim->height[joined] = prim->height[parent] + 1;
        for (int use = candidates->first[edges[i]];
             options->reuse_factor > 0.0 && use < candidates->first[edges[i] + 1];
             ++use) {
            int c = candidates->constraints[use];

            prim->again[c] =
                constraint_price[c] * options->reuse_factor * ++prim->load[c];
        }
    }
    return true;
}
