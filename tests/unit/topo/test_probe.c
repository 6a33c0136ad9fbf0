/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/topo/probed.h"

#include "planner/planner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOISE 0.05

/* A generated shape whose capacities are drawn around 200 Mb/s, with latencies of 2 to
 * 20 ms that fall as they rise; without @a skew all links are alike. */
static mtree_topology_t *make_shape(const char *shape, double skew, unsigned seed)
{
    const mtree_generate_request_t request = {
        .capacity = 2e8, .latency = 1e-3, .seed = seed};
    mtree_topology_t *topology;

    unit_ok(mtree_generate(shape, &request, &topology));
    if (skew > 0) {
        mtree_generate_capacities(topology, 2e8, skew, seed);
        mtree_generate_latencies(topology, 1e8, 3e8, 2e-3, 20e-3);
    }
    return topology;
}

/* A core switch, @a pods below it, @a racks below each of these and @a hosts in each
 * rack; links of 200, 200 and 100 Mb/s from the core down. */
static mtree_topology_t *make_tree(int pods, int racks, int hosts)
{
    int num_hosts = pods * racks * hosts;
    mtree_topology_t *topology;
    int i, core, pod = 0, rack = 0, vertex;
    char name[32];

    unit_ok(mtree_topology_create("tree", "test", &topology));
    for (i = 0; i < num_hosts; ++i) {
        snprintf(name, sizeof(name), "h%d", i);
        mtree_topology_add_vertex(topology, name, NULL, MTREE_VERTEX_HOST, &vertex);
    }
    mtree_topology_add_vertex(topology, "core", NULL, MTREE_VERTEX_SWITCH, &core);
    for (i = 0; i < num_hosts; ++i) {
        if (i % (racks * hosts) == 0) {
            snprintf(name, sizeof(name), "pod%d", i / racks / hosts);
            mtree_topology_add_vertex(topology, name, NULL, MTREE_VERTEX_SWITCH, &pod);
            mtree_topology_add_link(topology, core, pod, 2e8, 2e8, 4e-3, NULL);
        }
        if (i % hosts == 0) {
            snprintf(name, sizeof(name), "rack%d", i / hosts);
            mtree_topology_add_vertex(topology, name, NULL, MTREE_VERTEX_SWITCH, &rack);
            mtree_topology_add_link(topology, pod, rack, 2e8, 2e8, 2e-3, NULL);
        }
        mtree_topology_add_link(topology, rack, i, 1e8, 1e8, 1e-3, NULL);
    }
    return topology;
}

/* What the plan made for @a topology gives on @a truth, bits/s: as much of its rates as
 * the links of truth allow. */
static double throughput(const mtree_topology_t *topology, const mtree_topology_t *truth)
{
    const mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE};
    UNIT_FREED int *hosts = malloc((size_t)truth->num_vertices * sizeof(*hosts));
    UNIT_FREED int *true_hosts =
        malloc((size_t)truth->num_vertices * sizeof(*true_hosts));
    UNIT_FREED double *load = calloc(2 * (size_t)truth->num_links, sizeof(*load));
    OWNED(routes) *routes = NULL;
    OWNED(plan) *plan = NULL;
    double part = INFINITY;
    int i, count = 0;

    for (i = 0; i < truth->num_vertices; ++i) {
        if (truth->vertices[i].kind == MTREE_VERTEX_HOST) {
            hosts[count] = mtree_topology_find_vertex(topology, truth->vertices[i].name);
            true_hosts[count++] = i;
        }
    }
    unit_ok(mtree_planner_run(topology, hosts, count, &request, &plan));
    unit_ok(mtree_routes_create(truth, true_hosts, count, &routes));
    mtree_plan_load(plan, routes, load);
    for (i = 0; i < 2 * truth->num_links; ++i) {
        if (load[i] > 0) {
            part = fmin(part, mtree_arc_capacity(truth, i) / load[i]);
        }
    }
    part *= plan->throughput;
    return part;
}

/* The plan gives at least @a least of what one for @a truth does. */
static void check_plan(const mtree_topology_t *truth,
                       const mtree_probe_findings_t *findings, double least)
{
    double best = throughput(truth, truth);
    double found = throughput(findings->topology, truth);

    ck_assert_msg(found >= least * best,
                  "the plan from the probe gives %g bits/s, the true one %g", found,
                  best);
}

/* Every route, and the plan: for networks some of whose switches have no names. */
static void check_shape(mtree_topology_t *truth, const probed_options_t *options)
{
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    probed_run(truth, options, &findings);
    ck_assert_int_eq(findings.routes_known, options->routes);
    probed_check(truth, &findings, 0.1);
    check_plan(truth, &findings, 0.95);
    mtree_topology_destroy(truth);
}

/* Every link by its name, every route, the plan, the budget. */
static void check_all(mtree_topology_t *truth, const probed_options_t *options)
{
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    probed_run(truth, options, &findings);
    probed_check_links(truth, &findings, 0.1);
    probed_check(truth, &findings, 0.1);
    ck_assert(findings.routes_known);
    ck_assert(findings.seconds <= options->seconds);
    ck_assert(findings.bytes > 0);
    check_plan(truth, &findings, 0.95);
    mtree_topology_destroy(truth);
}

UNIT_LOOP(test_b4, 0, 6)
{
    const probed_options_t options = {
        .noise = NOISE, .routes = true, .seconds = 10, .seed = (unsigned)_i};
    mtree_topology_t *truth = map_file(TOPOLOGIES "/b4.dot");

    if (_i > 0) {
        mtree_generate_capacities(truth, 5e7, 0.7, (unsigned)_i);
    }
    check_all(truth, &options);
}

UNIT_LOOP(test_tree, 0, 6)
{
    const probed_options_t options = {
        .noise = NOISE, .routes = true, .seconds = 10, .seed = (unsigned)_i};

    /* Round trips tell the links apart of a core with three others. */
    check_all(make_tree(3, 2, 2 + _i % 2), &options);
}

UNIT_LOOP(test_star, 0, 4)
{
    const probed_options_t options = {
        .noise = NOISE, .routes = true, .seconds = 10, .seed = (unsigned)_i};

    check_all(make_shape("star:8", 0.5, (unsigned)_i + 1), &options);
}

UNIT_LOOP(test_ten_cloud_regions, 0, 4)
{
    /* Each has a link of its own to each other, and few tests of such length fit. */
    const probed_options_t options = {
        .noise = 0.02, .routes = true, .seconds = 10, .seed = (unsigned)_i};

    check_all(map_file(TOPOLOGIES "/cloud-dtfm.dot"), &options);
}

UNIT_LOOP(test_few_bytes_for_cloud_regions, 0, 6)
{
    /* Streams cross part of the links, and end early: what they show stands for the
     * others. */
    static const struct {
        double bytes, least;
    } cases[] = {{1e9, 0.55}, {3e9, 0.93}};
    const probed_options_t options = {.noise = NOISE,
                                      .routes = true,
                                      .seconds = 9,
                                      .bytes = cases[_i % 2].bytes,
                                      .seed = (unsigned)_i / 2};
    OWNED(topology) *truth = map_file(TOPOLOGIES "/cloud-dtfm.dot");
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    probed_run(truth, &options, &findings);
    ck_assert(findings.bytes <= options.bytes);
    check_plan(truth, &findings, cases[_i % 2].least);
}

UNIT_LOOP(test_slow_by_chance, 0, 4)
{
    /* Something else takes half of the network while fans are out: what is repeated shows
     * that nothing is shared, and what the links carry. */
    const probed_options_t options = {
        .noise = 0.02, .routes = true, .slow = 1 + _i, .seconds = 15, .seed = 9};
    mtree_topology_t *truth = map_file(TOPOLOGIES "/b4.dot");

    check_all(truth, &options);
}

/* A star of links of 100 Gb/s, which would send 60 GB in the time. */
UNIT_LOOP(test_fast_links_send_few_bytes, 0, 2)
{
    const probed_options_t options = {.noise = NOISE,
                                      .routes = true,
                                      .seconds = 10,
                                      .bytes = _i == 0 ? 1e9 : 5e7,
                                      .seed = 3};
    OWNED(topology) *truth = make_shape("star:8", 0, 1);
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    for (int l = 0; l < truth->num_links; ++l) {
        truth->links[l].capacity[0] = truth->links[l].capacity[1] = 1e11;
        truth->links[l].latency = 2e-6;
    }
    probed_run(truth, &options, &findings);
    /* Noise may add to what was counted. */
    ck_assert_double_le(findings.bytes, options.bytes * (1 + NOISE));
    probed_check_links(truth, &findings, 0.1);
}

/* What @a truth has between its first @a num_hosts vertices and its switches, which have
 * other names if @a renamed. */
static mtree_topology_t *part_of(const mtree_topology_t *truth, int num_hosts,
                                 bool renamed)
{
    mtree_topology_t *part;
    UNIT_FREED int *vertex = calloc((size_t)truth->num_vertices, sizeof(*vertex));
    char name[80];

    unit_ok(mtree_topology_create("part", "test", &part));
    for (int v = 0; v < truth->num_vertices; ++v) {
        mtree_vertex_kind_t kind = truth->vertices[v].kind;

        vertex[v] = -1;
        snprintf(name, sizeof(name), "%s%s", truth->vertices[v].name,
                 renamed && kind == MTREE_VERTEX_SWITCH ? "'" : "");
        if (v < num_hosts || kind == MTREE_VERTEX_SWITCH) {
            unit_ok(mtree_topology_add_vertex(part, name, NULL, kind, &vertex[v]));
        }
    }
    for (int l = 0; l < truth->num_links; ++l) {
        const mtree_link_t *link = &truth->links[l];

        if (vertex[link->u] >= 0 && vertex[link->v] >= 0) {
            unit_ok(mtree_topology_add_link(part, vertex[link->u], vertex[link->v],
                                            link->capacity[0], link->capacity[1], 0,
                                            NULL));
        }
    }
    return part;
}

/* Streams cross the links that were not known, and hardly any others. */
UNIT_LOOP(test_known_links_are_not_measured, 0, 4)
{
    static const struct {
        const char *map;          /* NULL: a tree */
        int num_hosts, num_links; /* known */
        bool renamed;
    } cases[] = {
        {"star:8", 6, 6, false},
        {"star:8", 6, 6, true},
        {TOPOLOGIES "/b4.dot", 12, 19, false},
        {NULL, 12, 21, false},
    };
    OWNED(topology) *truth = cases[_i].map == NULL ? make_tree(3, 2, 3)
                             : strstr(cases[_i].map, "dot") != NULL
                                 ? map_file(cases[_i].map)
                                 : make_shape(cases[_i].map, 0.5, 2);
    OWNED(topology) *known = part_of(truth, cases[_i].num_hosts, cases[_i].renamed);
    probed_options_t options = {.noise = NOISE, .routes = true, .seconds = 10, .seed = 3};
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t all, rest;

    probed_run(truth, &options, &all);
    options.known = known;
    probed_run(truth, &options, &rest);
    ck_assert_int_eq(all.num_reused, 0);
    ck_assert_int_eq(rest.num_reused, 2 * cases[_i].num_links);
    ck_assert_double_lt(rest.bytes, 0.6 * all.bytes);
    probed_check_links(truth, &rest, 0.1);
}

/* Too few bytes for all streams: the probe ends with a map in which some is assumed. */
UNIT_TEST(test_bytes_end)
{
    const probed_options_t options = {
        .noise = NOISE, .routes = true, .seconds = 10, .bytes = 4e6, .seed = 3};
    OWNED(topology) *truth = map_file(TOPOLOGIES "/b4.dot");
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;
    int assumed = 0;

    probed_run(truth, &options, &findings);
    ck_assert_double_le(findings.bytes, options.bytes * (1 + NOISE));
    ck_assert_int_eq(findings.topology->num_links, truth->num_links);
    for (int l = 0; l < truth->num_links; ++l) {
        assumed += findings.links[l].capacity[0].basis == MTREE_PROBE_ASSUMED;
    }
    ck_assert_int_gt(assumed, 0);
}

static const char *const meshes[] = {"torus:3x4", "random:14:24", "ring:6"};

UNIT_LOOP(test_mesh, 0, 3)
{
    const probed_options_t options = {
        .noise = 0.03, .routes = true, .seconds = 10, .seed = 5};

    check_all(make_shape(meshes[_i], 0.7, 11), &options);
}

UNIT_LOOP(test_interfaces, 0, 2)
{
    /* 0: hosts that forward, with an address for each link; 1: routers. */
    const probed_options_t options = {
        .noise = NOISE, .routes = true, .interfaces = true, .seconds = 10, .seed = 3};
    mtree_topology_t *truth =
        (_i == 0) ? map_file(TOPOLOGIES "/b4.dot") : make_tree(2, 2, 3);

    check_shape(truth, &options);
}

UNIT_LOOP(test_silent, 0, 2)
{
    /* Hosts that forward but do not answer are known by their links; a silent switch of a
     * star, by being the only one next to all hosts. */
    const probed_options_t options = {.noise = NOISE,
                                      .routes = true,
                                      .silent = (_i == 0) ? 0.3 : 1.0,
                                      .seconds = 10,
                                      .seed = 4};
    mtree_topology_t *truth =
        (_i == 0) ? map_file(TOPOLOGIES "/b4.dot") : make_shape("star:8", 0.5, 2);

    check_shape(truth, &options);
}

UNIT_LOOP(test_ethernet, 0, 4)
{
    /* A switch that no trace shows: all hosts look linked to all, until they send to
     * several at once.  The last is too large for all routes to be traced. */
    const probed_options_t options = {.noise = NOISE,
                                      .routes = true,
                                      .no_switches = true,
                                      .seconds = 10,
                                      .seed = (unsigned)_i};
    mtree_topology_t *truth = make_shape((_i < 3) ? "star:8" : "star:140", 0, 1);

    check_shape(truth, &options);
}

UNIT_LOOP(test_without_routes, 0, 4)
{
    const probed_options_t options = {
        .noise = (_i < 2) ? NOISE : 0.02, .seconds = 10, .seed = 6};
    mtree_topology_t *truth = (_i == 0)   ? make_shape("star:8", 0, 1)
                              : (_i == 1) ? make_tree(3, 2, 3)
                              : (_i == 2) ? make_shape("torus:3x4", 0, 1)
                                          : make_shape("ring:7", 0.5, 3);

    check_shape(truth, &options);
}

/* Links are alike both ways here; of what a round saw rise only, and no time was left to
 * test, the way back says more. */
UNIT_LOOP(test_short_of_time, 0, 50)
{
    const probed_options_t options = {.noise = 0.02,
                                      .routes = true,
                                      .rising = 1 + _i % 5,
                                      .lingers = 0.3,
                                      .seconds = 6 + _i / 5 * 0.2,
                                      .seed = 12};
    OWNED(topology) *truth = map_file(TOPOLOGIES "/b4.dot");
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    probed_run(truth, &options, &findings);
    for (int i = 0; i < findings.topology->num_links; ++i) {
        const mtree_probe_link_t *link = &findings.links[i];
        const double *rates = findings.topology->links[i].capacity;

        for (int way = 0; way < 2; ++way) {
            ck_assert_msg(link->capacity[way].basis != MTREE_PROBE_AT_LEAST ||
                              link->capacity[!way].basis != MTREE_PROBE_MEASURED ||
                              rates[way] >= 0.9 * rates[!way],
                          "link %d: at least %g bits/s, and %g are measured back", i,
                          rates[way], rates[!way]);
        }
    }
}

UNIT_TEST(test_deterministic)
{
    const probed_options_t options = {
        .noise = NOISE, .routes = true, .seconds = 5, .seed = 7};
    OWNED(topology) *truth = map_file(TOPOLOGIES "/b4.dot");
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t one, other;
    int i;

    probed_run(truth, &options, &one);
    probed_run(truth, &options, &other);
    ck_assert_int_eq(one.topology->num_links, other.topology->num_links);
    for (i = 0; i < one.topology->num_links; ++i) {
        ck_assert_mem_eq(&one.topology->links[i], &other.topology->links[i],
                         sizeof(mtree_link_t));
    }
}

static const struct {
    const char *shape;
    int num_hosts;
} large[] = {
    {"tree:4x4x16", 256}, {"star:512", 512}, {"torus:16x16", 256}, {"tree:8x4x16", 512}};

UNIT_LOOP(test_many_hosts, 0, unit_loops(2, 4))
{
    /* Experiments in the order of hosts times their logarithm, not of their pairs. */
    const probed_options_t options = {
        .noise = NOISE, .routes = true, .seconds = 10, .seed = 8};
    OWNED(topology) *truth = make_shape(large[_i].shape, 0, 1);
    int n = large[_i].num_hosts;
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    ck_assert_int_eq(mtree_topology_num_hosts(truth), n);
    probed_run(truth, &options, &findings);
    probed_check_links(truth, &findings, 0.1);
    ck_assert_int_le(findings.num_routes, (int)(3 * n * (3 + log2(n))));
    ck_assert_double_le(findings.seconds, options.seconds);
    /* Of what the links carry in a minute. */
    ck_assert_double_le(8 * findings.bytes, 0.01 * 60 * 2 * 2e8 * truth->num_links);
}

UNIT_SECONDS(120)
