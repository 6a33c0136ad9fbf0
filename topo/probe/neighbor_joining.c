/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "base/log.h"
#include "topo/probe/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* An inner link is contracted that is shorter than SHORT_PART of the mean distance, or
 * than SHORT_ERRORS times the mean error of a distance. */
#define SHORT_PART   0.03
#define SHORT_ERRORS 3

/* Contracting links changes the lengths of others; each pass contracts one at least. */
#define MAX_CONTRACTIONS 16

/* A tree by neighbour joining: vertices above the hosts are joints. */
typedef struct {
    int num_hosts, num_vertices; /* 2 num_hosts - 1 at most */
    int *parent;                 /* the root's is NONE */
    int *class_of;               /* joints contracted into one vertex have equal ones */
    double *distance;            /* [num_vertices * num_vertices] while joining */
    bool *active;
    double *sum;         /* of distances to active vertices */
    double *latency;     /* [num_vertices] of the links of the graph */
    int *vertex_of;      /* [num_vertices] in the graph */
    mtree_arena_t arena; /* of the arrays */
} tree_t;

static mtree_status_t tree_init(tree_t *tree, int num_hosts, const double *distance)
{
    size_t size = 2 * (size_t)num_hosts;

    *tree = (tree_t){.num_hosts = num_hosts, .num_vertices = num_hosts};
    MTREE_ARENA_ARRAY(&tree->arena, tree->parent, size);
    MTREE_ARENA_ARRAY(&tree->arena, tree->class_of, size);
    MTREE_ARENA_ARRAY(&tree->arena, tree->distance, size * size);
    MTREE_ARENA_ARRAY(&tree->arena, tree->active, size);
    MTREE_ARENA_ARRAY(&tree->arena, tree->sum, size);
    MTREE_ARENA_ARRAY(&tree->arena, tree->latency, size);
    MTREE_ARENA_ARRAY(&tree->arena, tree->vertex_of, size);
    if (tree->arena.status != MTREE_OK) {
        mtree_arena_cleanup(&tree->arena);
        return mtree_no_memory("a tree of %d hosts", num_hosts);
    }
    for (int i = 0; i < 2 * num_hosts; ++i) {
        tree->parent[i] = NONE;
        tree->class_of[i] = i;
        tree->active[i] = i < num_hosts;
    }
    for (int i = 0; i < num_hosts; ++i) {
        for (int j = 0; j < num_hosts; ++j) {
            tree->distance[(size_t)i * size + (size_t)j] = distance[i * num_hosts + j];
        }
    }
    return MTREE_OK;
}

static double *between(const tree_t *tree, int i, int j)
{
    return &tree->distance[(size_t)i * 2 * (size_t)tree->num_hosts + (size_t)j];
}

/* Join @a i and @a j: a new vertex takes their place. */
static void join(tree_t *tree, int i, int j)
{
    int joint = tree->num_vertices++;
    double length;

    tree->parent[i] = joint;
    tree->parent[j] = joint;
    tree->active[i] = false;
    tree->active[j] = false;
    for (int k = 0; k < joint; ++k) {
        if (tree->active[k]) {
            length =
                (*between(tree, i, k) + *between(tree, j, k) - *between(tree, i, j)) / 2;
            *between(tree, joint, k) = length;
            *between(tree, k, joint) = length;
        }
    }
    tree->active[joint] = true;
}

/* The pair to join: the two that are nearest to each other relative to all others. */
static void find_neighbours(const tree_t *tree, int num_active, int *i_p, int *j_p)
{
    double best = INFINITY, at;

    for (int i = 0; i < tree->num_vertices; ++i) {
        for (int j = i + 1; tree->active[i] && j < tree->num_vertices; ++j) {
            at = (num_active - 2) * *between(tree, i, j) - tree->sum[i] - tree->sum[j];
            if (tree->active[j] && at < best) {
                best = at;
                *i_p = i;
                *j_p = j;
            }
        }
    }
}

static void join_all(tree_t *tree)
{
    int num_active, i, j, k, last = NONE;

    for (num_active = tree->num_hosts; num_active > 2; --num_active) {
        for (k = 0; k < tree->num_vertices; ++k) {
            tree->sum[k] = 0;
            for (j = 0; tree->active[k] && j < tree->num_vertices; ++j) {
                tree->sum[k] += tree->active[j] ? *between(tree, k, j) : 0;
            }
        }
        i = 0;
        j = 1;
        find_neighbours(tree, num_active, &i, &j);
        join(tree, i, j);
    }
    /* Two are left.  The later one, a joint unless there are two hosts, is the root. */
    for (i = 0; i < tree->num_vertices; ++i) {
        if (tree->active[i]) {
            if (last != NONE) {
                tree->parent[last] = i;
            }
            last = i;
        }
    }
}

static int class_find(const tree_t *tree, int vertex)
{
    while (tree->class_of[vertex] != vertex) {
        vertex = tree->class_of[vertex];
    }
    return vertex;
}

/* List the vertices from @a from to @a to, contracted ones once; returns their number. */
static int find_path(const tree_t *tree, int from, int to, int *path)
{
    int depth_from = 0, depth_to = 0, count = 0, tail = 2 * tree->num_hosts;
    int i, vertex;

    for (i = from; i != NONE; i = tree->parent[i]) {
        ++depth_from;
    }
    for (i = to; i != NONE; i = tree->parent[i]) {
        ++depth_to;
    }
    while (from != to) {
        if (depth_from >= depth_to) {
            path[count++] = from;
            from = tree->parent[from];
            --depth_from;
        } else {
            path[--tail] = to;
            to = tree->parent[to];
            --depth_to;
        }
    }
    path[count++] = from;
    while (tail < 2 * tree->num_hosts) {
        path[count++] = path[tail++];
    }
    for (i = 1, tail = 1; i < count; ++i) {
        vertex = class_find(tree, path[i]);
        if (vertex != path[tail - 1]) {
            path[tail++] = vertex;
        }
    }
    return tail;
}

/* The graph of the tree with its contracted links; tree->vertex_of is set to its
 * switches. */
static mtree_status_t draw(tree_t *tree, mtree_probe_graph_t *graph)
{
    mtree_status_t status;
    int *path, length;

    status = mtree_probe_graph_init(graph, tree->num_hosts);
    if (status != MTREE_OK) {
        return status;
    }
    MTREE_ARENA_ARRAY(&tree->arena, path, 2 * (size_t)tree->num_hosts);
    if (path == NULL) {
        status = mtree_no_memory("a tree of %d hosts", tree->num_hosts);
    }
    for (int i = 0; i < tree->num_vertices && status == MTREE_OK; ++i) {
        tree->vertex_of[i] = i;
        if (i >= tree->num_hosts && class_find(tree, i) == i) {
            status = mtree_probe_graph_add_switch(graph, NULL, &tree->vertex_of[i]);
        }
    }
    for (int i = 0; i < tree->num_hosts * tree->num_hosts && status == MTREE_OK; ++i) {
        if (i / tree->num_hosts == i % tree->num_hosts) {
            continue;
        }
        length = find_path(tree, i / tree->num_hosts, i % tree->num_hosts, path);
        for (int j = 0; j < length; ++j) {
            path[j] = tree->vertex_of[path[j]];
        }
        status = mtree_probe_graph_add_path(graph, path, length);
    }
    if (status == MTREE_OK) {
        status = mtree_probe_graph_index(graph);
    }
    if (status != MTREE_OK) {
        mtree_probe_graph_clear(graph);
    }
    return status;
}

/* Contract the inner links of @a graph that are shorter than @a least; returns their
 * number. */
static int contract(tree_t *tree, const mtree_probe_graph_t *graph, double least)
{
    int count = 0;
    int above, arc;

    for (int i = tree->num_hosts; i < tree->num_vertices; ++i) {
        if (tree->parent[i] == NONE) {
            continue;
        }
        above = class_find(tree, tree->parent[i]);
        if (class_find(tree, i) == above) {
            continue;
        }
        arc = mtree_probe_graph_find_arc(graph, tree->vertex_of[class_find(tree, i)],
                                         tree->vertex_of[above]);
        if (arc != NONE && tree->latency[arc >> 1] < least) {
            tree->class_of[class_find(tree, i)] = above;
            ++count;
        }
    }
    return count;
}

static mtree_status_t fit(tree_t *tree, const mtree_probe_rtt_t *rtts, int num_rtts,
                          mtree_probe_graph_t *graph, double *error_p)
{
    mtree_status_t status = draw(tree, graph);

    if (status == MTREE_OK) {
        status = mtree_probe_fit_latencies(graph, rtts, num_rtts, tree->latency, error_p);
        if (status != MTREE_OK) {
            mtree_probe_graph_clear(graph);
        }
    }
    return status;
}

mtree_status_t mtree_probe_infer_tree(int num_hosts, const double *distance,
                                      const mtree_probe_rtt_t *rtts, int num_rtts,
                                      mtree_probe_graph_t *graph_p, double *error_p)
{
    mtree_probe_graph_t graph;
    mtree_status_t status;
    double mean = 0, error = 0;
    tree_t tree;

    status = tree_init(&tree, num_hosts, distance);
    if (status != MTREE_OK) {
        return status;
    }
    for (int i = 0; i < num_rtts; ++i) {
        mean += rtts[i].seconds / 2 / num_rtts;
    }
    join_all(&tree);
    status = fit(&tree, rtts, num_rtts, &graph, &error);
    for (int i = 0; status == MTREE_OK && i < MAX_CONTRACTIONS; ++i) {
        if (contract(&tree, &graph, mean * fmax(SHORT_PART, SHORT_ERRORS * error)) == 0) {
            break;
        }
        mtree_probe_graph_clear(&graph);
        status = fit(&tree, rtts, num_rtts, &graph, &error);
    }
    if (status == MTREE_OK) {
        *graph_p = graph;
        *error_p = error;
    }

    mtree_arena_cleanup(&tree.arena);
    return status;
}
