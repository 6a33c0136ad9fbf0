/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/prim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With spread, keys grow old: this many hosts are looked at again before one is taken. */
#define REFRESHES 4

struct mtree_grower {
    const mtree_candidates_t *candidates;
    double *price;    /* [num_edges] */
    double *key;      /* [num_hosts] price of joining over `via` */
    int *via;         /* [num_hosts] edge, -1: none */
    double *distance; /* [num_hosts] seconds from the root, of hosts in the tree */
    int *height; /* [num_hosts] hops from the root, of hosts in the tree; -1: not in it */
    int *waiting; /* hosts not in the tree */
    int num_waiting;
    int *load; /* [num_rows] uses by the tree */
};

void mtree_grower_destroy(mtree_grower_t *grower)
{
    if (grower == NULL) {
        return;
    }
    free(grower->price);
    free(grower->key);
    free(grower->via);
    free(grower->distance);
    free(grower->height);
    free(grower->waiting);
    free(grower->load);
    free(grower);
}

mtree_status_t mtree_grower_create(const mtree_candidates_t *candidates,
                                   mtree_grower_t **grower_p)
{
    size_t num_hosts = (size_t)candidates->num_hosts;
    mtree_grower_t *grower = calloc(1, sizeof(*grower));

    if (grower == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    grower->candidates = candidates;
    grower->price = malloc(((size_t)candidates->num_edges + 1) * sizeof(*grower->price));
    grower->key = malloc(num_hosts * sizeof(*grower->key));
    grower->via = malloc(num_hosts * sizeof(*grower->via));
    grower->distance = malloc(num_hosts * sizeof(*grower->distance));
    grower->height = malloc(num_hosts * sizeof(*grower->height));
    grower->waiting = malloc(num_hosts * sizeof(*grower->waiting));
    grower->load = malloc(((size_t)candidates->num_rows + 1) * sizeof(*grower->load));
    if (grower->price == NULL || grower->key == NULL || grower->via == NULL ||
        grower->distance == NULL || grower->height == NULL || grower->waiting == NULL ||
        grower->load == NULL) {
        mtree_grower_destroy(grower);
        return MTREE_ERR_NO_MEMORY;
    }
    *grower_p = grower;
    return MTREE_OK;
}

/* What joining over @a edge from @a host costs now. */
static double edge_key(const mtree_grower_t *grower, const double *row_price,
                       const mtree_grow_options_t *options, int edge, int host)
{
    const mtree_candidates_t *candidates = grower->candidates;
    double key = grower->price[edge];

    if (options->spread > 0.0) {
        for (int use = candidates->first[edge]; use < candidates->first[edge + 1];
             ++use) {
            int row = candidates->rows[use];

            key += row_price[row] * options->spread * grower->load[row];
        }
    }
    return key +
           options->distance_price * (grower->distance[host] + candidates->latency[edge]);
}

/* Offer the edges of @a host, which has just joined, to the hosts that wait. */
static void offer_edges(mtree_grower_t *grower, const double *row_price,
                        const mtree_grow_options_t *options, int host)
{
    const mtree_candidates_t *candidates = grower->candidates;

    if (options->max_height > 0 && grower->height[host] >= options->max_height) {
        return;
    }
    for (int o = candidates->out_first[host]; o < candidates->out_first[host + 1]; ++o) {
        int edge = candidates->out[o];
        int other = mtree_candidates_other(candidates, edge, host);

        if (grower->height[other] < 0) {
            double key = edge_key(grower, row_price, options, edge, host);

            if (key < grower->key[other]) {
                grower->key[other] = key;
                grower->via[other] = edge;
            }
        }
    }
}

/* The host in the tree from which @a edge leads to @a to. */
static int joined_end(const mtree_grower_t *grower, int edge, int to)
{
    return mtree_candidates_other(grower->candidates, edge, to);
}

/* Compute anew the key of a waiting host, over all edges from the tree that can be seen
 * from it. */
static void refresh_key(mtree_grower_t *grower, const double *row_price,
                        const mtree_grow_options_t *options, int host)
{
    const mtree_candidates_t *candidates = grower->candidates;

    grower->key[host] = INFINITY;
    for (int o = candidates->in_first[host]; o < candidates->in_first[host + 1]; ++o) {
        int edge = candidates->in[o];
        int other = mtree_candidates_other(candidates, edge, host);

        if (grower->height[other] >= 0 &&
            (options->max_height == 0 || grower->height[other] < options->max_height)) {
            double key = edge_key(grower, row_price, options, edge, other);

            if (key < grower->key[host]) {
                grower->key[host] = key;
                grower->via[host] = edge;
            }
        }
    }
}

/* The place in `waiting` of the host with the least key, -1 when none can join. */
static int find_cheapest(const mtree_grower_t *grower)
{
    double least = INFINITY;
    int best = -1;

    for (int w = 0; w < grower->num_waiting; ++w) {
        if (grower->key[grower->waiting[w]] < least) {
            least = grower->key[grower->waiting[w]];
            best = w;
        }
    }
    return best;
}

static int take_cheapest(mtree_grower_t *grower, const double *row_price,
                         const mtree_grow_options_t *options)
{
    int best = find_cheapest(grower);

    if (options->spread <= 0.0 || best < 0) {
        return best;
    }
    for (int i = 0; i < REFRESHES; ++i) {
        int host = grower->waiting[best];
        double old = grower->key[host];

        refresh_key(grower, row_price, options, host);
        if (grower->key[host] <= old) {
            return best;
        }
        best = find_cheapest(grower);
    }
    /* Whichever host it is now, it joins over the edge that is best now. */
    refresh_key(grower, row_price, options, grower->waiting[best]);
    return best;
}

static void start(mtree_grower_t *grower, const double *row_price, int root,
                  const mtree_grow_options_t *options)
{
    const mtree_candidates_t *candidates = grower->candidates;

    mtree_candidates_price(candidates, row_price, grower->price);
    if (options->spread > 0.0) {
        memset(grower->load, 0, (size_t)candidates->num_rows * sizeof(*grower->load));
    }
    grower->num_waiting = 0;
    for (int i = 0; i < candidates->num_hosts; ++i) {
        grower->key[i] = INFINITY;
        grower->via[i] = -1;
        grower->height[i] = -1;
        if (i != root) {
            grower->waiting[grower->num_waiting++] = i;
        }
    }
    grower->distance[root] = 0.0;
    grower->height[root] = 0;
}

bool mtree_grower_run(mtree_grower_t *grower, const double *row_price, int root,
                      const mtree_grow_options_t *options, int *edges)
{
    const mtree_candidates_t *candidates = grower->candidates;
    int joined = root;

    start(grower, row_price, root, options);
    for (int i = 0; i + 1 < candidates->num_hosts; ++i) {
        offer_edges(grower, row_price, options, joined);

        int place = take_cheapest(grower, row_price, options);

        if (place < 0) {
            return false;
        }
        joined = grower->waiting[place];
        edges[i] = grower->via[joined];

        int parent = joined_end(grower, edges[i], joined);

        grower->waiting[place] = grower->waiting[--grower->num_waiting];
        grower->distance[joined] =
            grower->distance[parent] + candidates->latency[edges[i]];
        grower->height[joined] = grower->height[parent] + 1;
        for (int use = candidates->first[edges[i]];
             options->spread > 0.0 && use < candidates->first[edges[i] + 1]; ++use) {
            ++grower->load[candidates->rows[use]];
        }
    }
    return true;
}
