/* SPDX-License-Identifier: BSD-3-Clause */
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

/* The graph of hosts that forward; MTREE_ERR_UNREACHABLE, not logged, when the links do
 * not join all. */
static mtree_status_t draw(table_t *table, mtree_probe_graph_t *graph)
{
    int n = table->num_hosts;
    mtree_status_t status;
    int *path;
    int at, length;

    status = mtree_probe_graph_init(graph, n);
    if (status != MTREE_OK) {
        return status;
    }
    MTREE_ARENA_ARRAY(&table->arena, path, (size_t)n + 1);
    if (path == NULL) {
        status = mtree_no_memory("the paths between %d hosts", n);
    }
    for (int i = 0; status == MTREE_OK && i < n * n; ++i) {
        if (i / n == i % n) {
            continue;
        }
        length = 0;
        for (at = i / n; at != NONE && at != i % n && length < n;
             at = table->next[at * n + i % n]) {
            path[length++] = at;
        }
        path[length++] = i % n;
        status = (at != i % n) ? MTREE_ERR_UNREACHABLE
                               : mtree_probe_graph_add_path(graph, path, length);
    }
    if (status == MTREE_OK) {
        status = mtree_probe_graph_index(graph);
    }
    if (status != MTREE_OK) {
        mtree_probe_graph_clear(graph);
    }
    return status;
}

mtree_status_t mtree_probe_infer(int num_hosts, const mtree_probe_rtt_t *rtts,
                                 int num_rtts, double noise, mtree_probe_graph_t *graph_p)
{
    mtree_probe_graph_t graph;
    mtree_status_t status;
    table_t table;
    double error;
    int num_links;

    status = table_init(&table, num_hosts, rtts, num_rtts);
    if (status != MTREE_OK) {
        goto out;
    }
    num_links = link_hosts(&table, fmax(EQUAL, noise));
    if (num_hosts > 2) {
        status = mtree_probe_infer_tree(num_hosts, table.distance, rtts, num_rtts, &graph,
                                        &error);
        if (status != MTREE_OK) {
            goto out;
        }
        if (error <= fmax(TREE_ERROR, TREE_NOISES * noise) &&
            graph.num_links < num_links) {
            *graph_p = graph;
            goto out;
        }
        mtree_probe_graph_clear(&graph);
    }
    status = draw(&table, &graph);
    if (status == MTREE_ERR_UNREACHABLE) {
        mtree_error("the round trips between %d hosts add up to no network; give a "
                    "topology file",
                    num_hosts);
    }
    if (status == MTREE_OK) {
        *graph_p = graph;
    }

out:
    mtree_arena_cleanup(&table.arena);
    return status;
}
