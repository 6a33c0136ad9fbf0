/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/candidates.h"

#include "base/array.h"
#include "base/cancel.h"
#include "base/log.h"
#include "planner/graph/dominance.h"
#include "planner/plan/finish.h"
#include "planner/tuning.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int from, to;
} pair_t;

/* The pairs of hosts that become edges, while they are collected. */
typedef struct {
    const mtree_problem_t *problem;
    bool down, up; /* the directions of its route that an edge uses */
    int *host_at;  /* [num_vertices] host number at a vertex, -1: none */
    char *even;    /* as of mtree_dominance_of_pair() */
    pair_t *pairs;
    int num_pairs, capacity;
} builder_t;

static bool is_dominated(const builder_t *builder, int from, int to)
{
    if (builder->down && builder->up) {
        return mtree_dominance_of_pair(builder->problem, builder->host_at, builder->even,
                                       from, to);
    }
    return builder->up
               ? mtree_dominance_of_route(builder->problem, builder->host_at, to, from)
               : mtree_dominance_of_route(builder->problem, builder->host_at, from, to);
}

static mtree_status_t list_pairs(builder_t *builder)
{
    bool directed = !(builder->down && builder->up);
    int num_hosts = builder->problem->num_hosts;

    for (int from = 0; from < num_hosts; ++from) {
        if (mtree_cancel_is_set()) {
            return MTREE_ERR_CANCELLED;
        }
        for (int to = directed ? 0 : from + 1; to < num_hosts; ++to) {
            if (from == to || is_dominated(builder, from, to)) {
                continue;
            }
            mtree_array_reserve(&builder->pairs, &builder->capacity,
                                builder->num_pairs + 1, sizeof(*builder->pairs));
            builder->pairs[builder->num_pairs++] = (pair_t){from, to};
        }
    }
    return MTREE_OK;
}

/* The bytes of a chunk, near enough: plan/finish.c settles it when the trees are known.
 */
static double chunk_bytes(const mtree_problem_t *problem)
{
    const mtree_plan_request_t *request = problem->request;
    bool is_of_all =
        mtree_collective_num_groups(request->collective, problem->num_hosts) > 1;

    return fmin(fmax(request->bytes / MTREE_CHUNK_FEWEST, (double)MTREE_CHUNK_LEAST),
                fmax(is_of_all ? request->bytes / MTREE_TUNED_LONG_CHUNKS : 0.0,
                     (double)MTREE_CHUNK_MIN));
}

/*
 * Seconds from @a from to @a to.  A host passes on what it has whole, so with a size the
 * time of a chunk on the link counts: of trees that carry as much the low ones are
 * faster.  Behind a switch they are not: there the chunks for a host's neighbours share
 * its interface.
 */
static double edge_latency(const mtree_problem_t *problem, int from, int to)
{
    double latency = mtree_routes_latency(problem->routes, from, to);

    return problem->request->bytes > 0.0 &&
                   mtree_routes_links(problem->routes, from, to) == 1
               ? latency + 8.0 * chunk_bytes(problem) /
                               mtree_routes_capacity(problem->routes, from, to)
               : latency;
}

/* The edges, on arcs; the compact form on constraints comes after. */
static void make_edges(const builder_t *builder, mtree_candidates_t *made)
{
    const mtree_routes_t *routes = builder->problem->routes;
    mtree_arena_t *arena = builder->problem->arena;
    size_t num_edges = (size_t)builder->num_pairs;
    int num_uses = 0;

    for (const pair_t *pair = builder->pairs; pair < builder->pairs + builder->num_pairs;
         ++pair) {
        num_uses += builder->down ? mtree_routes_links(routes, pair->from, pair->to) : 0;
        num_uses += builder->up ? mtree_routes_links(routes, pair->to, pair->from) : 0;
    }
    made->num_edges = builder->num_pairs;
    MTREE_ARENA_ARRAY(arena, made->from, num_edges);
    MTREE_ARENA_ARRAY(arena, made->to, num_edges);
    MTREE_ARENA_ARRAY(arena, made->latency, num_edges);
    MTREE_ARENA_ARRAY(arena, made->first, num_edges + 1);
    MTREE_ARENA_ARRAY(arena, made->constraints, (size_t)num_uses);
    num_uses = 0;
    for (int edge = 0; edge < made->num_edges; ++edge) {
        int from = builder->pairs[edge].from, to = builder->pairs[edge].to;

        made->from[edge] = from;
        made->to[edge] = to;
        if (builder->down) {
            num_uses += mtree_routes_list(routes, from, to, made->constraints + num_uses);
            made->latency[edge] = edge_latency(builder->problem, from, to);
        }
        if (builder->up) {
            num_uses += mtree_routes_list(routes, to, from, made->constraints + num_uses);
            made->latency[edge] =
                fmax(made->latency[edge], edge_latency(builder->problem, to, from));
        }
        made->first[edge + 1] = num_uses;
    }
}

/* A hash of the multiset of edges that use an arc; 0: none does. */
typedef struct {
    uint64_t hash;
    int arc;
} signature_t;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int signature_compare(const void *left, const void *right)
{
    const signature_t *x = left, *y = right;

    if (x->hash != y->hash) {
        return x->hash < y->hash ? -1 : 1;
    }
    return (x->arc > y->arc) - (x->arc < y->arc);
}

static void sign_arcs(const mtree_candidates_t *made, int num_arcs,
                      signature_t *signatures)
{
    for (int arc = 0; arc < num_arcs; ++arc) {
        signatures[arc] = (signature_t){0, arc};
    }
    for (int edge = 0; edge < made->num_edges; ++edge) {
        for (int use = made->first[edge]; use < made->first[edge + 1]; ++use) {
            signatures[made->constraints[use]].hash += mix((uint64_t)edge + 1);
        }
    }
    qsort(signatures, (size_t)num_arcs, sizeof(*signatures), signature_compare);
}

/* Make arcs with equal signatures one constraint, and drop those that no edge uses; @a
 * constraint_of is [num_arcs]. */
static void merge_arcs(const mtree_topology_t *topology, int num_arcs,
                       const signature_t *signatures, int *constraint_of,
                       mtree_candidates_t *made)
{
    for (int i = 0; i < num_arcs; ++i) {
        const signature_t *here = &signatures[i];
        double capacity = mtree_arc_capacity(topology, here->arc);
        int c = made->num_constraints - 1;

        if (here->hash == 0) {
            continue;
        }
        if (c < 0 || here[-1].hash != here->hash) {
            c = made->num_constraints++;
            made->capacity[c] = capacity;
            made->arc[c] = here->arc;
        } else if (capacity < made->capacity[c]) {
            made->capacity[c] = capacity;
            made->arc[c] = here->arc;
        }
        constraint_of[here->arc] = c;
    }
}

/*
 * On entry made->constraints holds, from made->first on, the arcs that each edge uses;
 * they become constraints: arcs that the same edges use equally often are one, with the
 * least of their capacities.  Arcs that no edge uses are left out.
 */
static void make_constraints(const mtree_problem_t *problem, mtree_candidates_t *made)
{
    int num_arcs = 2 * problem->topology->num_links, kept = 0;
    mtree_arena_t *arena = problem->arena;
    signature_t *signatures;
    int *constraint_of;

    MTREE_ARENA_ARRAY(arena, signatures, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, constraint_of, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, made->capacity, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, made->arc, (size_t)num_arcs);
    sign_arcs(made, num_arcs, signatures);
    merge_arcs(problem->topology, num_arcs, signatures, constraint_of, made);
    for (int edge = 0; edge < made->num_edges; ++edge) {
        int start = kept;

        /* All arcs of a constraint are used by the same edges equally often: one of them
         * counts.
         */
        for (int use = made->first[edge]; use < made->first[edge + 1]; ++use) {
            int c = constraint_of[made->constraints[use]];

            if (made->arc[c] == made->constraints[use]) {
                made->constraints[kept++] = c;
            }
        }
        made->first[edge] = start;
    }
    made->first[made->num_edges] = kept;
}

/* List the edges at each host: at the end @a at, and for undirected ones at the other
 * too. */
static void list_ends(mtree_arena_t *arena, const mtree_candidates_t *made, const int *at,
                      int **first_p, int **list_p)
{
    const int *other = at == made->from ? made->to : made->from;
    int *first = MTREE_ARENA_ARRAY(arena, *first_p, (size_t)made->num_hosts + 2);
    int *list = MTREE_ARENA_ARRAY(arena, *list_p, 2 * (size_t)made->num_edges);

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

            if (reached[from] != reached[to] && (reached[from] || !made->directed)) {
                reached[from] = reached[to] = true;
                changed = true;
            }
        }
    }
}

static mtree_status_t check_connected(const mtree_problem_t *problem,
                                      const mtree_candidates_t *made)
{
    bool *reached;

    MTREE_ARENA_ARRAY(problem->arena, reached, (size_t)made->num_hosts);
    for (int pass = 0; pass < (made->directed ? 2 : 1); ++pass) {
        mark_reached(made, pass == 1, reached);
        for (int i = 0; i < made->num_hosts; ++i) {
            if (!reached[i]) {
                mtree_error(
                    "planner: no route with capacity joins %s and %s; give the links "
                    "between them capacity in both directions",
                    problem->names[0], problem->names[i]);
                return MTREE_ERR_UNREACHABLE;
            }
        }
    }
    return MTREE_OK;
}

/* Has every link one capacity for both directions? */
static bool is_symmetric(const mtree_topology_t *topology)
{
    int link = 0;

    while (link < topology->num_links &&
           topology->links[link].capacity[0] == topology->links[link].capacity[1]) {
        ++link;
    }
    return link == topology->num_links;
}

/* What list_pairs() goes by. */
static void init_builder(builder_t *builder, const mtree_problem_t *problem)
{
    const mtree_topology_t *topology = problem->topology;

    *builder =
        (builder_t){.problem = problem,
                    .down = mtree_collective_goes_down(problem->request->collective),
                    .up = mtree_collective_goes_up(problem->request->collective)};
    MTREE_ARENA_ARRAY(problem->arena, builder->host_at, (size_t)topology->num_vertices);
    memset(builder->host_at, -1,
           (size_t)topology->num_vertices * sizeof(*builder->host_at));
    for (int i = 0; i < problem->num_hosts; ++i) {
        builder->host_at[problem->hosts[i]] = i;
    }
    if (builder->down && builder->up && is_symmetric(topology)) {
        MTREE_ARENA_ARRAY(problem->arena, builder->even,
                          (size_t)problem->num_hosts * (size_t)problem->num_hosts);
    }
}

/* Of a prefix each host has one block, for the next host. */
static void make_chain(mtree_arena_t *arena, mtree_candidates_t *made)
{
    size_t num_hosts = (size_t)made->num_hosts;
    int *blocks;

    MTREE_ARENA_ARRAY(arena, blocks, num_hosts * num_hosts);
    for (size_t i = 0; i + 1 < num_hosts; ++i) {
        blocks[i * num_hosts + i + 1] = 1;
    }
    made->blocks = blocks;
}

static void make_scratch(mtree_arena_t *arena, mtree_candidates_t *made)
{
    size_t num_hosts = (size_t)made->num_hosts;

    MTREE_ARENA_ARRAY(arena, made->parent, num_hosts);
    MTREE_ARENA_ARRAY(arena, made->waiting, num_hosts);
    MTREE_ARENA_ARRAY(arena, made->below, num_hosts);
    MTREE_ARENA_ARRAY(arena, made->carried, num_hosts);
}

mtree_status_t mtree_candidates_create(const mtree_problem_t *problem,
                                       mtree_candidates_t **candidates_p)
{
    mtree_arena_t *arena = problem->arena;
    mtree_candidates_t *made = MTREE_ARENA_ARRAY(arena, *candidates_p, 1);
    builder_t builder;
    mtree_status_t status;

    init_builder(&builder, problem);
    made->directed = mtree_collective_passes(problem->request->collective) == 1;
    made->is_personalized = mtree_collective_has_demands(problem->request->collective);
    made->num_hosts = made->num_active = problem->num_hosts;
    status = list_pairs(&builder);
    if (status == MTREE_OK) {
        make_edges(&builder, made);
    }
    free(builder.pairs);
    if (status != MTREE_OK) {
        return status;
    }
    make_constraints(problem, made);
    if (made->is_personalized) {
        make_scratch(arena, made);
    }
    if (mtree_collective_is_prefix(problem->request->collective)) {
        make_chain(arena, made);
    }
    list_ends(arena, made, made->from, &made->out_first, &made->out);
    list_ends(arena, made, made->to, &made->in_first, &made->in);
    return check_connected(problem, made);
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
