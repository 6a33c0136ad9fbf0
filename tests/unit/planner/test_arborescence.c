/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/arborescence.h"
#include "tests/unit/runner.h"

#include <math.h>
#include <stdlib.h>

#define VERTICES 5
#define EDGES    (VERTICES * (VERTICES - 1))

typedef struct {
    int from[EDGES], to[EDGES];
    double price[EDGES];
} graph_t;

static void draw_graph(graph_t *graph, unsigned seed)
{
    int e = 0;

    srand(seed);
    for (int from = 0; from < VERTICES; from++) {
        for (int to = 0; to < VERTICES; to++) {
            if (from != to) {
                graph->from[e] = from;
                graph->to[e] = to;
                graph->price[e] = rand() % 20;
                e++;
            }
        }
    }
}

/* Does edge[v] into every vertex but the root lead back to the root; its price into
 * *price_p. */
static int is_arborescence(const graph_t *graph, int root, const int *edge,
                           double *price_p)
{
    *price_p = 0;
    for (int v = 0; v < VERTICES; v++) {
        int at = v;

        for (int hops = 0; at != root && hops < VERTICES; hops++) {
            at = graph->from[edge[at]];
        }
        if (at != root) {
            return 0;
        }
        *price_p += v == root ? 0 : graph->price[edge[v]];
    }
    return 1;
}

/* The least price over all choices of an edge into each vertex. */
static double try_all(const graph_t *graph, int root)
{
    double least = INFINITY;
    int choice[VERTICES];
    int edge[VERTICES];
    long all = 1;

    for (int v = 0; v < VERTICES; v++) {
        all *= VERTICES - 1;
    }
    for (long code = 0; code < all; code++) {
        long rest = code;
        double price;

        for (int v = 0; v < VERTICES; v++) {
            choice[v] = (int)(rest % (VERTICES - 1));
            rest /= VERTICES - 1;
        }
        for (int v = 0; v < VERTICES; v++) {
            int from = choice[v] < v ? choice[v] : choice[v] + 1;

            edge[v] = from * (VERTICES - 1) + (v < from ? v : v - 1);
        }
        if (is_arborescence(graph, root, edge, &price) && price < least) {
            least = price;
        }
    }
    return least;
}

UNIT_TEST(test_cheapest)
{
    for (unsigned seed = 1; seed <= 60; seed++) {
        int root = (int)(seed % VERTICES);
        int edge[VERTICES];
        double price;
        graph_t graph;

        draw_graph(&graph, seed);
        unit_ok(mtree_arborescence_find(VERTICES, root, EDGES, graph.from, graph.to,
                                        graph.price, edge));
        ck_assert_int_eq(edge[root], -1);
        ck_assert_int_eq(is_arborescence(&graph, root, edge, &price), 1);
        ck_assert_double_eq_tol(price, try_all(&graph, root), 1e-9);
    }
}

UNIT_TEST(test_unreachable)
{
    static const int from[] = {0, 2};
    static const int to[] = {1, 1};
    static const double price[] = {1, 1};
    int edge[3];

    ck_assert_int_eq(mtree_arborescence_find(3, 0, 2, from, to, price, edge),
                     MTREE_ERR_UNREACHABLE);
}

/* Between equal prices a cycle takes in one vertex after the other.  That costs the edges
 * at its border each time, not all edges: those would take minutes. */
UNIT_TEST(test_long_line)
{
    enum { LENGTH = 60000 };
    UNIT_FREED int *from = malloc(2 * LENGTH * sizeof(*from));
    UNIT_FREED int *to = malloc(2 * LENGTH * sizeof(*to));
    UNIT_FREED int *edge = malloc(LENGTH * sizeof(*edge));
    UNIT_FREED double *price = malloc(2 * LENGTH * sizeof(*price));

    ck_assert(from != NULL && to != NULL && edge != NULL && price != NULL);
    for (int e = 0; e < LENGTH - 1; e++) {
        from[e] = to[LENGTH - 1 + e] = e + 1;
        to[e] = from[LENGTH - 1 + e] = e;
        price[e] = price[LENGTH - 1 + e] = 1.0;
    }
    unit_ok(mtree_arborescence_find(LENGTH, 0, 2 * (LENGTH - 1), from, to, price, edge));
    for (int v = 1; v < LENGTH; v++) {
        ck_assert_int_eq(from[edge[v]], v - 1);
    }
}
