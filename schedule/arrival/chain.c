/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/chain.h"

#include <string.h>

struct mtree_chain {
    const mtree_plan_t *plan;
    const mtree_placement_t *placement;
    int root;
    int num_places;  /* hosts but the root's; the root is the place after them */
    int num_taken;   /* places */
    int num_missing; /* ranks without a place, but for the root */
    bool is_complete;
    int last;   /* rank that took the last place, or the root */
    int *order; /* [num_ranks] of arrival, from 1, of those that have no place yet; of
                   others 0 */
    int arrived;
    int *next;    /* [num_places] the place that a place sends to */
    int *rank_at; /* [num_places] rank that took it */
    int *tail;    /* [num_hosts] the last of the host's ranks so far; -1: none */
    int *missing; /* [num_hosts] its ranks without a place, but for the root */
};

/* Does every place send to a later one, and has none too many children? */
static bool is_order(const int *next, int num_places, int *children)
{
    memset(children, 0, ((size_t)num_places + 1) * sizeof(*children));
    for (int place = 0; place < num_places; place++) {
        if (next[place] <= place || ++children[next[place]] >= MTREE_CHAIN_CHILDREN) {
            return false;
        }
    }
    return true;
}

/* The places are the planner's hosts but the root's, in their order. */
static void chain_read_places(mtree_chain_t *chain, int *scratch)
{
    const mtree_tree_t *tree = &chain->plan->trees[0];
    int root = chain->placement->host[chain->root];

    for (int host = 0; host < chain->plan->num_hosts; host++) {
        int parent = tree->parent[host];

        if (host != root) {
            chain->next[host - (host > root)] = parent == root || parent < 0
                                                    ? chain->num_places
                                                    : parent - (parent > root);
        }
    }
    if (tree->root != root || !is_order(chain->next, chain->num_places, scratch)) {
        for (int place = 0; place < chain->num_places; place++) {
            chain->next[place] = place + 1;
        }
    }
}

mtree_chain_t *mtree_chain_create(mtree_arena_t *arena, const mtree_plan_t *plan,
                                  const mtree_placement_t *placement, int root)
{
    size_t ranks = (size_t)placement->num_ranks, hosts = (size_t)placement->num_hosts;
    mtree_chain_t *chain =
        mtree_arena_alloc(arena, 1, sizeof(*chain) + (ranks + 4 * hosts) * sizeof(int));

    chain->plan = plan;
    chain->placement = placement;
    chain->root = chain->last = root;
    chain->num_places = placement->num_hosts - 1;
    chain->num_missing = placement->num_ranks - 1;
    chain->order = (int *)(chain + 1);
    chain->next = chain->order + ranks;
    chain->rank_at = chain->next + hosts;
    chain->tail = chain->rank_at + hosts;
    chain->missing = chain->tail + hosts;
    chain_read_places(chain, chain->missing);
    for (int host = 0; host < placement->num_hosts; host++) {
        chain->tail[host] = -1;
        chain->missing[host] = placement->first[host + 1] - placement->first[host] -
                               (host == placement->host[root]);
    }
    return chain;
}

void mtree_chain_arrive(mtree_chain_t *chain, int rank)
{
    chain->order[rank] = ++chain->arrived;
}

/* The waiting rank that is nearest to the last one with a place; -1: none waits. */
static int chain_nearest(const mtree_chain_t *chain)
{
    int best = -1;
    double least = 0;

    for (int rank = 0; rank < chain->placement->num_ranks; rank++) {
        double seconds;

        if (chain->order[rank] == 0) {
            continue;
        }
        seconds =
            mtree_plan_route_seconds(chain->plan, chain->placement->host[chain->last],
                                     chain->placement->host[rank]);
        if (best < 0 || seconds < least ||
            (seconds <= least && chain->order[rank] < chain->order[best])) {
            best = rank;
            least = seconds;
        }
    }
    return best;
}

/* Add the ranks that send to @a place. */
static void link_add_places(const mtree_chain_t *chain, int place,
                            mtree_chain_link_t *link)
{
    for (int i = 0; i < place; i++) {
        if (chain->next[i] == place) {
            link->children[link->num_children++] = chain->rank_at[i];
        }
    }
}

bool mtree_chain_next(mtree_chain_t *chain, mtree_chain_link_t *link_p)
{
    int home = chain->placement->host[chain->root];
    int rank = chain->is_complete ? -1 : chain_nearest(chain);
    mtree_chain_link_t link = {.rank = rank};
    int host;

    if (rank < 0 && (chain->is_complete || chain->num_missing > 0)) {
        return false;
    }
    link.rank = rank < 0 ? chain->root : rank;
    host = chain->placement->host[link.rank];
    if (chain->tail[host] >= 0) {
        link.children[link.num_children++] = chain->tail[host];
    }
    if (rank < 0) {
        link_add_places(chain, chain->num_places, &link);
        chain->is_complete = true;
    } else {
        chain->order[rank] = 0;
        chain->num_missing--;
        chain->tail[host] = rank;
        if (--chain->missing[host] == 0 && host != home) {
            link_add_places(chain, chain->num_taken, &link);
            chain->rank_at[chain->num_taken++] = rank;
            chain->last = rank;
        }
    }
    *link_p = link;
    return true;
}

bool mtree_chain_is_complete(const mtree_chain_t *chain)
{
    return chain->is_complete;
}
