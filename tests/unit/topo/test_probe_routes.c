/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/runner.h"

#include "topo/probe/routes.h"

#define MAX_HOPS 6

static const char *const hosts[] = {"A", "B", "C", "D"};

/* Add routes: of each the numbers of its two hosts, and its hops of one character each,
 * '?' for one that does not answer. */
static void add_all(mtree_probe_routes_t *routes, const char *all)
{
    while (*all != '\0') {
        int from = all[0] - '0', to = all[1] - '0', count = 0;
        char texts[MAX_HOPS][2] = {{0}};
        const char *list[MAX_HOPS];

        for (all += 2; *all != '\0' && *all != ' '; ++all) {
            texts[count][0] = *all == '?' ? '\0' : *all;
            list[count] = texts[count];
            ++count;
        }
        mtree_probe_routes_add(routes, from, to, list, count);
        all += *all == ' ';
    }
}

static mtree_probe_graph_t resolve(mtree_probe_routes_t *routes)
{
    mtree_probe_graph_t graph;

    mtree_probe_routes_resolve(routes, &graph);
    mtree_probe_routes_destroy(routes);
    return graph;
}

/* The vertex at @a place of the path, its start being 0. */
static int at(const mtree_probe_graph_t *graph, int from, int to, int place)
{
    const mtree_probe_path_t *path = mtree_probe_graph_find_path(graph, from, to);

    ck_assert_ptr_nonnull(path);
    ck_assert_int_le(place, path->num_arcs);
    return (place == 0) ? from : mtree_probe_arc_to(graph, path->arcs[place - 1]);
}

/* A vertex, by its place in the path between two hosts; none if they are the same. */
typedef struct {
    int from, to, place;
} place_t;

static int vertex_at(const mtree_probe_graph_t *graph, const place_t *place)
{
    return at(graph, place->from, place->to, place->place);
}

static const struct {
    const char *routes; /* of each the two hosts and the hops */
    int num_routes, num_vertices, num_links;
    place_t same[2][2], differ[2]; /* vertices */
    place_t place;
    const char *name; /* of the vertex there */
} cases[] = {
    /* A and B at router x, C and D at y. */
    {"01x 02xy 20yx 31yx", .num_routes = 4, .num_vertices = 6, .num_links = 5,
     .same = {{{0, 2, 1}, {3, 1, 2}}}, .place = {0, 2, 1}, .name = "x"},
    /* The same, each router answering with the interface where packets come in. */
    {"01a 02ay 03ay 10b 12by 20cx 21cx 30dx", .num_routes = 8, .num_vertices = 6,
     .num_links = 5, .same = {{{0, 2, 1}, {3, 0, 2}}, {{0, 2, 2}, {3, 0, 1}}}},
    /* Two spines that are used by turns: p and q are whole addresses, as both are seen
     * before and after x; they must not become one because they mirror each other. */
    {"02xpy 13xqy 20yqx 31ypx", .num_routes = 4, .num_vertices = 8, .num_links = 8,
     .differ = {{0, 2, 2}, {2, 0, 2}}},
    /* B and C forward; B does not answer. */
    {"01 02? 03?C 12 23 30??", .num_routes = 6, .num_vertices = 4, .num_links = 3,
     .same = {{{0, 3, 1}, {1, 2, 0}}, {{3, 0, 1}, {2, 3, 0}}}},
    /* A and B at one silent router, C and D at another, z between them. */
    {"01? 02?z? 23? 31?z?", .num_routes = 4, .num_vertices = 7, .num_links = 6,
     .same = {{{0, 1, 1}, {3, 1, 3}}, {{0, 2, 3}, {3, 1, 1}}}, .place = {0, 1, 1}},
    /* Two silent routers between x and y: the same there and back. */
    {"01x??y 10y??x 23x??y", .num_routes = 3, .num_vertices = 8, .num_links = 7,
     .same = {{{0, 1, 2}, {1, 0, 3}}, {{2, 3, 3}, {1, 0, 2}}}},
    /* B and C at one silent router, which another one leads to. */
    {"01z?? 02z?? 12?", .num_routes = 3, .num_vertices = 7, .num_links = 5,
     .same = {{{0, 1, 2}, {0, 2, 2}}, {{0, 1, 3}, {0, 2, 3}}}},
};

UNIT_EACH(test_resolved, cases)
{
    mtree_probe_routes_t *routes = mtree_probe_routes_create(hosts, 4);
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;
    const place_t *differ = cases[_i].differ, *place = &cases[_i].place;

    add_all(routes, cases[_i].routes);
    graph = resolve(routes);
    ck_assert_int_eq(graph.num_vertices, cases[_i].num_vertices);
    ck_assert_int_eq(graph.num_links, cases[_i].num_links);
    for (int i = 0; i < 2; ++i) {
        const place_t *same = cases[_i].same[i];

        if (same->from != same->to) {
            ck_assert_int_eq(vertex_at(&graph, &same[0]), vertex_at(&graph, &same[1]));
        }
    }
    if (differ->from != differ->to) {
        ck_assert_int_ne(vertex_at(&graph, &differ[0]), vertex_at(&graph, &differ[1]));
    }
    if (place->from != place->to) {
        ck_assert_pstr_eq(graph.vertices[vertex_at(&graph, place)].name, cases[_i].name);
    }
}

UNIT_TEST(test_hosts_forward)
{
    mtree_probe_routes_t *routes = mtree_probe_routes_create(hosts, 4);
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    add_all(routes, "01 03BC 12 23");
    graph = resolve(routes);
    ck_assert_int_eq(graph.num_vertices, 4);
    ck_assert_int_eq(graph.num_links, 3);
    ck_assert_int_eq(at(&graph, 0, 3, 2), 2);
    /* The way back over a link is known without a trace. */
    ck_assert_ptr_nonnull(mtree_probe_graph_find_path(&graph, 1, 0));
    ck_assert_ptr_null(mtree_probe_graph_find_path(&graph, 3, 0));
}

/* Bridges of containers have one address on all hosts: the first host keeps it. */
UNIT_TEST(test_an_address_of_two_hosts)
{
    mtree_probe_routes_t *routes = mtree_probe_routes_create(hosts, 4);
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    mtree_probe_routes_add_address(routes, 1, "b");
    mtree_probe_routes_add_address(routes, 2, "b");
    add_all(routes, "01 03bC 12 23");
    graph = resolve(routes);
    ck_assert_int_eq(graph.num_links, 3);
    ck_assert_int_eq(at(&graph, 0, 3, 1), 1);
}
