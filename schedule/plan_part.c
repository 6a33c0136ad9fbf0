/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/plan_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One tree, with the children of each host. */
typedef struct {
    int *first;    /* [num_hosts + 1] where the children of a host begin in `children` */
    int *children; /* [num_hosts - 1] grouped by parent, ascending */
    int *order;    /* as of a part; NULL: the tree has one root only */
    int *size;  /* [num_hosts] hosts in the subtree of each; where there is an order, or
                   the plan is personalized */
    int widest; /* as of a part */
    double latency; /* the greatest */
} cut_tree_t;

struct mtree_plan_cut {
    mtree_plan_t *plan;
    int num_steps;
    bool is_direct; /* as of a part */
    cut_tree_t *trees;
    mtree_arena_t arena;
};

/* Group the hosts but the root by their parents. */
static void cut_tree_group(cut_tree_t *cut, const mtree_tree_t *tree, int num_hosts)
{
    int num_children;

    cut->latency = 0;
    for (int host = 0; host < num_hosts; host++) {
        cut->latency = fmax(cut->latency, tree->latency[host]);
        if (tree->parent[host] >= 0) {
            cut->first[tree->parent[host] + 1]++;
        }
    }
    for (int host = 0; host < num_hosts; host++) {
        cut->first[host + 1] += cut->first[host];
    }
    num_children = cut->first[num_hosts];
    /* Filled from behind, the beginnings move to where they belong. */
    for (int host = num_hosts - 1; host >= 0; host--) {
        if (tree->parent[host] >= 0) {
            cut->children[--cut->first[tree->parent[host] + 1]] = host;
        }
    }
    memmove(cut->first, cut->first + 1, (size_t)num_hosts * sizeof(int));
    cut->first[num_hosts] = num_children;
}

/* Count the hosts of all subtrees.  All hosts go into @a queue, parents before children;
 * how many. */
static int cut_tree_measure(cut_tree_t *cut, const mtree_tree_t *tree, int *queue)
{
    int count = 1;

    queue[0] = tree->root;
    for (int at = 0; at < count; at++) {
        for (int c = cut->first[queue[at]]; c < cut->first[queue[at] + 1]; c++) {
            queue[count++] = cut->children[c];
        }
    }
    for (int at = count - 1; at >= 0; at--) {
        int host = queue[at], above = tree->parent[host];

        cut->size[host]++;
        if (above >= 0) {
            cut->size[above] += cut->size[host];
        }
        if (above == tree->root && cut->size[host] > cut->widest) {
            cut->widest = cut->size[host];
        }
    }
    return count;
}

/* Number the hosts on a walk; @a queue has memory for all of them. */
static void cut_tree_walk(cut_tree_t *cut, const mtree_tree_t *tree, int num_hosts,
                          int *queue)
{
    int count = cut_tree_measure(cut, tree, queue);

    for (int at = 0; at < count; at++) {
        int place = cut->order[queue[at]] + 1;

        for (int c = cut->first[queue[at]]; c < cut->first[queue[at] + 1]; c++) {
            cut->order[cut->children[c]] = place;
            place += cut->size[cut->children[c]];
        }
    }
    /* Relays outside have the places behind all others. */
    for (int host = 0; host < num_hosts; host++) {
        if (mtree_tree_is_outside(tree, host)) {
            cut->order[host] = count++;
            cut->size[host] = 1;
        }
    }
}

static bool plan_is_direct(const mtree_plan_t *plan)
{
    for (int t = 0; t < plan->num_trees; t++) {
        for (int host = 0; host < plan->num_hosts; host++) {
            int parent = plan->trees[t].parent[host];

            if (parent >= 0 && parent != plan->trees[t].root) {
                return false;
            }
        }
    }
    return true;
}

mtree_status_t mtree_plan_cut_create(const mtree_plan_t *plan, mtree_plan_cut_t **cut_p)
{
    size_t hosts = (size_t)plan->num_hosts;
    bool has_order = mtree_plan_part_has_order(plan->collective);
    bool is_personalized = mtree_collective_is_personalized(plan->collective);
    mtree_plan_cut_t *cut = calloc(1, sizeof(*cut));
    int *queue;

    if (cut == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    cut->plan = mtree_plan_retain(plan);
    cut->num_steps = mtree_plan_num_steps(plan);
    cut->is_direct = plan_is_direct(plan);
    MTREE_ARENA_ARRAY(&cut->arena, cut->trees, (size_t)plan->num_trees);
    MTREE_ARENA_ARRAY(&cut->arena, queue, hosts);
    for (int t = 0; t < plan->num_trees && cut->arena.status == MTREE_OK; t++) {
        cut_tree_t *tree = &cut->trees[t];

        MTREE_ARENA_ARRAY(&cut->arena, tree->first, hosts + 1);
        MTREE_ARENA_ARRAY(&cut->arena, tree->children, hosts);
        if (has_order) {
            MTREE_ARENA_ARRAY(&cut->arena, tree->order, hosts);
        }
        if (has_order || is_personalized) {
            MTREE_ARENA_ARRAY(&cut->arena, tree->size, hosts);
        }
        if (cut->arena.status == MTREE_OK) {
            cut_tree_group(tree, &plan->trees[t], plan->num_hosts);
        }
        if (cut->arena.status == MTREE_OK && has_order) {
            cut_tree_walk(tree, &plan->trees[t], plan->num_hosts, queue);
        } else if (cut->arena.status == MTREE_OK && is_personalized) {
            (void)cut_tree_measure(tree, &plan->trees[t], queue);
        }
    }
    if (cut->arena.status != MTREE_OK) {
        mtree_plan_cut_destroy(cut);
        return MTREE_ERR_NO_MEMORY;
    }
    *cut_p = cut;
    return MTREE_OK;
}

void mtree_plan_cut_destroy(mtree_plan_cut_t *cut)
{
    if (cut != NULL) {
        mtree_plan_destroy(cut->plan);
        mtree_arena_cleanup(&cut->arena);
        free(cut);
    }
}

mtree_status_t mtree_plan_part_alloc(int num_hosts, int num_trees,
                                     mtree_plan_part_t **part_p)
{
    mtree_plan_part_t *part = calloc(1, sizeof(*part));

    if (part == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    part->num_hosts = num_hosts;
    part->num_trees = num_trees;
    MTREE_ARENA_ARRAY(&part->arena, part->trees, (size_t)num_trees);
    MTREE_ARENA_ARRAY(&part->arena, part->first, (size_t)num_hosts + 2);
    MTREE_ARENA_ARRAY(&part->arena, part->by_root, (size_t)num_trees);
    if (part->arena.status != MTREE_OK) {
        mtree_plan_part_destroy(part);
        return MTREE_ERR_NO_MEMORY;
    }
    *part_p = part;
    return MTREE_OK;
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

/* The edges of @a host in one tree, by ascending host. */
static void part_add_edges(mtree_part_tree_t *part, const cut_tree_t *cut,
                           const mtree_tree_t *tree, int host)
{
    int above = tree->parent[host];
    int c = cut->first[host], end = cut->first[host + 1];

    part->parent = -1;
    while (c < end || (above >= 0 && part->parent < 0)) {
        bool is_parent =
            above >= 0 && part->parent < 0 && (c == end || above < cut->children[c]);
        /* The lower end of the edge, which the tree knows it by. */
        int lower = is_parent ? host : cut->children[c++];

        if (is_parent) {
            part->parent = part->num_edges;
        }
        part->edges[part->num_edges++] = (mtree_part_edge_t){
            is_parent ? above : lower, tree->step[lower], tree->latency[lower]};
    }
}

/* List @a host and those below it.  A host that is waiting to be listed is at the end of
 * the memory; the one that is listed next, at the front of these. */
static void part_add_below(mtree_plan_part_t *part, mtree_part_tree_t *to,
                           const cut_tree_t *from, int host)
{
    int num = from->size[host], waiting = num;

    MTREE_ARENA_ARRAY(&part->arena, to->below, (size_t)num);
    if (to->below == NULL) {
        return;
    }
    to->below[--waiting] = host;
    for (int at = 0; at < num; at++) {
        host = to->below[waiting++];
        to->below[at] = host;
        for (int c = from->first[host + 1] - 1; c >= from->first[host]; c--) {
            to->below[--waiting] = from->children[c];
        }
    }
    to->num_below = num;
    to->widest = from->widest;
}

static void part_add_tree(mtree_plan_part_t *part, const mtree_plan_cut_t *cut,
                          int number)
{
    const mtree_tree_t *tree = &cut->plan->trees[number];
    const cut_tree_t *from = &cut->trees[number];
    mtree_part_tree_t *to = &part->trees[number];
    size_t hosts = (size_t)part->num_hosts;

    to->root = tree->root;
    to->rate = tree->rate;
    to->share = tree->share;
    to->chunk_bytes = tree->chunk_bytes;
    to->latency = from->latency;
    MTREE_ARENA_ARRAY(&part->arena, to->edges,
                      (size_t)(from->first[part->host + 1] - from->first[part->host]) +
                          1);
    if (to->edges != NULL) {
        part_add_edges(to, from, tree, part->host);
    }
    if (mtree_collective_is_personalized(part->collective)) {
        part_add_below(part, to, from, part->host);
    }
    if (from->order != NULL) {
        MTREE_ARENA_ARRAY(&part->arena, to->order, hosts);
        to->end = from->order[part->host] + from->size[part->host];
    }
    if (to->order != NULL) {
        memcpy(to->order, from->order, hosts * sizeof(*to->order));
    }
}

static void part_name_program(mtree_plan_part_t *part, const mtree_plan_t *plan)
{
    part->program = mtree_program_find(plan->algorithm);
    memcpy(part->shape, plan->shape, sizeof(part->shape));
    part->message_bytes = plan->message_bytes;
    MTREE_ARENA_ARRAY(&part->arena, part->order, (size_t)plan->num_hosts);
    if (part->order != NULL) {
        memcpy(part->order, plan->order, (size_t)plan->num_hosts * sizeof(*part->order));
    }
}

/* Those of the plan at the part's host. */
static void part_add_cables(mtree_plan_part_t *part, const mtree_plan_t *plan)
{
    int count = 0;

    for (int c = 0; c < plan->num_cables; c++) {
        count += plan->cables[c].a == part->host || plan->cables[c].b == part->host;
    }
    MTREE_ARENA_ARRAY(&part->arena, part->cables, (size_t)count);
    for (int c = 0; c < plan->num_cables && part->cables != NULL; c++) {
        const mtree_plan_cable_t *from = &plan->cables[c];
        const mtree_cable_t *cable = &from->cable;
        const int near = from->b == part->host;

        if (near || from->a == part->host) {
            part->cables[part->num_cables++] = (mtree_part_cable_t){
                near ? from->a : from->b,
                {.ends = {cable->ends[near], cable->ends[!near]},
                 .capacity = {cable->capacity[near], cable->capacity[!near]}}};
        }
    }
}

mtree_status_t mtree_plan_cut_part(const mtree_plan_cut_t *cut, int host,
                                   mtree_plan_part_t **part_p)
{
    const mtree_plan_t *plan = cut->plan;
    mtree_plan_part_t *part;
    mtree_status_t status =
        mtree_plan_part_alloc(plan->num_hosts, plan->num_trees, &part);

    if (status != MTREE_OK) {
        return status;
    }
    part->collective = plan->collective;
    part->host = host;
    part->num_relays = plan->num_relays;
    part->root = plan->root;
    part->num_steps = cut->num_steps;
    part->is_direct = cut->is_direct;
    part->bytes = plan->bytes;
    part->throughput = plan->throughput;
    part->seconds = plan->seconds;
    if (plan->order != NULL) {
        part_name_program(part, plan);
    }
    for (int t = 0; t < plan->num_trees; t++) {
        part_add_tree(part, cut, t);
    }
    part_add_cables(part, plan);
    if (part->arena.status != MTREE_OK) {
        mtree_plan_part_destroy(part);
        return MTREE_ERR_NO_MEMORY;
    }
    mtree_plan_part_group(part);
    *part_p = part;
    return MTREE_OK;
}

mtree_status_t mtree_plan_part_create(const mtree_plan_t *plan, int host,
                                      mtree_plan_part_t **part_p)
{
    mtree_plan_cut_t *cut;
    mtree_status_t status = mtree_plan_cut_create(plan, &cut);

    if (status == MTREE_OK) {
        status = mtree_plan_cut_part(cut, host, part_p);
        mtree_plan_cut_destroy(cut);
    }
    return status;
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
    int first = 0, end = part->num_cables;

    while (first < end) {
        int middle = first + (end - first) / 2;

        if (part->cables[middle].host < host) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    while (end < part->num_cables && part->cables[end].host == host) {
        end++;
    }
    *count_p = end - first;
    return part->cables + first;
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
