/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/schedule/random_parts.h"
#include "tests/unit/runner.h"

static unsigned long long state;

void random_seed(unsigned seed)
{
    state = seed + 1;
}

int random_draw(int below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned)below);
}

/* @a root is -1: any host. */
static void random_tree(mtree_tree_t *tree, int hosts, int root, bool stepped)
{
    int command[RANDOM_RANKS] = {0};

    for (int i = 0; i < hosts; i++) {
        int j = random_draw(i + 1);
        command[i] = command[j];
        command[j] = i;
    }
    for (int i = 1; i < hosts; i++) {
        if (command[i] == root) {
            command[i] = command[0];
            command[0] = root;
        }
    }
    tree->root = command[0];
    for (int i = 1; i < hosts; i++) {
        tree->parent[command[i]] = command[random_draw(i)];
        tree->latency[command[i]] = random_draw(30) * 1e-3;
        if (stepped) {
            tree->step[command[i]] =
                tree->step[tree->parent[command[i]]] + 1 + random_draw(3);
        }
    }
    tree->parent[tree->root] = -1;
    tree->rate = (1 + random_draw(50)) * 1e6;
}

/* Shares of @a trees trees in proportion to their rates. */
static void share_out(mtree_tree_t *tree, int trees)
{
    double sum = 0;

    for (int t = 0; t < trees; t++) {
        sum += tree[t].rate;
    }
    for (int t = 0; t < trees; t++) {
        tree[t].share = tree[t].rate / sum;
    }
}

mtree_plan_t *random_plan(mtree_collective_t collective, int root, int hosts, int trees)
{
    bool stepped = collective == MTREE_ALLREDUCE && random_draw(2) == 0;
    static const char *names[RANDOM_RANKS] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                              "i", "j", "k", "l", "m", "n", "o", "p",
                                              "q", "r", "s", "t", "u", "v", "w", "x"};
    int roots = mtree_collective_has_blocks(collective) ? hosts : 1;
    mtree_plan_t *plan =
        mtree_plan_create(collective, "random", hosts, names, roots * trees);

    plan->root = root;
    for (int t = 0; t < plan->num_trees; t++) {
        random_tree(&plan->trees[t], hosts, roots > 1 ? t / trees : root, stepped);
    }
    for (int r = 0; r < roots; r++) {
        share_out(&plan->trees[r * trees], trees);
    }
    return plan;
}

/* Make active host 0 the root of @a tree. */
static void reroot(mtree_tree_t *tree)
{
    int below = -1, at = 0;
    double latency = 0;

    while (at >= 0) {
        int above = tree->parent[at];
        double kept = tree->latency[at];

        tree->parent[at] = below;
        tree->latency[at] = latency;
        below = at;
        latency = kept;
        at = above;
    }
    tree->root = 0;
}

/* Is @a host a relay of the tree that has nobody below it? */
static bool is_useless(const mtree_plan_t *plan, const mtree_tree_t *tree, int host)
{
    bool leaf = host >= mtree_plan_num_active(plan) && tree->parent[host] >= 0;

    for (int other = 0; other < plan->num_hosts && leaf; other++) {
        leaf = tree->parent[other] != host;
    }
    return leaf;
}

void random_relays(mtree_plan_t *plan, int relays)
{
    plan->num_relays = relays;
    for (int t = 0; t < plan->num_trees && relays > 0; t++) {
        mtree_tree_t *tree = &plan->trees[t];

        if (tree->root >= mtree_plan_num_active(plan)) {
            reroot(tree);
        }
        memset(tree->step, 0, (size_t)plan->num_hosts * sizeof(*tree->step));
        for (int host = 0; host < plan->num_hosts; host++) {
            if (is_useless(plan, tree, host)) {
                tree->parent[host] = MTREE_PLAN_OUTSIDE;
                tree->latency[host] = 0;
                host = -1; /* what was above it may be useless now */
            }
        }
    }
}

mtree_placement_t *random_placement(int hosts, int ranks, int relays)
{
    mtree_locality_t localities[RANDOM_RANKS];
    bool known = random_draw(2) == 0;
    mtree_placement_t *placement;
    int host[RANDOM_RANKS];

    for (int r = 0; r < ranks; r++) {
        mtree_locality_t *locality = &localities[r];

        host[r] = r < hosts ? r : random_draw(hosts);
        *locality = mtree_locality_unknown();
        locality->package = (int16_t)(random_draw(3) - 1);
        locality->numa = (int16_t)random_draw(4);
        locality->cache = (int16_t)random_draw(3);
        locality->wide_numa = (int16_t)(host[r] % 2);
        locality->near = (int16_t)random_draw(3);
    }
    unit_ok(mtree_placement_create_relayed(ranks, hosts + relays, relays, host,
                                           known ? localities : NULL, &placement));
    return placement;
}
