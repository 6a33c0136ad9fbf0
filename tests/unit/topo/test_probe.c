/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/topo/probed.h"

#include "planner/planner.h"

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

/* Links of 200, 200 and 100 Mb/s, of 4, 2 and 1 ms, from the root of a tree down. */
static void make_levels(mtree_topology_t *tree)
{
    const int root = mtree_topology_num_hosts(tree);

    for (int l = 0; l < tree->num_links; ++l) {
        mtree_link_t *link = &tree->links[l];
        const int upper = link->u < link->v ? link->u : link->v; /* or a host */

        link->latency = upper < root ? 1e-3 : upper == root ? 4e-3 : 2e-3;
        map_scale(tree, l, upper < root ? 0.5 : 1);
    }
}

/* The network of that name: a map of topologies/, or a shape; its capacities are drawn
 * from @a seed where there is @a skew. */
static mtree_topology_t *make(const char *name, double skew, unsigned seed)
{
    mtree_topology_t *map;
    char path[512];

    if (strstr(name, ".dot") == NULL) {
        map = make_shape(name, skew, seed);
        if (strncmp(name, "tree:", 5) == 0) {
            make_levels(map);
        }
        return map;
    }
    snprintf(path, sizeof(path), TOPOLOGIES "/%s", name);
    map = map_file(path);
    if (skew > 0) {
        mtree_generate_capacities(map, 5e7, skew, seed);
    }
    return map;
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
    const int count = map_hosts(truth, true_hosts);
    int i;

    for (i = 0; i < count; ++i) {
        hosts[i] =
            mtree_topology_find_vertex(topology, truth->vertices[true_hosts[i]].name);
    }
    unit_ok(mtree_planner_run(topology, hosts, count, &request, &plan));
    unit_ok(mtree_routes_create(truth, true_hosts, count, &routes));
    mtree_plan_load(plan, routes, load);
    for (i = 0; i < 2 * truth->num_links; ++i) {
        if (load[i] > 0) {
            part = fmin(part, mtree_arc_capacity(truth, i) / load[i]);
        }
    }
    return part * plan->throughput;
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

static const struct {
    const char *network;
    double skew;
    unsigned draw; /* the first of the seeds of capacities */
    int more;      /* times, each with the next seeds */
    probed_options_t options;
    bool named; /* every link is compared by its name */
} networks[] = {
    {"b4.dot", .options = {.noise = NOISE}, .named = true},
    {"b4.dot", 0.7, 1, .more = 4, .options = {.noise = NOISE, .seed = 1}, .named = true},
    /* Round trips tell the links apart of a core with three others. */
    {"tree:3x2x2", .more = 2, .options = {.noise = NOISE}, .named = true},
    {"tree:3x2x3", .more = 2, .options = {.noise = NOISE, .seed = 3}, .named = true},
    {"star:8", 0.5, 1, .more = 3, .options = {.noise = NOISE}, .named = true},
    /* Each has a link of its own to each other, and few tests of such length fit. */
    {"cloud-dtfm.dot", .more = 3, .options = {.noise = 0.02}, .named = true},
    /* Something else takes half of the network while fans are out: what is repeated shows
     * that nothing is shared, and what the links carry. */
    {"b4.dot", .options = {.noise = 0.02, .slow = 1, .seed = 9}, .named = true},
    {"b4.dot", .options = {.noise = 0.02, .slow = 2, .seed = 9}, .named = true},
    {"b4.dot", .options = {.noise = 0.02, .slow = 3, .seed = 9}, .named = true},
    {"b4.dot", .options = {.noise = 0.02, .slow = 4, .seed = 9}, .named = true},
    {"torus:3x4", 0.7, 11, .options = {.noise = 0.03, .seed = 5}, .named = true},
    {"random:14:24", 0.7, 11, .options = {.noise = 0.03, .seed = 5}, .named = true},
    {"ring:6", 0.7, 11, .options = {.noise = 0.03, .seed = 5}, .named = true},
    /* Hosts that forward, with an address for each link; and routers. */
    {"b4.dot", .options = {.noise = NOISE, .interfaces = true, .seed = 3}},
    {"tree:2x2x3", .options = {.noise = NOISE, .interfaces = true, .seed = 3}},
    /* Hosts that forward but do not answer are known by their links; a silent switch of a
     * star, by being the only one next to all hosts. */
    {"b4.dot", .options = {.noise = NOISE, .silent = 0.3, .seed = 4}},
    {"star:8", 0.5, 2, .options = {.noise = NOISE, .silent = 1.0, .seed = 4}},
    /* A switch that no trace shows: all hosts look linked to all, until they send to
     * several at once.  The last is too large for all routes to be traced. */
    {"star:8", 0, 1, .more = 2, .options = {.noise = NOISE, .no_switches = true}},
    {"star:140", 0, 1, .options = {.noise = NOISE, .no_switches = true, .seed = 3}},
    {"star:8", 0, 1, .options = {.noise = NOISE, .seed = 6, .no_routes = true}},
    {"tree:3x2x3", .options = {.noise = NOISE, .seed = 6, .no_routes = true}},
    {"torus:3x4", 0, 1, .options = {.noise = 0.02, .seed = 6, .no_routes = true}},
    {"ring:7", 0.5, 3, .options = {.noise = 0.02, .seed = 6, .no_routes = true}},
};

/* Every route, the plan and the budget; some switches have no names. */
UNIT_EACH(test_networks, networks)
{
    for (int more = 0; more <= networks[_i].more; ++more) {
        probed_options_t options = networks[_i].options;
        UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;
        OWNED(topology) *truth = make(networks[_i].network, networks[_i].skew,
                                      networks[_i].draw + (unsigned)more);

        options.seed += (unsigned)more;
        probed_run(truth, &options, &findings);
        if (networks[_i].named) {
            probed_check_links(truth, &findings, 0.1);
        }
        probed_check(truth, &findings, 0.1);
        ck_assert_int_eq(findings.routes_known, !options.no_routes);
        ck_assert(findings.seconds <= PROBED_SECONDS);
        ck_assert(findings.bytes > 0);
        check_plan(truth, &findings, 0.95);
    }
}

UNIT_LOOP(test_few_bytes_for_cloud_regions, 0, 6)
{
    /* Streams cross part of the links, and end early: what they show stands for the
     * others. */
    static const struct {
        double bytes, least;
    } cases[] = {{1e9, 0.55}, {3e9, 0.93}};
    const probed_options_t options = {.noise = NOISE,
                                      .seconds = 9,
                                      .bytes = cases[_i % 2].bytes,
                                      .seed = (unsigned)_i / 2};
    OWNED(topology) *truth = map_file(TOPOLOGIES "/cloud-dtfm.dot");
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    probed_run(truth, &options, &findings);
    ck_assert(findings.bytes <= options.bytes);
    check_plan(truth, &findings, cases[_i % 2].least);
}

/* A star of links of 100 Gb/s, which would send 60 GB in the time. */
UNIT_LOOP(test_fast_links_send_few_bytes, 0, 2)
{
    const probed_options_t options = {
        .noise = NOISE, .bytes = _i == 0 ? 1e9 : 5e7, .seed = 3};
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

    part = mtree_topology_create("part", "test");
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
        const char *network;
        int num_hosts, num_links; /* known */
        bool renamed;
    } cases[] = {
        {"star:8", 6, 6, false},
        {"star:8", 6, 6, true},
        {"b4.dot", 12, 19, false},
        {"tree:3x2x3", 12, 21, false},
    };
    const double skew = _i < 2 ? 0.5 : 0;
    OWNED(topology) *truth = make(cases[_i].network, skew, 2);
    OWNED(topology) *known = part_of(truth, cases[_i].num_hosts, cases[_i].renamed);
    probed_options_t options = {.noise = NOISE, .seed = 3};
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
    const probed_options_t options = {.noise = NOISE, .bytes = 4e6, .seed = 3};
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

/* Links are alike both ways here; of what a round saw rise only, and no time was left to
 * test, the way back says more. */
UNIT_LOOP(test_short_of_time, 0, 50)
{
    const probed_options_t options = {.noise = 0.02,
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
    const probed_options_t options = {.noise = NOISE, .seconds = 5, .seed = 7};
    OWNED(topology) *truth = map_file(TOPOLOGIES "/b4.dot");
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t one, other;

    probed_run(truth, &options, &one);
    probed_run(truth, &options, &other);
    ck_assert_int_eq(one.topology->num_links, other.topology->num_links);
    for (int i = 0; i < one.topology->num_links; ++i) {
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
    const probed_options_t options = {.noise = NOISE, .seed = 8};
    OWNED(topology) *truth = make_shape(large[_i].shape, 0, 1);
    int n = large[_i].num_hosts;
    UNIT_OWNED(mtree_probe_findings_clear) mtree_probe_findings_t findings;

    ck_assert_int_eq(mtree_topology_num_hosts(truth), n);
    probed_run(truth, &options, &findings);
    probed_check_links(truth, &findings, 0.1);
    ck_assert_int_le(findings.num_routes, (int)(3 * n * (3 + log2(n))));
    ck_assert_double_le(findings.seconds, PROBED_SECONDS);
    /* Of what the links carry in a minute. */
    ck_assert_double_le(8 * findings.bytes, 0.01 * 60 * 2 * 2e8 * truth->num_links);
}

UNIT_SECONDS(120)
