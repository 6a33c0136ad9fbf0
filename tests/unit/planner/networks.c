/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planner/networks.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

#include "planner/plan/json.h"

#define GIGABYTES 8e9

/* A number in [0, 1) and the next state. */
static double draw(unsigned long long *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1ull << 31);
}

static int add_vertex(mtree_topology_t *topology, mtree_vertex_kind_t kind,
                      const char *name, int number)
{
    char text[32];
    int vertex;

    snprintf(text, sizeof(text), "%s%d", name, number);
    unit_ok(mtree_topology_add_vertex(topology, text, NULL, kind, &vertex));
    return vertex;
}

mtree_topology_t *network_hosts(int num_hosts)
{
    mtree_topology_t *topology = mtree_topology_create("net", "test");

    for (int i = 0; i < num_hosts; i++) {
        (void)add_vertex(topology, MTREE_VERTEX_HOST, "h", i);
    }
    return topology;
}

mtree_topology_t *network_random(int num_hosts, int num_links, unsigned seed,
                                 bool one_way, double latency)
{
    size_t hosts = (size_t)num_hosts;
    UNIT_FREED bool *joined = calloc(hosts * hosts, sizeof(*joined));
    unsigned long long state = seed;
    mtree_topology_t *topology = network_hosts(num_hosts);

    while (topology->num_links < num_links) {
        /* The first links make a tree. */
        int v = topology->num_links < num_hosts - 1 ? topology->num_links + 1
                                                    : (int)(draw(&state) * num_hosts);
        int u = (int)(draw(&state) * (v < num_hosts - 1 ? v : num_hosts - 1));
        double there = 1e7 * (6 + (int)(draw(&state) * 29));
        double back = one_way ? 1e7 * (6 + (int)(draw(&state) * 29)) : there;

        if (u < v && !joined[(size_t)u * hosts + (size_t)v]) {
            joined[(size_t)u * hosts + (size_t)v] = true;
            unit_ok(mtree_topology_add_link(topology, u, v, there, back,
                                            latency * (0.125 + 0.875 * draw(&state)),
                                            NULL));
        }
    }
    return topology;
}

mtree_topology_t *network_b4(unsigned seed)
{
    static const int links[][2] = {
        {0, 1}, {0, 2}, {1, 3}, {2, 4}, {2, 5}, {3, 4},  {3, 5},  {4, 6},  {4, 7}, {5, 6},
        {5, 7}, {6, 7}, {6, 8}, {7, 9}, {8, 9}, {8, 10}, {9, 11}, {8, 11}, {9, 10}};
    unsigned long long state = seed;
    mtree_topology_t *topology = mtree_topology_create("b4", "made");

    for (int i = 0; i < 12; ++i) {
        (void)add_vertex(topology, MTREE_VERTEX_HOST, "site", i);
    }
    for (size_t l = 0; l < sizeof(links) / sizeof(links[0]); ++l) {
        double tens = 6 + (int)(draw(&state) * 29);
        /* a + b / capacity, 400 ms at 60 Mb/s and 50 ms at 340. */
        double latency = -0.025 + 25.5 / (10.0 * tens);

        map_join(topology, links[l][0], links[l][1], 1e7 * tens, latency);
    }
    return topology;
}

/* @a num_machines of @a num hosts, at a switch between them where there are several, on
 * links of @a rate bits/s each. */
static mtree_topology_t *machines(int num_machines, int num, double rate)
{
    mtree_topology_t *topology = mtree_topology_create("machines", "made");
    int between;

    for (int h = 0; h < num_machines * num; ++h) {
        (void)add_vertex(topology, MTREE_VERTEX_HOST, "gpu", h);
    }
    if (num_machines > 1) {
        between = add_vertex(topology, MTREE_VERTEX_SWITCH, "between", 0);
        for (int h = 0; h < num_machines * num; ++h) {
            map_join(topology, h, between, rate, 5e-6);
        }
    }
    return topology;
}

mtree_topology_t *network_a100(int num_machines)
{
    mtree_topology_t *topology = machines(num_machines, 8, 25 * GIGABYTES);

    for (int m = 0; m < num_machines; ++m) {
        int inside = add_vertex(topology, MTREE_VERTEX_SWITCH, "inside", m);

        for (int g = 0; g < 8; ++g) {
            map_join(topology, 8 * m + g, inside, 300 * GIGABYTES, 1e-6);
        }
    }
    return topology;
}

mtree_topology_t *network_mi250(int num_machines)
{
    static const int links[][3] = {
        {0, 1, 4},   {0, 2, 1},   {0, 4, 2},   {1, 2, 1},   {1, 3, 1},  {1, 5, 1},
        {2, 3, 4},   {2, 6, 1},   {3, 7, 2},   {4, 5, 4},   {4, 12, 1}, {5, 13, 1},
        {5, 14, 1},  {6, 7, 4},   {6, 13, 1},  {6, 14, 1},  {7, 15, 1}, {8, 9, 4},
        {8, 10, 1},  {8, 12, 2},  {9, 10, 1},  {9, 11, 1},  {9, 13, 1}, {10, 11, 4},
        {10, 14, 1}, {11, 15, 2}, {12, 13, 4}, {14, 15, 4},
    };
    mtree_topology_t *topology = machines(num_machines, 16, 16 * GIGABYTES);

    for (int m = 0; m < num_machines; ++m) {
        for (size_t l = 0; l < sizeof(links) / sizeof(links[0]); ++l) {
            map_join(topology, 16 * m + links[l][0], 16 * m + links[l][1],
                     links[l][2] * 50 * GIGABYTES, 1e-6);
        }
    }
    return topology;
}

mtree_topology_t *network_gost(void)
{
    return map_text("graph { edge [capacity=\"1Mbps\" latency=\"100ms\"]\n"
                    "h0 -- h1 -- h2 -- h3 -- h0; h1 -- h3 [capacity=\"2Mbps\"] }");
}

mtree_topology_t *network_row(const int *order, int num_hosts, double rate,
                              double latency)
{
    mtree_topology_t *topology = network_hosts(num_hosts);

    for (int i = 0; i + 1 < num_hosts; i++) {
        map_join(topology, order != NULL ? order[i] : i,
                 order != NULL ? order[i + 1] : i + 1, rate, latency);
    }
    return topology;
}

double network_cut(const mtree_topology_t *topology, unsigned set, double *burst_p)
{
    double rate = 0, burst = 0;

    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const double capacity = mtree_arc_capacity(topology, arc);

        if ((set >> mtree_arc_from(topology, arc) & 1) != 0 &&
            (set >> mtree_arc_to(topology, arc) & 1) == 0 && capacity > 0) {
            rate += capacity;
            burst += 8 * topology->links[arc / 2].conditions.burst;
        }
    }
    if (burst_p != NULL) {
        *burst_p = burst;
    }
    return rate;
}

mtree_plan_t *network_plan_again(const mtree_plan_t *plan)
{
    UNIT_FREED char *text = NULL;
    mtree_plan_t *again;

    unit_ok(mtree_plan_to_json(plan, &text));
    unit_ok(mtree_plan_from_json(text, strlen(text), "plan", &again));
    return again;
}

mtree_plan_t *network_plan(const mtree_topology_t *topology,
                           const mtree_plan_request_t *request)
{
    UNIT_FREED int *hosts = malloc((size_t)topology->num_vertices * sizeof(*hosts));
    OWNED(routes) *routes = NULL;
    mtree_plan_t *plan;
    int num_hosts = map_hosts(topology, hosts);

    unit_ok(mtree_planner_run(topology, hosts, num_hosts, request, &plan));
    unit_ok(mtree_routes_create(topology, hosts, num_hosts, &routes));
    unit_ok(mtree_plan_check(plan, topology, routes));
    return plan;
}
