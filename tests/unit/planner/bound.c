/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planner/bound.h"

#include "tests/unit/planner/max_flow.h"
#include "tests/unit/runner.h"

#define MAX_TRIED 10

/* A link as allreduce can use it. */
static double both_ways(const mtree_topology_t *topology, int link)
{
    const double *capacity = topology->links[link].capacity;

    return fmin(capacity[0], capacity[1]);
}

/* Capacity between parts, over the parts less one. */
static double partition_ratio(const mtree_topology_t *topology, const int *part,
                              int parts)
{
    double sum = 0.0;

    for (int l = 0; l < topology->num_links; ++l) {
        const mtree_link_t *link = &topology->links[l];

        sum += part[link->u] != part[link->v] ? both_ways(topology, l) : 0.0;
    }
    return sum / (parts - 1);
}

static double try_partitions(const mtree_topology_t *topology, int *part, int vertex,
                             int parts)
{
    double least = INFINITY;

    if (vertex == topology->num_vertices) {
        return parts > 1 ? partition_ratio(topology, part, parts) : INFINITY;
    }
    for (int p = 0; p <= parts; ++p) {
        part[vertex] = p;
        least = fmin(least, try_partitions(topology, part, vertex + 1,
                                           p == parts ? parts + 1 : parts));
    }
    return least;
}

double bound_allreduce_by_trial(const mtree_topology_t *topology)
{
    int part[MAX_TRIED];

    ck_assert_int_le(topology->num_vertices, MAX_TRIED);
    return try_partitions(topology, part, 0, 0);
}

/*
 * The least of (what leaves S) - y(S) over sets S of vertices up to @a last that hold
 * it, y of @a last itself apart; S into @a inside.
 */
static double least_set(const mtree_topology_t *topology, const double *y, int last,
                        bool *inside)
{
    int sink = last + 1;
    flow_t *flow = flow_create(last + 2, 2 * (topology->num_links + last + 1));
    double constant = 0.0, value;

    for (int l = 0; l < topology->num_links; ++l) {
        const mtree_link_t *link = &topology->links[l];
        int u = link->u > last ? sink : link->u, v = link->v > last ? sink : link->v;

        if (u != v) {
            (void)flow_add(flow, u, v, both_ways(topology, l));
            (void)flow_add(flow, v, u, both_ways(topology, l));
        }
    }
    for (int v = 0; v < last; ++v) {
        if (y[v] > 0.0) {
            /* Leaving v out loses y(v). */
            (void)flow_add(flow, last, v, y[v]);
            constant -= y[v];
        } else {
            (void)flow_add(flow, v, sink, -y[v]);
        }
    }
    value = flow_run(flow, last, sink, INFINITY) + constant;
    for (int v = 0; v <= last; ++v) {
        inside[v] = flow->level[v] >= 0;
    }
    flow_destroy(flow);
    return value;
}

/* The partition with the least (capacity between parts) - lambda x parts; returns the
 * number of parts. */
static int find_partition(const mtree_topology_t *topology, double lambda, int *part)
{
    int n = topology->num_vertices, parts = 0;
    UNIT_FREED double *y = calloc((size_t)n, sizeof(*y));
    UNIT_FREED bool *inside = calloc((size_t)n, sizeof(*inside));
    UNIT_FREED int *name = calloc((size_t)n, sizeof(*name));

    ck_assert(y != NULL && inside != NULL && name != NULL);
    for (int v = 0; v < n; ++v) {
        /* y is the greedy vector below f(S) = (what leaves S) - 2 lambda; the sets that
         * stop it, joined where they meet, are the parts. */
        y[v] = least_set(topology, y, v, inside) - 2.0 * lambda;
        part[v] = v;
        for (int u = 0; u < v; ++u) {
            for (int w = 0; inside[u] && w < v; ++w) {
                if (w != u && part[w] == part[u]) {
                    part[w] = v;
                }
            }
            part[u] = inside[u] ? v : part[u];
        }
    }
    for (int v = 0; v < n; ++v) {
        name[part[v]] = name[part[v]] == 0 ? ++parts : name[part[v]];
    }
    for (int v = 0; v < n; ++v) {
        part[v] = name[part[v]];
    }
    return parts;
}

double bound_allreduce(const mtree_topology_t *topology)
{
    UNIT_FREED int *part = calloc((size_t)topology->num_vertices, sizeof(*part));
    double bound, next;

    for (int v = 0; v < topology->num_vertices; ++v) {
        part[v] = v;
    }
    next = partition_ratio(topology, part, topology->num_vertices);
    do {
        int parts;

        bound = next;
        /* Just below, so that rounding does not make one part of everything look good. */
        parts = find_partition(topology, bound * (1.0 - 1e-9), part);
        next = parts > 1 ? partition_ratio(topology, part, parts) : bound;
    } while (next < bound * (1.0 - 1e-9));
    return bound;
}

/* The topology's arcs and, when wanted, a source (the last vertex) with an arc to each
 * host. */
static flow_t *make_network(const mtree_topology_t *topology, bool with_source)
{
    int n = topology->num_vertices;
    flow_t *flow = flow_create(n + 1, 2 * topology->num_links + n);

    for (int arc = 0; arc < 2 * topology->num_links; ++arc) {
        (void)flow_add(flow, mtree_arc_from(topology, arc), mtree_arc_to(topology, arc),
                       mtree_arc_capacity(topology, arc));
    }
    for (int v = 0; v < n && with_source; ++v) {
        if (topology->vertices[v].kind == MTREE_VERTEX_HOST) {
            (void)flow_add(flow, n, v, 0.0);
        }
    }
    return flow;
}

double bound_bcast(const mtree_topology_t *topology, int root)
{
    flow_t *flow = make_network(topology, false);
    double bound = INFINITY;

    for (int v = 0; v < topology->num_vertices; ++v) {
        if (v != root && topology->vertices[v].kind == MTREE_VERTEX_HOST) {
            bound = fmin(bound, flow_run(flow, root, v, INFINITY));
        }
    }
    flow_destroy(flow);
    return bound;
}

/* Can every host send x to all others at once? */
static bool is_feasible(const mtree_topology_t *topology, flow_t *flow, double x,
                        int num_hosts)
{
    double wanted = x * num_hosts * (1.0 - 1e-11);

    for (int h = 0; h < num_hosts; ++h) {
        flow->capacity[2 * (2 * topology->num_links + h)] = x;
    }
    for (int v = 0; v < topology->num_vertices; ++v) {
        if (topology->vertices[v].kind == MTREE_VERTEX_HOST &&
            flow_run(flow, topology->num_vertices, v, INFINITY) < wanted) {
            return false;
        }
    }
    return true;
}

double bound_allgather(const mtree_topology_t *topology)
{
    flow_t *flow = make_network(topology, true);
    int num_hosts = flow->num_arcs - 2 * topology->num_links;
    double low = 0.0, high = 0.0;

    for (int arc = 0; arc < 2 * topology->num_links; ++arc) {
        high += mtree_arc_capacity(topology, arc);
    }
    while (high - low > 1e-9 * high) {
        double middle = 0.5 * (low + high);

        if (is_feasible(topology, flow, middle, num_hosts)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    flow_destroy(flow);
    return low * num_hosts;
}
