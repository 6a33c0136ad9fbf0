/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/arborescence.h"
#include "tests/unit/planner/all_trees.h"
#include "tests/unit/runner.h"

#define VERTICES 5
#define EDGES    (VERTICES * (VERTICES - 1))

typedef struct {
    int from[EDGES], to[EDGES];
    double price[EDGES];
    double matrix[VERTICES * VERTICES]; /* of the same */
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
                graph->matrix[from * VERTICES + to] = graph->price[e++];
            }
        }
    }
}

UNIT_TEST(test_cheapest)
{
    for (unsigned seed = 1; seed <= 60; seed++) {
        int root = (int)(seed % VERTICES);
        int edge[VERTICES], parent[VERTICES];
        graph_t graph;

        draw_graph(&graph, seed);
        unit_ok(mtree_arborescence_find(VERTICES, root, EDGES, graph.from, graph.to,
                                        graph.price, edge));
        ck_assert_int_eq(edge[root], -1);
        for (int v = 0; v < VERTICES; v++) {
            parent[v] = v == root ? -1 : graph.from[edge[v]];
            ck_assert(v == root || graph.to[edge[v]] == v);
        }
        unit_near(all_trees_price(graph.matrix, VERTICES, VERTICES, root, parent, false),
                  all_trees_least(graph.matrix, VERTICES, VERTICES, root, false));
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
