/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/candidates.h"

#include "base/array.h"
#include "base/log.h"
#include "planner/graph/constraints.h"
#include "planner/graph/dominance.h"

#include <stdlib.h>
#include <string.h>

/* Edges while they are collected, on arcs; the compact form on constraints comes after.
 */
typedef struct {
    const mtree_problem_t *problem;
    int *host_at;      /* [num_vertices] host number at a vertex, -1: none */
    bool is_symmetric; /* every link has one capacity for both directions */
    int edge_capacity, use_capacity, num_uses;
    mtree_candidates_t *made;
} builder_t;

static bool has_capacity(const builder_t *builder, int from, int to)
{
    int num_arcs;
    const int *arcs = mtree_routes_get(builder->problem->routes, from, to, &num_arcs);

    for (int a = 0; a < num_arcs; ++a) {
        if (mtree_arc_capacity(builder->problem->topology, arcs[a]) <= 0.0) {
            return false;
        }
    }
    return true;
}

static mtree_status_t add_uses(builder_t *builder, int from, int to)
{
    mtree_candidates_t *made = builder->made;
    int num_arcs;
    const int *arcs = mtree_routes_get(builder->problem->routes, from, to, &num_arcs);
    mtree_status_t status =
        mtree_array_reserve(&made->constraints, &builder->use_capacity,
                            builder->num_uses + num_arcs, sizeof(*made->constraints));

    if (status != MTREE_OK) {
        return status;
    }
    memcpy(made->constraints + builder->num_uses, arcs, (size_t)num_arcs * sizeof(*arcs));
    builder->num_uses += num_arcs;
    return MTREE_OK;
}

/* Memory for one more edge in every array of edges; all of them have one capacity. */
static mtree_status_t reserve_edge(builder_t *builder)
{
    mtree_candidates_t *made = builder->made;
    const struct {
        void *array_p;
        size_t size;
    } arrays[] = {{&made->from, sizeof(*made->from)},
                  {&made->to, sizeof(*made->to)},
                  {&made->latency, sizeof(*made->latency)},
                  {&made->first, sizeof(*made->first)}};
    int capacity = builder->edge_capacity;
    mtree_status_t status = MTREE_OK;

    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]) && status == MTREE_OK;
         ++i) {
        capacity = builder->edge_capacity;
        status = mtree_array_reserve(arrays[i].array_p, &capacity, made->num_edges + 2,
                                     arrays[i].size);
    }
    if (status == MTREE_OK) {
        builder->edge_capacity = capacity;
    }
    return status;
}

static mtree_status_t add_edge(builder_t *builder, int from, int to)
{
    mtree_candidates_t *made = builder->made;
    const mtree_routes_t *routes = builder->problem->routes;
    bool down = mtree_collective_broadcasts(builder->problem->request->collective);
    bool up = mtree_collective_reduces(builder->problem->request->collective);
    double latency_down, latency_up;
    mtree_status_t status = reserve_edge(builder);

    if (status == MTREE_OK && down) {
        status = add_uses(builder, from, to);
    }
    if (status == MTREE_OK && up) {
        status = add_uses(builder, to, from);
    }
    if (status != MTREE_OK) {
        return status;
    }
    latency_down = down ? mtree_routes_latency(routes, from, to) : 0.0;
    latency_up = up ? mtree_routes_latency(routes, to, from) : 0.0;

    made->from[made->num_edges] = from;
    made->to[made->num_edges] = to;
    made->latency[made->num_edges] =
        latency_down > latency_up ? latency_down : latency_up;
    made->first[++made->num_edges] = builder->num_uses;
    return MTREE_OK;
}

static bool is_dominated(const builder_t *builder, int from, int to)
{
    if (!builder->made->directed) {
        return mtree_dominance_of_pair(builder->problem, builder->host_at,
                                       builder->is_symmetric, from, to);
    }
    return mtree_collective_reduces(builder->problem->request->collective)
               ? mtree_dominance_of_route(builder->problem, builder->host_at, to, from)
               : mtree_dominance_of_route(builder->problem, builder->host_at, from, to);
}

static mtree_status_t add_edges(builder_t *builder)
{
    bool directed = builder->made->directed;
    bool down = mtree_collective_broadcasts(builder->problem->request->collective);
    bool up = mtree_collective_reduces(builder->problem->request->collective);
    int num_hosts = builder->problem->num_hosts;
    mtree_status_t status = reserve_edge(builder);

    if (status != MTREE_OK) {
        return status;
    }
    builder->made->first[0] = 0;
    for (int from = 0; from < num_hosts; ++from) {
        for (int to = directed ? 0 : from + 1; to < num_hosts; ++to) {
            if (from == to || (down && !has_capacity(builder, from, to)) ||
                (up && !has_capacity(builder, to, from)) ||
                is_dominated(builder, from, to)) {
                continue;
            }
            status = add_edge(builder, from, to);
            if (status != MTREE_OK) {
                return status;
            }
        }
    }
    return MTREE_OK;
}

/* List the edges at each host: at the end @a at, and for undirected ones at the other
 * too. */
static mtree_status_t list_ends(const mtree_candidates_t *made, const int *at,
                                int **first_p, int **list_p)
{
    const int *other = at == made->from ? made->to : made->from;
    int *first = calloc((size_t)made->num_hosts + 2, sizeof(*first));
    int *list = malloc(((size_t)made->num_edges * 2 + 1) * sizeof(*list));

    *first_p = first;
    *list_p = list;
    if (first == NULL || list == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    /* Counted two places on, so that filling moves each start to where it belongs. */
    for (int edge = 0; edge < made->num_edges; ++edge) {
        ++first[at[edge] + 2];
        first[other[edge] + 2] += !made->directed;
    }
    for (int i = 0; i < made->num_hosts; ++i) {
        first[i + 2] += first[i + 1];
    }
    for (int edge = 0; edge < made->num_edges; ++edge) {
        list[first[at[edge] + 1]++] = edge;
        if (!made->directed) {
            list[first[other[edge] + 1]++] = edge;
        }
    }
    return MTREE_OK;
}

static mtree_status_t make_adjacency(mtree_candidates_t *made)
{
    mtree_status_t status = list_ends(made, made->from, &made->out_first, &made->out);

    return status == MTREE_OK ? list_ends(made, made->to, &made->in_first, &made->in)
                              : status;
}

/* Mark the hosts that host 0 reaches over the edges, or (@a backward) that reach it. */
static void mark_reached(const mtree_candidates_t *made, bool backward, bool *reached)
{
    bool changed = true;

    memset(reached, 0, (size_t)made->num_hosts * sizeof(*reached));
    reached[0] = true;
    while (changed) {
        changed = false;
        for (int edge = 0; edge < made->num_edges; ++edge) {
            int from = backward ? made->to[edge] : made->from[edge];
            int to = backward ? made->from[edge] : made->to[edge];

            if (!made->directed && reached[to]) {
                int swap = from;

                from = to;
                to = swap;
            }
            if (reached[from] && !reached[to]) {
                reached[to] = true;
                changed = true;
            }
        }
    }
}

static mtree_status_t check_connected(const builder_t *builder)
{
    const mtree_candidates_t *made = builder->made;
    bool *reached = malloc((size_t)made->num_hosts * sizeof(*reached));
    mtree_status_t status = MTREE_OK;

    if (reached == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int pass = 0; pass < (made->directed ? 2 : 1) && status == MTREE_OK; ++pass) {
        mark_reached(made, pass == 1, reached);
        for (int i = 0; i < made->num_hosts; ++i) {
            if (!reached[i]) {
                mtree_error(
                    "planner: no route with capacity joins %s and %s; give the links "
                    "between them capacity in both directions",
                    builder->problem->names[0], builder->problem->names[i]);
                status = MTREE_ERR_UNREACHABLE;
                break;
            }
        }
    }
    free(reached);
    return status;
}

mtree_status_t mtree_candidates_create(const mtree_problem_t *problem,
                                       mtree_candidates_t **candidates_p)
{
    int num_vertices = problem->topology->num_vertices;
    builder_t builder = {.problem = problem};
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    builder.made = calloc(1, sizeof(*builder.made));
    builder.host_at = malloc(((size_t)num_vertices + 1) * sizeof(*builder.host_at));
    if (builder.made == NULL || builder.host_at == NULL) {
        goto free_host_at;
    }
    builder.made->directed = mtree_collective_passes(problem->request->collective) == 1;
    builder.made->num_hosts = problem->num_hosts;
    for (int v = 0; v < num_vertices; ++v) {
        builder.host_at[v] = -1;
    }
    for (int i = 0; i < problem->num_hosts; ++i) {
        builder.host_at[problem->hosts[i]] = i;
    }
    builder.is_symmetric = true;
    for (int link = 0; link < problem->topology->num_links; ++link) {
        const double *capacity = problem->topology->links[link].capacity;

        builder.is_symmetric = builder.is_symmetric && capacity[0] == capacity[1];
    }
    status = add_edges(&builder);
    if (status == MTREE_OK) {
        status = mtree_constraints_make(problem->topology, builder.made);
    }
    if (status == MTREE_OK) {
        status = make_adjacency(builder.made);
    }
    if (status == MTREE_OK) {
        status = check_connected(&builder);
    }

free_host_at:
    free(builder.host_at);
    if (status != MTREE_OK) {
        mtree_candidates_destroy(builder.made);
        return status;
    }
    *candidates_p = builder.made;
    return MTREE_OK;
}

void mtree_candidates_destroy(mtree_candidates_t *candidates)
{
    if (candidates == NULL) {
        return;
    }
    free(candidates->from);
    free(candidates->to);
    free(candidates->latency);
    free(candidates->first);
    free(candidates->constraints);
    free(candidates->out_first);
    free(candidates->out);
    free(candidates->in_first);
    free(candidates->in);
    free(candidates->capacity);
    free(candidates->arc);
    free(candidates);
}

void mtree_candidates_price(const mtree_candidates_t *candidates,
                            const double *constraint_price, double *price)
{
    for (int edge = 0; edge < candidates->num_edges; ++edge) {
        double sum = 0.0;

        for (int use = candidates->first[edge]; use < candidates->first[edge + 1];
             ++use) {
            sum += constraint_price[candidates->constraints[use]];
        }
        price[edge] = sum;
    }
}

/* The edge from one host to another, -1: no candidate. */
static int find_edge(const mtree_candidates_t *candidates, int from, int to)
{
    for (int o = candidates->out_first[from]; o < candidates->out_first[from + 1]; ++o) {
        if (candidates->to[candidates->out[o]] == to) {
            return candidates->out[o];
        }
    }
    return -1;
}

mtree_status_t mtree_candidates_turn(const mtree_candidates_t *candidates, int root,
                                     int *edges)
{
    int num_edges = candidates->num_hosts - 1;
    int *into = malloc((size_t)candidates->num_hosts * sizeof(*into));
    int count = 0, at = root;

    if (into == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int i = 0; i < candidates->num_hosts; ++i) {
        into[i] = -1;
    }
    for (int e = 0; e < num_edges; ++e) {
        into[candidates->to[edges[e]]] = edges[e];
    }
    /* Only the edges between the old root and the new lead in the wrong direction. */
    for (int edge = into[root], up = -1; edge >= 0; edge = up) {
        int parent = candidates->from[edge];

        up = into[parent];
        into[parent] = find_edge(candidates, at, parent);
        if (into[parent] < 0) {
            mtree_error(
                "planner: there is a route from host %d to host %d but none back; "
                "plan with another algorithm",
                parent, at);
            free(into);
            return MTREE_ERR_UNREACHABLE;
        }
        at = parent;
    }
    into[root] = -1;
    for (int i = 0; i < candidates->num_hosts; ++i) {
        if (into[i] >= 0) {
            edges[count++] = into[i];
        }
    }
    free(into);
    return MTREE_OK;
}
