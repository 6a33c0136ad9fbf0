/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of 26 simulated networks without routes plans carry 0.85 of what those of the true maps
 * do; without trees by neighbour joining 0.72, without hosts that forward 0.48, without
 * contraction 0.81 (notes/tried.md).
 */
#include "topo/probe/infer.h"

#include "base/log.h"

#include <math.h>
#include <string.h>

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

/* One-way distances between hosts, and what is made of them. */
typedef struct {
    int num_hosts, num_vertices; /* 2 num_hosts vertices at most, hosts first */
    double *distance;            /* [num_hosts * num_hosts] as measured */
    int *between; /* by two hosts: one that lies between them; NONE: they are linked */
    /* Of a tree by neighbour joining, in which vertices above the hosts are joints. */
    int *parent;         /* greater than the vertex; the root's is NONE */
    double *rise;        /* latency of the link to the parent */
    double *length;      /* scratch, as distance: between vertices not joined yet */
    int *active;         /* scratch: these vertices, by their places in length */
    double *sum;         /* scratch: of distances to active vertices */
    int *path;           /* scratch: the vertices of a path */
    double *latency;     /* scratch: of the links of a tree */
    mtree_arena_t arena; /* of the arrays */
} table_t;

/* The place of two hosts in a table. */
static size_t at(const table_t *table, int a, int b)
{
    return (size_t)a * (size_t)table->num_hosts + (size_t)b;
}

static mtree_status_t table_init(table_t *table, int num_hosts,
                                 const mtree_probe_rtt_t *rtts, int num_rtts)
{
    size_t hosts = (size_t)num_hosts, size = hosts * hosts;

    *table = (table_t){.num_hosts = num_hosts};
    MTREE_ARENA_ARRAY(&table->arena, table->distance, size);
    MTREE_ARENA_ARRAY(&table->arena, table->between, size);
    MTREE_ARENA_ARRAY(&table->arena, table->parent, 2 * hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->rise, 2 * hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->length, size);
    MTREE_ARENA_ARRAY(&table->arena, table->active, hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->sum, hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->path, 2 * hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->latency, 2 * hosts);
    for (int i = 0; i < num_rtts; ++i) {
        table->distance[at(table, rtts[i].from, rtts[i].to)] =
            table->distance[at(table, rtts[i].to, rtts[i].from)] = rtts[i].seconds / 2;
    }
    for (size_t i = 0; i < size; ++i) {
        if (i / hosts != i % hosts && table->distance[i] == 0) {
            mtree_error("hosts number %zu and %zu did not answer each other's pings; a "
                        "network without routes cannot be inferred without them",
                        i / hosts, i % hosts);
            return MTREE_ERR_UNREACHABLE;
        }
    }
    return MTREE_OK;
}

/* The host that lies between @a a and @a b and is the nearest to @a a, or NONE.  It is
 * nearer to both than they are to each other, so that of all pairs between a set of hosts
 * and the rest the nearest is linked, however large @a tolerance is. */
static int find_between(const table_t *table, int a, int b, double tolerance)
{
    const double direct = table->distance[at(table, a, b)];
    int found = NONE;

    for (int c = 0; c < table->num_hosts; ++c) {
        const double from = table->distance[at(table, a, c)];
        const double to = table->distance[at(table, c, b)];

        /* A detour that is shorter shows that the two have a link. */
        if (c != a && c != b && from < direct && to < direct &&
            fabs(from + to - direct) <= tolerance * direct &&
            (found == NONE || from < table->distance[at(table, a, found)])) {
            found = c;
        }
    }
    return found;
}

/* Link the hosts between which no third one lies.  Returns the number of links. */
static int link_hosts(table_t *table, double tolerance)
{
    int count = 0;

    for (int a = 0; a < table->num_hosts; ++a) {
        for (int b = 0; b < table->num_hosts; ++b) {
            table->between[at(table, a, b)] =
                a == b ? NONE : find_between(table, a, b, tolerance);
            count += a < b && table->between[at(table, a, b)] == NONE;
        }
    }
    return count;
}

/* List the vertices from host @a from to another in table->path; their number.  Where
 * hosts that lie between others would send packets round in a circle, the two are linked,
 * too. */
static int list_hosts(const table_t *table, int from, int to)
{
    int length = 0, vertex = from;

    while (vertex != to && length < table->num_hosts) {
        int next = to;

        while (table->between[at(table, vertex, next)] != NONE) {
            next = table->between[at(table, vertex, next)];
        }
        table->path[length++] = vertex;
        vertex = next;
    }
    length = vertex == to ? length : 1;
    table->path[length++] = to;
    return length;
}

/* The same over the joints of the tree: up from both ends to where they meet. */
static int list_joints(const table_t *table, int from, int to)
{
    int up = 0, down = 2 * table->num_hosts;

    while (from != to) {
        if (from < to) {
            table->path[up++] = from;
            from = table->parent[from];
        } else {
            table->path[--down] = to;
            to = table->parent[to];
        }
    }
    table->path[up++] = from;
    while (down < 2 * table->num_hosts) {
        table->path[up++] = table->path[down++];
    }
    return up;
}

/* The graph of the paths between all hosts. */
static void draw(const table_t *table, int num_vertices,
                 int (*list)(const table_t *, int, int), mtree_probe_graph_t *graph)
{
    const int num_hosts = table->num_hosts;

    mtree_probe_graph_init(graph, num_hosts);
    for (int i = num_hosts; i < num_vertices; ++i) {
        (void)mtree_probe_graph_add_switch(graph, NULL);
    }
    for (int i = 0; i < num_hosts * num_hosts; ++i) {
        if (i / num_hosts != i % num_hosts) {
            const int length = list(table, i / num_hosts, i % num_hosts);

            mtree_probe_graph_add_path(graph, table->path, length);
        }
    }
    mtree_probe_graph_index(graph);
}

/* The places in table->active of the pair to join: the two that are nearest to each other
 * relative to all others. */
static void find_neighbours(table_t *table, int num_active, int *i_p, int *j_p)
{
    double best = INFINITY;

    for (int i = 0; i < num_active; ++i) {
        table->sum[i] = 0;
        for (int j = 0; j < num_active; ++j) {
            table->sum[i] += table->length[at(table, i, j)];
        }
    }
    for (int i = 0; i < num_active; ++i) {
        for (int j = i + 1; j < num_active; ++j) {
            double value = (num_active - 2) * table->length[at(table, i, j)] -
                           table->sum[i] - table->sum[j];

            if (value < best) {
                best = value;
                *i_p = i;
                *j_p = j;
            }
        }
    }
}

/* Join the vertices at two of @a num_active places of table->active, of which @a i is the
 * first: a new one takes that place, and the last vertex the other. */
static void join(table_t *table, int num_active, int i, int j)
{
    double *length = table->length;
    const int last = num_active - 1;

    table->parent[table->active[i]] = table->parent[table->active[j]] =
        table->num_vertices;
    for (int k = 0; k < num_active; ++k) {
        if (k != i && k != j) {
            length[at(table, i, k)] = length[at(table, k, i)] =
                (length[at(table, i, k)] + length[at(table, j, k)] -
                 length[at(table, i, j)]) /
                2;
        }
    }
    table->active[i] = table->num_vertices++;
    table->active[j] = table->active[last];
    for (int k = 0; k < last; ++k) {
        length[at(table, j, k)] = length[at(table, k, j)] = length[at(table, last, k)];
    }
    length[at(table, j, j)] = 0;
}

/* Make the tree of all hosts; the last joint is its root. */
static void join_all(table_t *table)
{
    const int n = table->num_hosts;
    int i = 0, j = 1;

    table->num_vertices = n;
    memcpy(table->length, table->distance, at(table, n, 0) * sizeof(*table->length));
    for (int host = 0; host < n; ++host) {
        table->active[host] = host;
    }
    for (int num_active = n; num_active > 2; --num_active) {
        find_neighbours(table, num_active, &i, &j);
        join(table, num_active, i, j);
    }
    i = table->active[0] > table->active[1];
    table->parent[table->active[i]] = table->active[1 - i];
    table->parent[table->active[1 - i]] = NONE;
}

/* Make joint @a joint one with its parent; the later ones take lower numbers. */
static void contract(table_t *table, int joint)
{
    for (int i = 0; i < table->num_vertices; ++i) {
        if (i != joint && table->parent[i] == joint) {
            table->parent[i] = table->parent[joint];
        }
    }
    table->num_vertices--;
    for (int i = joint; i < table->num_vertices; ++i) {
        table->parent[i] = table->parent[i + 1];
    }
    for (int i = 0; i < table->num_vertices; ++i) {
        table->parent[i] -= table->parent[i] > joint;
    }
}

/* Contract the inner links that are shorter than @a least; returns their number. */
static int contract_all(table_t *table, double least)
{
    int count = 0;

    for (int i = table->num_vertices - 1; i >= table->num_hosts; --i) {
        if (table->parent[i] != NONE && table->rise[i] < least) {
            contract(table, i);
            ++count;
        }
    }
    return count;
}

/* Draw the tree, and fit its latencies; *error_p is their mean relative error. */
static void fit(table_t *table, const mtree_probe_rtt_t *rtts, int num_rtts,
                mtree_probe_graph_t *graph, double *error_p)
{
    draw(table, table->num_vertices, list_joints, graph);
    mtree_probe_fit_latencies(graph, rtts, num_rtts, table->latency, error_p);
    for (int i = 0; i < table->num_vertices; ++i) {
        if (table->parent[i] != NONE) {
            const int arc = mtree_probe_graph_find_arc(graph, i, table->parent[i]);

            table->rise[i] = table->latency[arc >> 1];
        }
    }
}

/* The tree of switches; *error_p is its mean relative error. */
static void infer_tree(table_t *table, const mtree_probe_rtt_t *rtts, int num_rtts,
                       mtree_probe_graph_t *graph_p, double *error_p)
{
    double mean = 0;

    for (int i = 0; i < num_rtts; ++i) {
        mean += rtts[i].seconds / 2 / num_rtts;
    }
    join_all(table);
    fit(table, rtts, num_rtts, graph_p, error_p);
    /* Contracting links changes the lengths of others. */
    while (contract_all(table, mean * fmax(SHORT_PART, SHORT_ERRORS * *error_p)) > 0) {
        mtree_probe_graph_clear(graph_p);
        fit(table, rtts, num_rtts, graph_p, error_p);
    }
}

mtree_status_t mtree_probe_infer(int num_hosts, const mtree_probe_rtt_t *rtts,
                                 int num_rtts, double noise, mtree_probe_graph_t *graph_p)
{
    bool is_tree = false;
    table_t table;
    mtree_status_t status = table_init(&table, num_hosts, rtts, num_rtts);
    const int num_links = status == MTREE_OK ? link_hosts(&table, fmax(EQUAL, noise)) : 0;
    double error;

    if (status == MTREE_OK && num_hosts > 2) {
        infer_tree(&table, rtts, num_rtts, graph_p, &error);
        is_tree = error <= fmax(TREE_ERROR, TREE_NOISES * noise) &&
                  graph_p->num_links < num_links;
        if (!is_tree) {
            mtree_probe_graph_clear(graph_p);
        }
    }
    if (status == MTREE_OK && !is_tree) {
        draw(&table, num_hosts, list_hosts, graph_p);
    }
    mtree_arena_cleanup(&table.arena);
    return status;
}
