/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/random.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "topo/generators.h"

UNIT_TEST(test_find_host)
{
    OWNED(topology) *topology = mtree_topology_create("t", "test");

    ck_assert_ptr_null(mtree_topology_nearest_host(topology, "n1"));
    mtree_topology_add_vertex(topology, "a", "n1.site", MTREE_VERTEX_HOST, NULL);
    mtree_topology_add_vertex(topology, "b", "n2", MTREE_VERTEX_HOST, NULL);
    mtree_topology_add_vertex(topology, "c", "10.0.0.1", MTREE_VERTEX_HOST, NULL);
    mtree_topology_add_vertex(topology, "d", "n2.x", MTREE_VERTEX_SWITCH, NULL);
    mtree_topology_add_vertex(topology, "e", "m.p", MTREE_VERTEX_HOST, NULL);
    mtree_topology_add_vertex(topology, "f", "m.q", MTREE_VERTEX_HOST, NULL);
    ck_assert_int_eq(mtree_topology_find_host(topology, "n1.site"), 0);
    ck_assert_int_eq(mtree_topology_find_host(topology, "n1"), 0);
    ck_assert_int_eq(mtree_topology_find_host(topology, "n1.other"), 0);
    ck_assert_int_eq(mtree_topology_find_host(topology, "n2.site"), 1);
    ck_assert_int_eq(mtree_topology_find_host(topology, "n22"), -1);
    ck_assert_int_eq(mtree_topology_find_host(topology, "10.0.0.1"), 2);
    ck_assert_int_eq(mtree_topology_find_host(topology, "10.0.0.2"), -1);
    ck_assert_int_eq(mtree_topology_find_host(topology, "m"), -1);
    ck_assert_int_eq(mtree_topology_find_host(topology, "m.q"), 5);
    ck_assert_int_eq(mtree_topology_find_host(topology, "N1.Site"), 0);
    ck_assert_int_eq(mtree_topology_find_host(topology, "n1.site."), 0);
    ck_assert_int_eq(mtree_topology_find_host(topology, "M.q."), 5);
    ck_assert_int_eq(mtree_topology_find_host(topology, "10.0.0.1."), -1);
    ck_assert_str_eq(mtree_topology_nearest_host(topology, "n3.other"), "n1.site");
    ck_assert_str_eq(mtree_topology_nearest_host(topology, "M"), "m.p");
    ck_assert_str_eq(mtree_topology_nearest_host(topology, "10.0.0.2"), "10.0.0.1");
    ck_assert_int_eq(mtree_topology_find_vertex(topology, "d"), 3);
    ck_assert_int_eq(mtree_topology_find_vertex(topology, "n2"), -1);
    ck_assert_int_eq(mtree_topology_num_hosts(topology), 5);
}

UNIT_TEST(test_names)
{
    char name[MTREE_TOPOLOGY_MAX_NAME + 2];

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    ck_assert(!mtree_topology_name_valid(name));
    ck_assert(mtree_topology_name_valid(name + 1));
    ck_assert(mtree_topology_name_valid("Z\xc3\xbcrich"));
    ck_assert(!mtree_topology_name_valid(""));
    ck_assert(!mtree_topology_name_valid("a\"b"));
    ck_assert(!mtree_topology_name_valid("a\\b"));
    ck_assert(!mtree_topology_name_valid("a\nb"));
    ck_assert(!mtree_topology_name_valid("\xc3"));
    ck_assert(!mtree_topology_name_valid("\xed\xa0\x80"));
    ck_assert(!mtree_topology_name_valid("\xc0\xaf"));
    ck_assert(!mtree_topology_name_valid("\xf4\x90\x80\x80"));
}

UNIT_TEST(test_bad_links)
{
    OWNED(topology) *topology = mtree_topology_create("t", "test");

    mtree_topology_add_vertex(topology, "a", NULL, MTREE_VERTEX_HOST, NULL);
    mtree_topology_add_vertex(topology, "b", NULL, MTREE_VERTEX_HOST, NULL);
    unit_invalid(mtree_topology_add_link(topology, 0, 1, -1, 1, 0, NULL));
    unit_invalid(mtree_topology_add_link(topology, 0, 1, NAN, 1, 0, NULL));
    unit_invalid(mtree_topology_add_link(topology, 0, 1, 0, 0, 0, NULL));
    unit_invalid(mtree_topology_add_link(topology, 0, 0, 1, 1, 0, NULL));
    unit_invalid(mtree_topology_add_link(topology, 0, 1, 1, 1, NAN, NULL));
    unit_invalid(mtree_topology_add_link(topology, 0, 1, 1, 1, 101, NULL));
    ck_assert_int_eq(topology->num_links, 0);
    ck_assert_int_eq(heard_lines(), 6);
}

/* The published first numbers of SplitMix64 from seed 1234567. */
UNIT_TEST(test_random)
{
    mtree_random_t random;
    int count[10] = {0};
    double fraction;
    int i;

    mtree_random_init(&random, 1234567);
    ck_assert_uint_eq(mtree_random_next(&random), 6457827717110365317u);
    ck_assert_uint_eq(mtree_random_next(&random), 3203168211198807973u);
    for (i = 0; i < 10000; ++i) {
        ++count[mtree_random_below(&random, 10)];
        fraction = mtree_random_fraction(&random);
        ck_assert(fraction >= 0 && fraction < 1);
    }
    for (i = 0; i < 10; ++i) {
        ck_assert_int_gt(count[i], 850);
        ck_assert_int_lt(count[i], 1150);
    }
}

static const struct {
    const char *shape;
    int num_hosts, num_switches, num_links;
} shapes[] = {
    {"torus:4x4", 16, 0, 32},
    {"torus:8x8", 64, 0, 128},
    {"torus:3x3x3", 27, 0, 81},
    {"torus:2x3", 6, 0, 9},
    {"torus:1x5", 5, 0, 5},
    {"mesh:4x4", 16, 0, 24},
    {"mesh:2x2x2", 8, 0, 12},
    {"ring:8", 8, 0, 8},
    {"ring:2", 2, 0, 1},
    {"ring:1", 1, 0, 0},
    {"star:8", 8, 1, 8},
    {"fattree:2x8", 16, 2, 17},
    {"fattree:8x8", 64, 16, 128},
    {"fattree:4", 16, 20, 48},
    {"fattree:16", 1024, 320, 3072},
    {"bigraph:4x8", 32, 8, 48},
    {"bigraph:4x16", 64, 8, 80},
    {"random:20:141", 20, 0, 141},
    {"random:40:231", 40, 0, 231},
    {"random:5:10", 5, 0, 10},
    {"random:2:1", 2, 0, 1},
    {"tree:3x4", 12, 4, 15},
    {"tree:2x3x4", 24, 9, 32},
    {"tree:1x1x1", 1, 3, 3},
};

UNIT_EACH(test_shapes, shapes)
{
    mtree_generate_request_t request = {.capacity = 3e9, .latency = 1e-3, .seed = 4};
    OWNED(topology) *topology = NULL;
    int i, j;

    unit_ok(mtree_generate(shapes[_i].shape, &request, &topology));
    ck_assert_int_eq(mtree_topology_num_hosts(topology), shapes[_i].num_hosts);
    ck_assert_int_eq(topology->num_vertices - shapes[_i].num_hosts,
                     shapes[_i].num_switches);
    ck_assert_int_eq(topology->num_links, shapes[_i].num_links);
    unit_ok(mtree_topology_find_unreachable(topology, &i, &j));
    for (i = 0; i < topology->num_links; ++i) {
        ck_assert_double_ge(topology->links[i].capacity[0], 3e9);
        ck_assert_double_eq(topology->links[i].latency, 1e-3);
        for (j = 0; j < i && topology->num_links < 200; ++j) {
            ck_assert(!(topology->links[i].u == topology->links[j].u &&
                        topology->links[i].v == topology->links[j].v));
            ck_assert(!(topology->links[i].u == topology->links[j].v &&
                        topology->links[i].v == topology->links[j].u));
        }
    }
}

static const char *const bad[] = {"",
                                  "torus",
                                  "torus:",
                                  "torus:4",
                                  "torus:4x",
                                  "torus:0x4",
                                  "torus:-1x4",
                                  "torus:4x4x4x4",
                                  "ring:3x3",
                                  "star:99999999999999999999",
                                  "cube:3",
                                  "fattree:3",
                                  "fattree:42",
                                  "bigraph:4x7",
                                  "tree:4",
                                  "tree:2x2x2x2",
                                  "random:5",
                                  "random:5:3",
                                  "random:5:11",
                                  "random:0:0",
                                  "mesh:200x200",
                                  "random:20000:20000"};

UNIT_EACH(test_bad_shapes, bad)
{
    mtree_generate_request_t request = {.capacity = 1e9};
    mtree_topology_t *topology;

    ck_assert_int_ne(mtree_generate(bad[_i], &request, &topology), MTREE_OK);
    ck_assert_int_eq(heard_lines(), 1);
}

/* The same seed gives the same network, another seed another. */
UNIT_TEST(test_drawing)
{
    mtree_generate_request_t request = {.capacity = 1e9, .seed = 1};
    OWNED(topology) *a = NULL, *b = NULL;
    double sum = 0;
    int same = 0;

    unit_ok(mtree_generate("random:40:400", &request, &a));
    unit_ok(mtree_generate("random:40:400", &request, &b));
    for (int i = 0; i < 400; ++i) {
        ck_assert_int_eq(a->links[i].u, b->links[i].u);
        ck_assert_int_eq(a->links[i].v, b->links[i].v);
    }
    mtree_generate_capacities(a, 200e6, 1, 7);
    mtree_generate_capacities(b, 200e6, 1, 8);
    mtree_generate_latencies(a, 100e6, 300e6, 0.05, 0.4);
    for (int i = 0; i < 400; ++i) {
        ck_assert_double_ge(a->links[i].capacity[0], 100e6);
        ck_assert_double_le(a->links[i].capacity[0], 300e6);
        ck_assert_double_eq(fmod(a->links[i].capacity[0], 10e6), 0);
        ck_assert_double_ge(a->links[i].latency, 0.05);
        ck_assert_double_le(a->links[i].latency, 0.4);
        sum += a->links[i].capacity[0];
        same += (a->links[i].capacity[0] == b->links[i].capacity[0]);
    }
    ck_assert_double_eq_tol(sum / 400, 200e6, 10e6);
    ck_assert_int_lt(same, 60);
    mtree_generate_capacities(a, 200e6, 0, 7);
    ck_assert_double_eq(a->links[0].capacity[0], 200e6);
}
