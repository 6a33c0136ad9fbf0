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

/* One-way distances between hosts, and vertices of which some are linked, hosts first. */
typedef struct {
    int num_hosts, num_vertices; /* 2 num_hosts vertices at most, which is a row below */
    double *distance;            /* [num_hosts * num_hosts] as measured */
    double *length; /* by two vertices: of their path; between joints of a tree while it
                       is made */
    int *next;      /* by two vertices: the first of the path after the start, or NONE */
    /* Of a tree by neighbour joining, in which vertices above the hosts are joints. */
    int *parent;         /* greater than the vertex; the root's is NONE */
    double *rise;        /* latency of the link to the parent */
    int *active;         /* scratch: vertices that are not joined yet, ascending */
    double *sum;         /* scratch: of distances to active vertices */
    int *path;           /* scratch: the vertices of a path */
    double *latency;     /* scratch: of the links of a tree */
    mtree_arena_t arena; /* of the arrays */
} table_t;

/* The place of two vertices in length and next. */
static size_t at(const table_t *table, int a, int b)
{
    return (size_t)a * 2 * (size_t)table->num_hosts + (size_t)b;
}

static mtree_status_t table_init(table_t *table, int num_hosts,
                                 const mtree_probe_rtt_t *rtts, int num_rtts)
{
    size_t hosts = (size_t)num_hosts, size = hosts * hosts;

    *table = (table_t){.num_hosts = num_hosts};
    MTREE_ARENA_ARRAY(&table->arena, table->distance, size);
    MTREE_ARENA_ARRAY(&table->arena, table->length, 4 * size);
    MTREE_ARENA_ARRAY(&table->arena, table->next, 4 * size);
    MTREE_ARENA_ARRAY(&table->arena, table->parent, 2 * hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->rise, 2 * hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->active, hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->sum, hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->path, 2 * hosts);
    MTREE_ARENA_ARRAY(&table->arena, table->latency, 2 * hosts);
    for (size_t i = 0; i < size; ++i) {
        table->distance[i] = (i / hosts == i % hosts) ? 0 : INFINITY;
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
                        i / hosts, i % hosts);
            return MTREE_ERR_UNREACHABLE;
        }
    }
    return MTREE_OK;
}

static void clear_links(table_t *table, int num_vertices)
{
    table->num_vertices = num_vertices;
    for (size_t i = 0; i < at(table, num_vertices, 0); ++i) {
        table->next[i] = NONE;
        table->length[i] = INFINITY;
    }
}

static void link(table_t *table, int a, int b, double length)
{
    table->next[at(table, a, b)] = b;
    table->next[at(table, b, a)] = a;
    table->length[at(table, a, b)] = table->length[at(table, b, a)] = length;
}

/* Find the shortest paths (Floyd and Warshall); linked vertices keep their link. */
static void find_paths(table_t *table)
{
    const int n = table->num_vertices;

    for (int c = 0; c < n; ++c) {
        for (int a = 0; a < n; ++a) {
            for (int b = 0; b < n; ++b) {
                double around =
                    table->length[at(table, a, c)] + table->length[at(table, c, b)];

                if (a != b && table->next[at(table, a, b)] != b &&
                    around < table->length[at(table, a, b)]) {
                    table->length[at(table, a, b)] = around;
                    table->next[at(table, a, b)] = table->next[at(table, a, c)];
                }
            }
        }
    }
}

/* Add the path between two hosts, which are connected.  Where links that are kept beside
 * a shorter detour would send packets round in a circle, the two are linked, too. */
static void draw_path(const table_t *table, int from, int to, mtree_probe_graph_t *graph)
{
    int length = 0, vertex = from;

    while (vertex != to && length < table->num_vertices) {
        table->path[length++] = vertex;
        vertex = table->next[at(table, vertex, to)];
    }
    length = vertex == to ? length : 1;
    table->path[length++] = to;
    mtree_probe_graph_add_path(graph, table->path, length);
}

/* The graph of the links, with the paths between all hosts. */
static void draw(table_t *table, mtree_probe_graph_t *graph)
{
    const int num_hosts = table->num_hosts;

    mtree_probe_graph_init(graph, num_hosts);
    find_paths(table);
    for (int i = num_hosts; i < table->num_vertices; ++i) {
        (void)mtree_probe_graph_add_switch(graph, NULL);
    }
    for (int i = 0; i < num_hosts * num_hosts; ++i) {
        if (i / num_hosts != i % num_hosts) {
            draw_path(table, i / num_hosts, i % num_hosts, graph);
        }
    }
    mtree_probe_graph_index(graph);
}

/* Does a third host lie between @a a and @a b?  It is nearer to both than they are to
 * each other, so that of all pairs between a set of hosts and the rest the nearest is
 * linked, however large @a tolerance is. */
static bool has_between(const table_t *table, int a, int b, double tolerance)
{
    int n = table->num_hosts;
    double direct = table->distance[a * n + b];
    double from, to;

    for (int c = 0; c < n; ++c) {
        from = table->distance[a * n + c];
        to = table->distance[c * n + b];
        /* A detour that is shorter shows that the two have a link. */
        if (c != a && c != b && from < direct && to < direct &&
            fabs(from + to - direct) <= tolerance * direct) {
            return true;
        }
    }
    return false;
}

/* Link the hosts between which no third one lies.  Returns the number of links. */
static int link_hosts(table_t *table, double tolerance)
{
    const int n = table->num_hosts;
    int count = 0;

    clear_links(table, n);
    for (int a = 0; a < n; ++a) {
        for (int b = a + 1; b < n; ++b) {
            if (!has_between(table, a, b, tolerance)) {
                link(table, a, b, table->distance[a * n + b]);
                ++count;
            }
        }
    }
    return count;
}

/* The places in table->active of the pair to join: the two that are nearest to each other
 * relative to all others. */
static void find_neighbours(table_t *table, int num_active, int *i_p, int *j_p)
{
    double best = INFINITY;

    for (int i = 0; i < num_active; ++i) {
        table->sum[i] = 0;
        for (int j = 0; j < num_active; ++j) {
            table->sum[i] += table->length[at(table, table->active[i], table->active[j])];
        }
    }
    for (int i = 0; i < num_active; ++i) {
        for (int j = i + 1; j < num_active; ++j) {
            double value =
                (num_active - 2) *
                    table->length[at(table, table->active[i], table->active[j])] -
                table->sum[i] - table->sum[j];

            if (value < best) {
                best = value;
                *i_p = i;
                *j_p = j;
            }
        }
    }
}

/* Join the vertices at two places of table->active: a new one takes their place. */
static void join(table_t *table, int *num_active, int i, int j)
{
    const int a = table->active[i], b = table->active[j], joint = table->num_vertices++;
    int kept = 0;

    table->parent[a] = table->parent[b] = joint;
    for (int k = 0; k < *num_active; ++k) {
        const int other = table->active[k];

        if (other != a && other != b) {
            table->length[at(table, joint, other)] =
                table->length[at(table, other, joint)] =
                    (table->length[at(table, a, other)] +
                     table->length[at(table, b, other)] -
                     table->length[at(table, a, b)]) /
                    2;
            table->active[kept++] = other;
        }
    }
    table->length[at(table, joint, joint)] = 0;
    table->active[kept++] = joint;
    *num_active = kept;
}

/* Make the tree of all hosts; the last joint is its root. */
static void join_all(table_t *table)
{
    const int n = table->num_hosts;
    int num_active = n, i = 0, j = 1;

    table->num_vertices = n;
    for (int a = 0; a < n; ++a) {
        table->active[a] = a;
        for (int b = 0; b < n; ++b) {
            table->length[at(table, a, b)] = table->distance[a * n + b];
        }
    }
    while (num_active > 2) {
        find_neighbours(table, num_active, &i, &j);
        join(table, &num_active, i, j);
    }
    table->parent[table->active[0]] = table->active[1];
    table->parent[table->active[1]] = NONE;
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
    clear_links(table, table->num_vertices);
    for (int i = 0; i < table->num_vertices; ++i) {
        if (table->parent[i] != NONE) {
            link(table, i, table->parent[i], 1);
        }
    }
    draw(table, graph);
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
    for (int i = 0; i < MAX_CONTRACTIONS; ++i) {
        if (contract_all(table, mean * fmax(SHORT_PART, SHORT_ERRORS * *error_p)) == 0) {
            break;
        }
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
    const double tolerance = fmax(EQUAL, noise);
    int num_links = status == MTREE_OK ? link_hosts(&table, tolerance) : 0;
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
        (void)link_hosts(&table, tolerance);
        draw(&table, graph_p);
    }
    mtree_arena_cleanup(&table.arena);
    return status;
}
