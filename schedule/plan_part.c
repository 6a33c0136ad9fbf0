/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/plan_part_wire.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What shares may sum to, as in a plan that is read from a file. */
#define MOST_SHARE (1 + 1e-6)

mtree_plan_part_t *mtree_plan_part_alloc(const mtree_plan_part_t *head)
{
    const size_t num_trees = (size_t)head->num_trees;
    mtree_plan_part_t *part = mtree_malloc(sizeof(*part));

    *part = *head;
    MTREE_ARENA_ARRAY(&part->arena, part->trees, num_trees);
    MTREE_ARENA_ARRAY(&part->arena, part->first, (size_t)head->num_hosts + 2);
    MTREE_ARENA_ARRAY(&part->arena, part->by_root, num_trees);
    return part;
}

void mtree_plan_part_group(mtree_plan_part_t *part)
{
    /* While the trees are put in their places, the roots are one place behind. */
    int *next = part->first + 1;

    for (int t = 0; t < part->num_trees; t++) {
        next[part->trees[t].root + 1]++;
    }
    for (int host = 0; host < part->num_hosts; host++) {
        next[host + 1] += next[host];
    }
    for (int t = 0; t < part->num_trees; t++) {
        part->by_root[next[part->trees[t].root]++] = t;
    }
}

mtree_plan_part_t *mtree_plan_part_retain(const mtree_plan_part_t *part)
{
    mtree_plan_part_t *retained = (mtree_plan_part_t *)part;

    if (retained != NULL) {
        (void)__atomic_fetch_add(&retained->references, 1, __ATOMIC_RELAXED);
    }
    return retained;
}

void mtree_plan_part_destroy(mtree_plan_part_t *part)
{
    if (part != NULL && __atomic_fetch_sub(&part->references, 1, __ATOMIC_ACQ_REL) == 0) {
        mtree_plan_destroy(part->plan);
        mtree_arena_cleanup(&part->arena);
        free(part);
    }
}

const mtree_part_cable_t *mtree_plan_part_cables(const mtree_plan_part_t *part, int host,
                                                 int *count_p)
{
    int before = 0, count = 0;

    while (before < part->num_cables && part->cables[before].host != host) {
        before++;
    }
    while (before + count < part->num_cables &&
           part->cables[before + count].host == host) {
        count++;
    }
    *count_p = count;
    return part->cables + before;
}

bool mtree_plan_part_is_above(const mtree_plan_part_t *part, int tree, int host)
{
    const mtree_part_tree_t *at = &part->trees[tree];

    return at->order[host] >= at->order[part->host] && at->order[host] < at->end;
}

int mtree_plan_part_towards(const mtree_plan_part_t *part, int tree, int root)
{
    const mtree_part_tree_t *at = &part->trees[tree];
    int place, best = at->parent;

    if (root == part->host) {
        return -1;
    }
    if (root == at->root || at->order == NULL ||
        !mtree_plan_part_is_above(part, tree, root)) {
        return at->parent;
    }
    place = at->order[root];
    /* Below this host: the last child whose subtree begins before the root's place. */
    for (int e = 0; e < at->num_edges; e++) {
        if (e != at->parent && at->order[at->edges[e].host] <= place) {
            best = e;
        }
    }
    return best;
}

/* Is each host there once?  @a seen is [num_hosts]. */
static bool is_order(const int *order, int num_hosts, bool *seen)
{
    memset(seen, 0, (size_t)num_hosts);
    for (int i = 0; i < num_hosts; i++) {
        if (seen[order[i]]) {
            return false;
        }
        seen[order[i]] = true;
    }
    return true;
}

/* Do the places of the host and its neighbours in the order of @a tree fit its edges? */
static bool fits_order(const mtree_plan_part_t *part, const mtree_part_tree_t *tree)
{
    int place = tree->order[part->host];

    if (tree->end <= place) {
        return false;
    }
    for (int e = 0; e < tree->num_edges; e++) {
        int other = tree->order[tree->edges[e].host];

        if (e == tree->parent ? other >= place : other <= place || other >= tree->end) {
            return false;
        }
    }
    return true;
}

/* Is each host below there once, the host itself first, and the first child behind it?
 * Other children follow in the order of their edges. */
static bool fits_below(const mtree_plan_part_t *part, const mtree_part_tree_t *tree,
                       bool *seen)
{
    int edge = 0;

    memset(seen, 0, (size_t)part->num_hosts);
    for (int i = 0; i < tree->num_below; i++) {
        const int host = tree->below[i];

        edge += edge == tree->parent;
        if (seen[host] || (i == 0 && host != part->host) ||
            (i == 1 && (edge >= tree->num_edges || host != tree->edges[edge].host))) {
            return false;
        }
        seen[host] = true;
        edge += edge < tree->num_edges && host == tree->edges[edge].host;
    }
    edge += edge == tree->parent;
    return tree->num_below > 0 && edge == tree->num_edges;
}

/* May a tree have these edges at the part's host?  A relay that it passes through has a
 * parent and a child; another host has a parent unless it is the root. */
static bool fits_host(const mtree_plan_part_t *part, const mtree_part_tree_t *tree)
{
    if (part->host >= part->num_hosts - part->num_relays) {
        return mtree_plan_part_is_outside(part, tree) ||
               (tree->parent >= 0 && tree->num_edges > 1);
    }
    return (tree->parent < 0) == (tree->root == part->host);
}

static bool fits_program(const mtree_plan_part_t *part, bool *seen)
{
    return part->num_trees == 0 && part->num_relays == 0 &&
           mtree_program_does(part->program, part->collective) &&
           is_order(part->order, part->num_hosts, seen) &&
           mtree_program_has_shape(part->program, part->shape, part->num_hosts);
}

/* The edges lead to other hosts, in ascending order. */
static bool fits_edges(const mtree_plan_part_t *part, const mtree_part_tree_t *tree)
{
    for (int e = 0; e < tree->num_edges; e++) {
        if (tree->edges[e].host == part->host ||
            (e > 0 && tree->edges[e].host <= tree->edges[e - 1].host)) {
            return false;
        }
    }
    return true;
}

static bool fits_tree(const mtree_plan_part_t *part, const mtree_part_tree_t *tree,
                      bool *seen)
{
    return fits_host(part, tree) && fits_edges(part, tree) &&
           (tree->order == NULL ||
            (is_order(tree->order, part->num_hosts, seen) &&
             tree->order[tree->root] == 0 && fits_order(part, tree))) &&
           (tree->below == NULL || fits_below(part, tree, seen));
}

static bool fits_cables(const mtree_plan_part_t *part)
{
    for (int c = 0; c < part->num_cables; c++) {
        if (part->cables[c].host == part->host ||
            (c > 0 && part->cables[c].host < part->cables[c - 1].host)) {
            return false;
        }
    }
    return true;
}

/* @a shares is [num_hosts] zeros: the sums of the trees so far, by root where trees have
 * blocks. */
static bool fits_trees(const mtree_plan_part_t *part, bool *seen, double *shares)
{
    const bool by_root = mtree_collective_has_blocks(part->collective);

    for (int t = 0; t < part->num_trees; t++) {
        const mtree_part_tree_t *tree = &part->trees[t];
        double *sum = &shares[by_root ? tree->root : 0];

        *sum += tree->share;
        if (*sum > MOST_SHARE || !fits_tree(part, tree, seen)) {
            return false;
        }
    }
    return true;
}

mtree_status_t mtree_plan_part_check(const mtree_plan_part_t *part)
{
    bool *seen = mtree_calloc((size_t)part->num_hosts, sizeof(*seen));
    double *shares = mtree_calloc((size_t)part->num_hosts, sizeof(*shares));
    const bool fits = (part->program == MTREE_PROGRAM_NONE || fits_program(part, seen)) &&
                      fits_trees(part, seen, shares) && fits_cables(part);

    free(seen);
    free(shares);
    return fits ? MTREE_OK : MTREE_ERR_INVALID;
}
