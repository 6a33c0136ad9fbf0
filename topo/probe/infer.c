/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of 26 simulated networks without routes plans carry 0.85 of what those of the true maps
 * do; without trees by neighbour joining 0.72, without hosts that forward 0.48, without
 * contraction 0.81 (notes/tried.md).
 */
#include "topo/probe/infer.h"

#include "base/arena.h"
#include "base/log.h"

#include <math.h>
#include <stdlib.h>

#define NONE (-1)

/* Round trips with a smaller relative difference are equal, unless the noise is larger.
 */
#define EQUAL 0.03

/* A tree is refused whose mean error is above both TREE_ERROR and TREE_NOISES times the
 * noise. */
#define TREE_ERROR  0.04
#define TREE_NOISES 2

/* An inner link is contracted that is shorter than SHORT_PART of the mean distance, or
 * than SHORT_ERRORS times the mean error of a distance. */
#define SHORT_PART   0.03
#define SHORT_ERRORS 3

/* Contracting links changes the lengths of others; each pass contracts one at least. */
#define MAX_CONTRACTIONS 16

/* Write the vertices of the path from @a from to @a to to @a path; returns their number,
 * 0: there is none. */
typedef int (*list_path_t)(const void *data, int from, int to, int *path);

/* The graph with the paths that @a list gives, each of @a most vertices at most.
 * MTREE_ERR_UNREACHABLE, not logged, when one is missing. */
static mtree_status_t draw(int num_hosts, int num_switches, int most, list_path_t list,
                           const void *data, mtree_probe_graph_t *graph)
{
    int *path = malloc((size_t)most * sizeof(*path)), vertex, length;
    mtree_status_t status = path == NULL
                                ? mtree_no_memory("the paths between %d hosts", num_hosts)
                                : mtree_probe_graph_init(graph, num_hosts);

    if (status != MTREE_OK) {
        free(path);
        return status;
    }
    for (int i = 0; i < num_switches && status == MTREE_OK; ++i) {
        status = mtree_probe_graph_add_switch(graph, NULL, &vertex);
    }
    for (int i = 0; i < num_hosts * num_hosts && status == MTREE_OK; ++i) {
        if (i / num_hosts != i % num_hosts) {
            length = list(data, i / num_hosts, i % num_hosts, path);
            status = length == 0 ? MTREE_ERR_UNREACHABLE
                                 : mtree_probe_graph_add_path(graph, path, length);
        }
    }
    free(path);
    if (status == MTREE_OK) {
        status = mtree_probe_graph_index(graph);
    }
    if (status != MTREE_OK) {
        mtree_probe_graph_clear(graph);
    }
    return status;
}

/* One-way distances, and the shortest paths over the chosen links. */
typedef struct {
    int num_hosts;
    double *distance;    /* [num_hosts * num_hosts] as measured */
    double *length;      /* of the path */
    int *next;           /* the first host of the path */
    mtree_arena_t arena; /* of the arrays */
} table_t;

static mtree_status_t table_init(table_t *table, int num_hosts,
                                 const mtree_probe_rtt_t *rtts, int num_rtts)
{
    size_t size = (size_t)num_hosts * (size_t)num_hosts;

    *table = (table_t){.num_hosts = num_hosts};
    MTREE_ARENA_ARRAY(&table->arena, table->distance, size);
    MTREE_ARENA_ARRAY(&table->arena, table->length, size);
    MTREE_ARENA_ARRAY(&table->arena, table->next, size);
    if (table->arena.status != MTREE_OK) {
        return mtree_no_memory("the distances of %d hosts", num_hosts);
    }
    for (size_t i = 0; i < size; ++i) {
        table->distance[i] =
            (i / (size_t)num_hosts == i % (size_t)num_hosts) ? 0 : INFINITY;
    }
    for (int rtt = 0; rtt < num_rtts; ++rtt) {
        table->distance[rtts[rtt].from * num_hosts + rtts[rtt].to] =
            rtts[rtt].seconds / 2;
        table->distance[rtts[rtt].to * num_hosts + rtts[rtt].from] =
            rtts[rtt].seconds / 2;
    }
    for (size_t i = 0; i < size; ++i) {
        if (isinf(table->distance[i])) {
            mtree_error("hosts number %zu and %zu did not answer each other's pings; a "
                        "network without routes cannot be inferred without them",
                        i / (size_t)num_hosts, i % (size_t)num_hosts);
            return MTREE_ERR_UNREACHABLE;
        }
    }
    return MTREE_OK;
}

/* Does a third host lie between @a a and @a b? */
static bool has_between(const table_t *table, int a, int b, double tolerance)
{
    int n = table->num_hosts;
    double direct = table->distance[a * n + b];
    double around;

    for (int c = 0; c < n; ++c) {
        around = table->distance[a * n + c] + table->distance[c * n + b];
        /* A detour that is shorter shows that the two have a link. */
        if (c != a && c != b && fabs(around - direct) <= tolerance * direct) {
            return true;
        }
    }
    return false;
}

/* Link the hosts between which no third one lies, and find the paths over the links
 * (Floyd and Warshall; linked hosts keep their link).  Returns the number of links. */
static int link_hosts(table_t *table, double tolerance)
{
    int n = table->num_hosts;
    int count = 0;
    double around;

    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            table->next[a * n + b] = NONE;
            table->length[a * n + b] = INFINITY;
            if (a != b && !has_between(table, a, b, tolerance)) {
                table->next[a * n + b] = b;
                table->length[a * n + b] = table->distance[a * n + b];
                count += a < b;
            }
        }
    }
    for (int c = 0; c < n; ++c) {
        for (int a = 0; a < n; ++a) {
            for (int b = 0; b < n; ++b) {
                around = table->length[a * n + c] + table->length[c * n + b];
                if (a != b && table->next[a * n + b] != b &&
                    around < table->length[a * n + b]) {
                    table->length[a * n + b] = around;
                    table->next[a * n + b] = table->next[a * n + c];
                }
            }
        }
    }
    return count;
}

/* Along the links of hosts that forward. */
static int list_table_path(const void *data, int from, int to, int *path)
{
    const table_t *table = data;
    int length = 0, at = from;

    for (; at != NONE && at != to && length < table->num_hosts;
         at = table->next[at * table->num_hosts + to]) {
        path[length++] = at;
    }
    path[length++] = to;
    return at == to ? length : 0;
}

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

/* List the vertices of the graph from @a from to @a to; returns their number. */
static int list_tree_path(const void *data, int from, int to, int *path)
{
    const tree_t *tree = data;
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
        vertex = tree->vertex_of[mtree_probe_class_find(tree->class_of, path[i])];
        if (vertex != path[tail - 1]) {
            path[tail++] = vertex;
        }
    }
    return tail;
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
        above = mtree_probe_class_find(tree->class_of, tree->parent[i]);
        if (mtree_probe_class_find(tree->class_of, i) == above) {
            continue;
        }
        arc = mtree_probe_graph_find_arc(
            graph, tree->vertex_of[mtree_probe_class_find(tree->class_of, i)],
            tree->vertex_of[above]);
        if (arc != NONE && tree->latency[arc >> 1] < least) {
            tree->class_of[mtree_probe_class_find(tree->class_of, i)] = above;
            ++count;
        }
    }
    return count;
}

/* Draw the tree with its contracted links, and fit its latencies. */
static mtree_status_t fit(tree_t *tree, const mtree_probe_rtt_t *rtts, int num_rtts,
                          mtree_probe_graph_t *graph, double *error_p)
{
    const int num_hosts = tree->num_hosts;
    int num_switches = 0;
    mtree_status_t status;

    for (int i = 0; i < tree->num_vertices; ++i) {
        tree->vertex_of[i] = i;
        if (i >= num_hosts && mtree_probe_class_find(tree->class_of, i) == i) {
            tree->vertex_of[i] = num_hosts + num_switches++;
        }
    }
    status = draw(num_hosts, num_switches, 2 * num_hosts, list_tree_path, tree, graph);
    if (status == MTREE_OK) {
        status = mtree_probe_fit_latencies(graph, rtts, num_rtts, tree->latency, error_p);
        if (status != MTREE_OK) {
            mtree_probe_graph_clear(graph);
        }
    }
    return status;
}

/* The tree of switches; *error_p is its mean relative error. */
static mtree_status_t infer_tree(int num_hosts, const double *distance,
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

mtree_status_t mtree_probe_infer(int num_hosts, const mtree_probe_rtt_t *rtts,
                                 int num_rtts, double noise, mtree_probe_graph_t *graph_p)
{
    bool is_tree = false;
    table_t table;
    mtree_status_t status = table_init(&table, num_hosts, rtts, num_rtts);
    int num_links = status == MTREE_OK ? link_hosts(&table, fmax(EQUAL, noise)) : 0;
    double error;

    if (status == MTREE_OK && num_hosts > 2) {
        status = infer_tree(num_hosts, table.distance, rtts, num_rtts, graph_p, &error);
        is_tree = status == MTREE_OK && error <= fmax(TREE_ERROR, TREE_NOISES * noise) &&
                  graph_p->num_links < num_links;
        if (status == MTREE_OK && !is_tree) {
            mtree_probe_graph_clear(graph_p);
        }
    }
    if (status == MTREE_OK && !is_tree) {
        status = draw(num_hosts, 0, num_hosts + 1, list_table_path, &table, graph_p);
        if (status == MTREE_ERR_UNREACHABLE) {
            mtree_error("the round trips between %d hosts add up to no network; give a "
                        "topology file",
                        num_hosts);
        }
    }
    mtree_arena_cleanup(&table.arena);
    return status;
}
