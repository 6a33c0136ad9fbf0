/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/captured_log.h"
#include "tests/unit/runner.h"

#include "topo/probe/routes.h"

#define MAX_HOPS 6

static const char *const hosts[] = {"A", "B", "C", "D"};

static mtree_probe_routes_t *create(void)
{
    mtree_probe_routes_t *routes;

    unit_ok(mtree_probe_routes_create(hosts, 4, &routes));
    return routes;
}

/* Add a route whose hops are one character each, '?' for one that does not answer. */
static void add(mtree_probe_routes_t *routes, int from, int to, const char *hops)
{
    char texts[MAX_HOPS][2];
    const char *list[MAX_HOPS];
    int count = 0;

    for (; hops[count] != '\0'; ++count) {
        texts[count][0] = (hops[count] == '?') ? '\0' : hops[count];
        texts[count][1] = '\0';
        list[count] = texts[count];
    }
    unit_ok(mtree_probe_routes_add(routes, from, to, list, count));
}

static mtree_probe_graph_t resolve(mtree_probe_routes_t *routes)
{
    mtree_probe_graph_t graph;

    unit_ok(mtree_probe_routes_resolve(routes, &graph));
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

static void expect_size(const mtree_probe_graph_t *graph, int num_vertices, int num_links)
{
    ck_assert_int_eq(graph->num_vertices, num_vertices);
    ck_assert_int_eq(graph->num_links, num_links);
}

UNIT_TEST(test_hosts_forward)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    add(routes, 0, 1, "");
    add(routes, 1, 2, "");
    add(routes, 2, 3, "");
    add(routes, 0, 3, "BC");
    ck_assert(mtree_probe_routes_known(routes, 0, 3));
    ck_assert(!mtree_probe_routes_known(routes, 3, 0));
    graph = resolve(routes);
    expect_size(&graph, 4, 3);
    ck_assert_int_eq(at(&graph, 0, 3, 2), 2);
    /* The way back over a link is known without a trace. */
    ck_assert_ptr_nonnull(mtree_probe_graph_find_path(&graph, 1, 0));
    ck_assert_ptr_null(mtree_probe_graph_find_path(&graph, 3, 0));
}

UNIT_TEST(test_routers)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    /* A and B at router x, C and D at y. */
    add(routes, 0, 1, "x");
    add(routes, 0, 2, "xy");
    add(routes, 2, 0, "yx");
    add(routes, 3, 1, "yx");
    graph = resolve(routes);
    expect_size(&graph, 6, 5);
    ck_assert_int_eq(at(&graph, 0, 2, 1), at(&graph, 3, 1, 2));
    ck_assert_str_eq(graph.names[at(&graph, 0, 2, 1)], "x");
}

UNIT_TEST(test_interfaces)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    /* The same, each router answering with the interface where packets come in. */
    add(routes, 0, 1, "a");
    add(routes, 1, 0, "b");
    add(routes, 0, 2, "ay");
    add(routes, 2, 0, "cx");
    add(routes, 1, 2, "by");
    add(routes, 2, 1, "cx");
    add(routes, 3, 0, "dx");
    add(routes, 0, 3, "ay");
    graph = resolve(routes);
    expect_size(&graph, 6, 5);
    ck_assert_int_eq(at(&graph, 0, 2, 1), at(&graph, 3, 0, 2));
    ck_assert_int_eq(at(&graph, 0, 2, 2), at(&graph, 3, 0, 1));
}

UNIT_TEST(test_other_way_back)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    /* Two spines that are used by turns: p and q are whole addresses, as both are seen
     * before and after x; they must not become one because they mirror each other. */
    add(routes, 0, 2, "xpy");
    add(routes, 2, 0, "yqx");
    add(routes, 1, 3, "xqy");
    add(routes, 3, 1, "ypx");
    graph = resolve(routes);
    expect_size(&graph, 8, 8);
    ck_assert_int_ne(at(&graph, 0, 2, 2), at(&graph, 2, 0, 2));
}

UNIT_TEST(test_silent_between_known)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    /* B and C forward; B does not answer. */
    add(routes, 0, 1, "");
    add(routes, 1, 2, "");
    add(routes, 2, 3, "");
    add(routes, 0, 2, "?");
    add(routes, 0, 3, "?C");
    add(routes, 3, 0, "??");
    graph = resolve(routes);
    expect_size(&graph, 4, 3);
    ck_assert_int_eq(at(&graph, 0, 3, 1), 1);
    ck_assert_int_eq(at(&graph, 3, 0, 1), 2);
}

UNIT_TEST(test_silent_routers)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    /* A and B at one silent router, C and D at another, z between them. */
    add(routes, 0, 1, "?");
    add(routes, 2, 3, "?");
    add(routes, 0, 2, "?z?");
    add(routes, 3, 1, "?z?");
    graph = resolve(routes);
    expect_size(&graph, 7, 6);
    ck_assert_int_eq(at(&graph, 0, 1, 1), at(&graph, 3, 1, 3));
    ck_assert_int_eq(at(&graph, 0, 2, 3), at(&graph, 3, 1, 1));
    ck_assert_ptr_null(graph.names[at(&graph, 0, 1, 1)]);
}

UNIT_TEST(test_silent_inner)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    /* Two silent routers between x and y: the same there and back. */
    add(routes, 0, 1, "x??y");
    add(routes, 1, 0, "y??x");
    add(routes, 2, 3, "x??y");
    graph = resolve(routes);
    expect_size(&graph, 8, 7);
    ck_assert_int_eq(at(&graph, 0, 1, 2), at(&graph, 1, 0, 3));
    ck_assert_int_eq(at(&graph, 2, 3, 3), at(&graph, 1, 0, 2));
}

UNIT_TEST(test_last_counts)
{
    mtree_probe_routes_t *routes = create();
    UNIT_OWNED(mtree_probe_graph_clear) mtree_probe_graph_t graph;

    add(routes, 0, 1, "x");
    add(routes, 0, 1, "y");
    ck_assert_int_eq(mtree_probe_routes_count(routes), 1);
    graph = resolve(routes);
    expect_size(&graph, 5, 2);
    ck_assert_str_eq(graph.names[at(&graph, 0, 1, 1)], "y");
}

UNIT_TEST(test_refused)
{
    mtree_probe_routes_t *routes = create();
    const char *const twice[] = {"x", "y", "x"};
    const char *const end[] = {"B"};

    heard_start();
    ck_assert_int_eq(mtree_probe_routes_add(routes, 0, 1, twice, 3), MTREE_ERR_INVALID);
    ck_assert_str_eq(heard_last(), "the route from host number 0 to 1 passes x twice; "
                                   "leave routes out that changed while they were "
                                   "traced");
    ck_assert_int_eq(mtree_probe_routes_add(routes, 0, 1, end, 1), MTREE_ERR_INVALID);
    ck_assert_int_eq(mtree_probe_routes_add(routes, 0, 0, end, 1), MTREE_ERR_INVALID);
    ck_assert_int_eq(mtree_probe_routes_add(routes, 0, 4, end, 1), MTREE_ERR_INVALID);
    ck_assert_int_eq(mtree_probe_routes_add(routes, 0, 1, end, 65), MTREE_ERR_INVALID);
    ck_assert_int_eq(mtree_probe_routes_add_address(routes, 0, "B"), MTREE_ERR_INVALID);
    unit_ok(mtree_probe_routes_add_address(routes, 1, "B"));
    ck_assert_int_eq(heard_lines(), 6);
    ck_assert_int_eq(mtree_probe_routes_count(routes), 0);
    mtree_probe_routes_destroy(routes);
}
