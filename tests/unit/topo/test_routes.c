/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/given.h"

#include <sys/resource.h>

/* Of the routes between 1,024 hosts; ThreadSanitizer takes as much for itself. */
#ifdef __SANITIZE_THREAD__
#define MOST_KILOBYTES (128 << 10)
#else
#define MOST_KILOBYTES (64 << 10)
#endif

/* The names along a route, ends included, must read @a expected. */
static void assert_route(int from, int to, const char *expected)
{
    char text[256];

    strcpy(text, topology->vertices[hosts[from]].name);
    MTREE_ROUTE_ARCS (arc, routes, from, to) {
        strcat(text, " ");
        strcat(text, topology->vertices[mtree_arc_to(topology, arc)].name);
    }
    ck_assert_str_eq(text, expected);
}

UNIT_TEST(test_least_latency)
{
    given_routes(map_text("graph { edge [capacity=\"1Mbps\" latency=\"1ms\"]\n"
                          "a -- b -- c -- d; a -- d [latency=\"9ms\"] }"));
    assert_route(0, 2, "a b c");
    assert_route(0, 0, "a");
    ck_assert_double_eq(mtree_routes_latency(routes, 0, 2), 0.002);
    ck_assert_double_eq(mtree_routes_latency(routes, 1, 1), 0);
    /* Neighbours use their own link even where a longer way is faster. */
    assert_route(0, 3, "a d");
    ck_assert_double_eq(mtree_routes_latency(routes, 0, 3), 0.009);
    assert_route(1, 3, "b c d");
    ck_assert(mtree_routes_adjacent(routes, 0, 3));
    ck_assert(!mtree_routes_adjacent(routes, 0, 2));
}

UNIT_TEST(test_fewer_links_break_ties)
{
    given_routes(map_text("graph { edge [capacity=\"1Mbps\" latency=\"1ms\"]\n"
                          "a -- b -- c -- d -- e; a -- e [latency=\"2ms\"] }"));
    assert_route(0, 3, "a e d");
    assert_route(3, 0, "d e a");
}

/* Where mtree itself chooses between two switches, whatever the destination. */
UNIT_TEST(test_wide_links_that_name_their_ends_break_ties)
{
    given_routes(map_text("graph { node [kind=switch] s t; node [kind=host]\n"
                          "edge [capacity=\"9Mbps\"]; {a b c} -- s\n"
                          "edge [capacity=\"1Mbps\"]\n"
                          "a -- t [from_address=\"10.1.0.1\"]\n"
                          "b -- t [from_address=\"10.1.0.2\"]\n"
                          "c -- t [from_address=\"10.1.0.3\"] }"));
    assert_route(0, 1, "a t b");
    assert_route(1, 0, "b t a");
    assert_route(0, 2, "a t c");
}

UNIT_TEST(test_one_way_links)
{
    given_routes(map_text("digraph { a -> b -> c -> a [capacity=\"1Mbps\"] }"));
    assert_route(0, 2, "a b c");
    assert_route(2, 0, "c a");
    assert_route(1, 0, "b c a");
}

UNIT_TEST(test_switches_do_not_separate)
{
    given_routes(map_text("graph { s [kind=switch] t [kind=switch]\n"
                          "a -- s -- t -- b -- c [capacity=\"1Mbps\"] }"));
    assert_route(0, 1, "a s t b");
    ck_assert(mtree_routes_adjacent(routes, 0, 1));
    ck_assert(!mtree_routes_adjacent(routes, 0, 2));
    mtree_routes_destroy(routes);
    unit_ok(mtree_routes_create(topology, NULL, 0, &routes));
    assert_route(0, 1, "a s t b");
    mtree_routes_destroy(routes);
    /* A host that takes no part forwards as a switch does. */
    hosts[1] = hosts[2];
    unit_ok(mtree_routes_create(topology, hosts, 2, &routes));
    assert_route(0, 1, "a s t b c");
    ck_assert(mtree_routes_adjacent(routes, 0, 1));
}

/* Every route is connected, and what follows a vertex of it is that vertex' own route:
 * one table of next vertices by destination serves the network. */
static void assert_consistent(void)
{
    UNIT_FREED int *number = malloc((size_t)topology->num_vertices * sizeof(*number));
    UNIT_FREED int *arcs = malloc((size_t)topology->num_vertices * sizeof(*arcs));
    UNIT_FREED int *rest = malloc((size_t)topology->num_vertices * sizeof(*rest));

    for (int i = 0; i < topology->num_vertices; ++i) {
        number[i] = -1;
    }
    for (int i = 0; i < num_hosts; ++i) {
        number[hosts[i]] = i;
    }
    for (int from = 0; from < num_hosts; ++from) {
        for (int to = 0; to < num_hosts; ++to) {
            const int num_arcs = mtree_routes_list(routes, from, to, arcs);
            double latency = 0;
            int at = hosts[from];

            ck_assert_int_eq(num_arcs, mtree_routes_links(routes, from, to));
            for (int i = 0; i < num_arcs; ++i) {
                latency += topology->links[arcs[i] >> 1].latency;
                ck_assert_int_eq(mtree_arc_from(topology, arcs[i]), at);
                at = mtree_arc_to(topology, arcs[i]);
                if (number[at] >= 0) {
                    ck_assert_int_eq(mtree_routes_list(routes, number[at], to, rest),
                                     num_arcs - i - 1);
                    ck_assert_mem_eq(rest, arcs + i + 1,
                                     (size_t)(num_arcs - i - 1) * sizeof(*rest));
                }
            }
            ck_assert_int_eq(at, hosts[to]);
            ck_assert_double_eq_tol(mtree_routes_latency(routes, from, to), latency,
                                    1e-12 * (num_arcs + 1));
        }
    }
}

/* Shapes, and files. */
static const char *const networks[] = {"torus:4x4",   "mesh:3x5",     "fattree:4",
                                       "fattree:8x8", "bigraph:4x8",  "random:40:80",
                                       "/b4.dot",     "/abilene.dot", "/geant.dot"};

UNIT_EACH(test_consistent, networks)
{
    char path[512];

    (void)snprintf(path, sizeof(path), TOPOLOGIES "%s", networks[_i]);
    given_routes(networks[_i][0] == '/' ? map_file(path)
                                        : map_shape(networks[_i], 1e9, 0));
    assert_consistent();
}

/* From one switch of a fat tree to the hosts elsewhere all uplinks are used, evenly. */
UNIT_TEST(test_fat_tree_spreads)
{
    int use[3072 * 2] = {0};

    given_routes(map_shape("fattree:8", 1e9, 0));
    ck_assert_int_eq(num_hosts, 128);
    for (int from = 0; from < num_hosts; ++from) {
        for (int to = 0; to < num_hosts; ++to) {
            ck_assert_int_le(mtree_routes_links(routes, from, to), 6);
            MTREE_ROUTE_ARCS (on, routes, from, to) {
                ++use[on];
            }
        }
    }
    /* Each of the 32 uplinks of a pod's aggregation switches carries its hosts' routes to
     * the 112 hosts of other pods: 16 * 112 / 16 links up from a pod. */
    for (int arc = 0; arc < 2 * topology->num_links; ++arc) {
        if (strncmp(topology->vertices[mtree_arc_to(topology, arc)].name, "core", 4) ==
            0) {
            ck_assert_int_eq(use[arc], 112);
        }
    }
}

UNIT_TEST(test_large)
{
    given_routes(map_shape("fattree:16", 1e9, 0));
    ck_assert_int_eq(num_hosts, 1024);
    ck_assert_int_eq(mtree_routes_links(routes, 0, 1023), 6);
}

/* Routes that share their ends share memory: the quarter of a million arcs from each of
 * the hosts of a ring to all others would need a gigabyte. */
UNIT_TEST(test_long_routes_share_memory)
{
    struct rusage before, after;

    getrusage(RUSAGE_SELF, &before);
    given_routes(map_shape("ring:1024", 1e9, 0));
    getrusage(RUSAGE_SELF, &after);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, MOST_KILOBYTES);
    ck_assert_int_eq(mtree_routes_links(routes, 0, 512), 512);
    ck_assert_int_eq(mtree_routes_links(routes, 3, 1020), 7);
}

UNIT_TEST(test_unreachable_and_too_many)
{
    static int many[MTREE_ROUTES_MAX_HOSTS + 1];
    int pair[] = {0, 1};

    topology = mtree_topology_create("t", "test");
    mtree_topology_add_vertex(topology, "a", NULL, MTREE_VERTEX_HOST, NULL);
    mtree_topology_add_vertex(topology, "b", NULL, MTREE_VERTEX_HOST, NULL);
    mtree_topology_add_link(topology, 0, 1, 1e6, 0, 0, NULL);
    ck_assert_int_eq(mtree_routes_create(topology, pair, 2, &routes),
                     MTREE_ERR_UNREACHABLE);
    heard_is("test: host b has no path to host a; join them with links");
    ck_assert_int_eq(mtree_topology_find_unreachable(topology, &pair[0], &pair[1]),
                     MTREE_ERR_UNREACHABLE);
    ck_assert(pair[0] == 1 && pair[1] == 0);
    ck_assert_int_eq(heard_lines(), 1);
    ck_assert_int_eq(
        mtree_routes_create(topology, many, MTREE_ROUTES_MAX_HOSTS + 1, &routes),
        MTREE_ERR_LIMIT);
}

UNIT_FIXTURE(NULL, forget)
