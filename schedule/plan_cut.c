/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans are cut into the parts of their hosts. */
#include "schedule/plan_part_wire.h"

#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The hosts of one tree on a walk from its root, parents before children, children in the
 * order of their numbers; behind them the relays that it leaves outside. */
typedef struct {
    int *walk;      /* [num_hosts] */
    int *place;     /* [num_hosts] of each host in `walk` */
    int *size;      /* [num_hosts] hosts in the subtree of each, which follow it there */
    int widest;     /* as of a part */
    double latency; /* the greatest */
} cut_tree_t;

struct mtree_plan_cut {
    mtree_plan_t *plan;
    int num_steps;
    bool is_direct; /* as of a part */
    cut_tree_t *trees;
    mtree_arena_t arena;
};

/* @a child and @a sibling are scratch memory for all hosts. */
static void cut_tree_walk(cut_tree_t *cut, const mtree_tree_t *tree, int num_hosts,
                          int *child, int *sibling)
{
    int outside;

    for (int host = 0; host < num_hosts; host++) {
        cut->size[host] = 1;
        child[host] = -1;
    }
    mtree_tree_add_up(tree->parent, num_hosts, sibling, cut->size);
    outside = cut->size[tree->root];
    cut->walk[0] = tree->root;
    for (int host = num_hosts - 1; host >= 0; host--) {
        const int above = tree->parent[host];

        if (mtree_tree_is_outside(tree, host)) {
            cut->walk[outside++] = host;
        } else if (above >= 0) {
            sibling[host] = child[above];
            child[above] = host;
        }
        cut->latency = fmax(cut->latency, tree->latency[host]);
        if (above == tree->root && cut->size[host] > cut->widest) {
            cut->widest = cut->size[host];
        }
    }
    /* Parents find the places of their children. */
    for (int at = 0; at < num_hosts; at++) {
        int place = at + 1;

        cut->place[cut->walk[at]] = at;
        for (int host = child[cut->walk[at]]; host >= 0; host = sibling[host]) {
            cut->walk[place] = host;
            place += cut->size[host];
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

mtree_plan_cut_t *mtree_plan_cut_create(const mtree_plan_t *plan)
{
    size_t hosts = (size_t)plan->num_hosts;
    mtree_plan_cut_t *cut = mtree_calloc(1, sizeof(*cut));
    int *child, *sibling;

    cut->plan = mtree_plan_retain(plan);
    cut->num_steps = mtree_plan_num_steps(plan);
    cut->is_direct = plan_is_direct(plan);
    MTREE_ARENA_ARRAY(&cut->arena, cut->trees, (size_t)plan->num_trees);
    MTREE_ARENA_ARRAY(&cut->arena, child, hosts);
    MTREE_ARENA_ARRAY(&cut->arena, sibling, hosts);
    for (int t = 0; t < plan->num_trees; t++) {
        cut_tree_t *tree = &cut->trees[t];

        MTREE_ARENA_ARRAY(&cut->arena, tree->walk, hosts);
        MTREE_ARENA_ARRAY(&cut->arena, tree->place, hosts);
        MTREE_ARENA_ARRAY(&cut->arena, tree->size, hosts);
        cut_tree_walk(tree, &plan->trees[t], plan->num_hosts, child, sibling);
    }
    return cut;
}

void mtree_plan_cut_destroy(mtree_plan_cut_t *cut)
{
    if (cut != NULL) {
        mtree_plan_destroy(cut->plan);
        mtree_arena_cleanup(&cut->arena);
        free(cut);
    }
}

static int count_children(const cut_tree_t *cut, int host)
{
    const int end = cut->place[host] + cut->size[host];
    int count = 0;

    for (int at = cut->place[host] + 1; at < end; at += cut->size[cut->walk[at]]) {
        count++;
    }
    return count;
}

/* The edges of @a host in one tree, by ascending host. */
static void part_add_edges(mtree_part_tree_t *part, const cut_tree_t *cut,
                           const mtree_tree_t *tree, int host)
{
    const int above = tree->parent[host], end = cut->place[host] + cut->size[host];
    int at = cut->place[host] + 1;

    part->parent = -1;
    while (at < end || (above >= 0 && part->parent < 0)) {
        bool is_parent =
            above >= 0 && part->parent < 0 && (at == end || above < cut->walk[at]);
        /* The lower end of the edge, which the tree knows it by. */
        int lower = is_parent ? host : cut->walk[at];

        if (is_parent) {
            part->parent = part->num_edges;
        } else {
            at += cut->size[lower];
        }
        part->edges[part->num_edges++] = (mtree_part_edge_t){
            is_parent ? above : lower, tree->step[lower], tree->latency[lower]};
    }
}

/* A copy of @a num hosts. */
static int *part_copy(mtree_plan_part_t *part, const int *hosts, int num)
{
    int *copy;

    MTREE_ARENA_ARRAY(&part->arena, copy, (size_t)num);
    return memcpy(copy, hosts, (size_t)num * sizeof(*copy));
}

static void part_add_tree(mtree_plan_part_t *part, const mtree_plan_cut_t *cut,
                          int number)
{
    const mtree_tree_t *tree = &cut->plan->trees[number];
    const cut_tree_t *from = &cut->trees[number];
    mtree_part_tree_t *to = &part->trees[number];
    const int place = from->place[part->host], size = from->size[part->host];

    to->root = tree->root;
    to->rate = tree->rate;
    to->share = tree->share;
    to->chunk_bytes = tree->chunk_bytes;
    to->latency = from->latency;
    MTREE_ARENA_ARRAY(&part->arena, to->edges,
                      (size_t)count_children(from, part->host) + 1);
    part_add_edges(to, from, tree, part->host);
    if (mtree_collective_is_personalized(part->collective)) {
        to->below = part_copy(part, from->walk + place, size);
        to->num_below = size;
        to->widest = from->widest;
    }
    if (mtree_plan_part_has_order(part->collective)) {
        to->order = part_copy(part, from->place, part->num_hosts);
        to->end = place + size;
    }
}

static void part_name_program(mtree_plan_part_t *part, const mtree_plan_t *plan)
{
    part->program = mtree_program_find(plan->algorithm);
    memcpy(part->shape, plan->shape, sizeof(part->shape));
    part->message_bytes = plan->message_bytes;
    part->order = part_copy(part, plan->order, plan->num_hosts);
}

/* Those of the plan at the part's host. */
static void part_add_cables(mtree_plan_part_t *part, const mtree_plan_t *plan)
{
    int count = 0;

    for (int c = 0; c < plan->num_cables; c++) {
        count += plan->cables[c].a == part->host || plan->cables[c].b == part->host;
    }
    MTREE_ARENA_ARRAY(&part->arena, part->cables, (size_t)count);
    for (int c = 0; c < plan->num_cables; c++) {
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

mtree_plan_part_t *mtree_plan_cut_part(const mtree_plan_cut_t *cut, int host)
{
    const mtree_plan_t *plan = cut->plan;
    const mtree_plan_part_t head = {.collective = plan->collective,
                                    .host = host,
                                    .root = plan->root,
                                    .num_hosts = plan->num_hosts,
                                    .num_relays = plan->num_relays,
                                    .num_trees = plan->num_trees,
                                    .num_steps = cut->num_steps,
                                    .is_direct = cut->is_direct,
                                    .bytes = plan->bytes,
                                    .throughput = plan->throughput,
                                    .seconds = plan->seconds};
    mtree_plan_part_t *part = mtree_plan_part_alloc(&head);

    if (plan->order != NULL) {
        part_name_program(part, plan);
    }
    for (int t = 0; t < plan->num_trees; t++) {
        part_add_tree(part, cut, t);
    }
    part_add_cables(part, plan);
    mtree_plan_part_group(part);
    return part;
}

mtree_plan_part_t *mtree_plan_part_create(const mtree_plan_t *plan, int host)
{
    mtree_plan_cut_t *cut = mtree_plan_cut_create(plan);
    mtree_plan_part_t *part = mtree_plan_cut_part(cut, host);

    mtree_plan_cut_destroy(cut);
    return part;
}

mtree_status_t mtree_plan_parts_write(const mtree_plan_t *plan, const int *host,
                                      int num_ranks, mtree_piece_t *common,
                                      mtree_piece_t *own, int *lengths)
{
    mtree_piece_t *pieces = mtree_calloc((size_t)plan->num_hosts, sizeof(*pieces));
    mtree_plan_cut_t *cut = mtree_plan_cut_create(plan);
    FILE *out = mtree_text_begin(&own->bytes, &own->length);
    size_t written = 0;

    for (int rank = 0; rank < num_ranks && written <= INT_MAX; rank++) {
        mtree_piece_t *piece = &pieces[host[rank]];

        if (rank > 0 && host[rank - 1] == host[rank]) {
            lengths[rank] = 0;
            continue;
        }
        if (piece->bytes == NULL) {
            mtree_plan_part_t *part = mtree_plan_cut_part(cut, host[rank]);

            mtree_plan_part_write(part, common, piece);
            mtree_plan_part_destroy(part);
        }
        (void)fwrite(piece->bytes, 1, piece->length, out);
        lengths[rank] = (int)piece->length;
        written += piece->length;
    }
    mtree_text_end(out);
    for (int h = 0; h < plan->num_hosts; h++) {
        free(pieces[h].bytes);
    }
    free(pieces);
    mtree_plan_cut_destroy(cut);
    return written > INT_MAX || common->length > INT_MAX ? MTREE_ERR_LIMIT : MTREE_OK;
}
