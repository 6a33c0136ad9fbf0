/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/programs.h"

#include "base/log.h"
#include "base/memory.h"
#include "planner/plan/finish.h"
#include "planner/plan/messages.h"
#include "planner/program/build.h"
#include "planner/program/kinds.h"
#include "planner/regular/torus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stages with one host more each.  They are taken from the last one on, so near hosts of
 * an order come first. */
typedef struct {
    int num, size[MTREE_SHAPE_DIMENSIONS];
} shape_t;

/* The prime factors of @a hosts, the largest first; the last dimensions have what would
 * be too many. */
static shape_t prime_factors(int hosts)
{
    shape_t shape = {0};

    for (int factor = hosts; factor > 1; factor--) {
        bool is_prime = true;

        for (int d = 2; d * d <= factor; d++) {
            is_prime = is_prime && factor % d != 0;
        }
        while (is_prime && hosts % factor == 0) {
            if (shape.num == MTREE_SHAPE_DIMENSIONS) {
                shape.size[--shape.num] *= factor;
                shape.num++;
            } else {
                shape.size[shape.num++] = factor;
            }
            hosts /= factor;
        }
    }
    return shape;
}

/* Do the vectors that a host gets in these stages fit into its memory? */
static bool fits_memory(const shape_t *shape, double bytes)
{
    double vectors = 0.0;

    for (int d = 0; d < shape->num; d++) {
        vectors += shape->size[d];
    }
    return vectors * bytes <= MTREE_PROGRAM_MOST_BYTES;
}

/* The hosts that a program serves at most: in an exchange each sends to many. */
static int most_hosts(mtree_program_kind_t kind)
{
    return kind == MTREE_PROGRAM_EXCHANGE || kind == MTREE_PROGRAM_STAGES
               ? MTREE_EXCHANGE_MOST_HOSTS
               : MTREE_PROGRAM_MOST_HOSTS;
}

/*
 * How often a host needs the vector in memory.  Blocks lie where they come and where they
 * are sent from; of an all-to-all half of them do so in each round.  Else vectors come
 * from all hosts, or in each round and from a guest; parts of halves come, their sums,
 * and the vector of a guest.
 */
static double copies(mtree_program_kind_t kind, mtree_collective_t collective, int hosts)
{
    switch (kind) {
    case MTREE_PROGRAM_EXCHANGE:
        return hosts;
    case MTREE_PROGRAM_DOUBLING:
        return collective == MTREE_ALLGATHER ? 2.0 : floor(log2(hosts)) + 1.0;
    case MTREE_PROGRAM_HALVING:
        return 3.0;
    case MTREE_PROGRAM_BRUCK:
        return collective == MTREE_ALLTOALL ? ceil(log2(hosts)) + 2.0 : 2.0;
    default:
        return 2.0;
    }
}

/* Is the network of these hosts alone a torus for Swing? */
static bool is_swing_torus(const mtree_problem_t *problem)
{
    mtree_arena_t arena = {0};
    const mtree_problem_t vertices = {
        .topology = problem->topology, .num_hosts = problem->num_hosts, .arena = &arena};
    const mtree_torus_t torus = mtree_torus_find(&vertices);
    const bool fits = mtree_swing_fits(torus.size, problem->num_hosts);

    mtree_arena_cleanup(&arena);
    return fits;
}

bool mtree_programs_fit(const mtree_problem_t *problem)
{
    const mtree_program_kind_t kind = mtree_program_find(problem->algorithm);
    const mtree_plan_request_t *request = problem->request;
    const shape_t stages = prime_factors(problem->num_hosts);

    if (problem->num_hosts > most_hosts(kind)) {
        return false;
    }
    if (kind == MTREE_PROGRAM_STAGES) {
        return stages.num > 1 && fits_memory(&stages, request->bytes);
    }
    return copies(kind, request->collective, problem->num_hosts) * request->bytes <=
               MTREE_PROGRAM_MOST_BYTES &&
           (kind != MTREE_PROGRAM_SWING || is_swing_torus(problem));
}

typedef struct {
    const mtree_problem_t *problem;
    mtree_program_kind_t kind;
    int *order;         /* [num_hosts] that is tried */
    mtree_plan_t *best; /* so far; NULL: none */
    double least;       /* its cost */
} search_t;

/* The estimate; of stages, whose numbers of messages differ, with those of a host, which
 * are one behind the other. */
static double cost(const search_t *search, const mtree_plan_t *plan)
{
    if (plan->bytes <= 0.0) {
        return 1.0 / plan->throughput;
    }
    return plan->seconds +
           (search->kind == MTREE_PROGRAM_STAGES
                ? mtree_plan_messages(plan, NULL) * mtree_problem_hop(search->problem)
                : 0.0);
}

/* The plan for the order of the search with @a shape. */
static mtree_plan_t *make_plan(const search_t *search, const shape_t *shape)
{
    const mtree_problem_t *problem = search->problem;
    const size_t size = (size_t)problem->num_hosts * sizeof(*search->order);
    mtree_plan_t *plan = mtree_problem_plan(problem, problem->algorithm, 0);

    memcpy(plan->shape, shape->size, (size_t)shape->num * sizeof(*shape->size));
    plan->order = mtree_malloc(size);
    memcpy(plan->order, search->order, size);
    mtree_plan_finish(problem, plan);
    return plan;
}

/* Keep the order of the search with @a shape if it is the best so far. */
static void try_shape(search_t *search, shape_t shape)
{
    mtree_plan_t *plan = make_plan(search, &shape);

    if (search->best == NULL || cost(search, plan) < search->least) {
        mtree_plan_t *worse = search->best;

        search->least = cost(search, plan);
        search->best = plan;
        plan = worse;
    }
    mtree_plan_destroy(plan);
}

static void try_stages(search_t *search, shape_t shape)
{
    if (fits_memory(&shape, search->problem->request->bytes)) {
        try_shape(search, shape);
    }
}

/* Is the order of the search the best one already? */
static bool is_best(const search_t *search)
{
    return search->best != NULL &&
           memcmp(search->order, search->best->order,
                  (size_t)search->problem->num_hosts * sizeof(*search->order)) == 0;
}

/* The order of the search: of stages all divisions into two, and that into most. */
static void try_order(search_t *search)
{
    const int num_hosts = search->problem->num_hosts;

    if (search->kind != MTREE_PROGRAM_STAGES) {
        try_shape(search, (shape_t){0});
        return;
    }
    try_stages(search, prime_factors(num_hosts));
    for (int size = 2; size < num_hosts; size++) {
        if (num_hosts % size == 0) {
            try_stages(search, (shape_t){2, {size, num_hosts / size}});
        }
    }
}

/* The points of a torus.  Programs without a shape have partners near in another order.
 */
static void try_torus(search_t *search)
{
    const mtree_torus_t torus = mtree_torus_find(search->problem);
    shape_t shape = {.num = torus.num_dimensions};

    if (torus.num_dimensions == 0) {
        return;
    }
    memcpy(shape.size, torus.size, sizeof(shape.size));
    memcpy(search->order, torus.host,
           (size_t)search->problem->num_hosts * sizeof(*search->order));
    if (search->kind == MTREE_PROGRAM_SWING) {
        try_shape(search, shape);
    } else if (search->kind != MTREE_PROGRAM_STAGES) {
        mtree_torus_order(search->problem, &torus, search->order);
        try_order(search);
    } else if (shape.num > 1) {
        try_stages(search, shape);
    }
}

/* An exchange has no near partners, and Swing is for tori alone. */
static void run_search(search_t *search)
{
    if (search->kind != MTREE_PROGRAM_SWING) {
        for (int host = 0; host < search->problem->num_hosts; host++) {
            search->order[host] = host;
        }
        try_order(search);
    }
    if (search->kind == MTREE_PROGRAM_EXCHANGE) {
        return;
    }
    if (search->kind != MTREE_PROGRAM_SWING) {
        mtree_routes_order(search->problem->routes, 0, search->order);
        if (!is_best(search)) {
            try_order(search);
        }
    }
    try_torus(search);
}

mtree_status_t mtree_programs_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    search_t search = {.problem = problem,
                       .kind = mtree_program_find(problem->algorithm)};

    if (mtree_programs_fit(problem)) {
        MTREE_ARENA_ARRAY(problem->arena, search.order, (size_t)problem->num_hosts);
        run_search(&search);
    }
    *plan_p = search.best;
    if (search.best == NULL) {
        mtree_error(
            "%s: %.0f bytes from each of %d hosts; it serves up to %d %s whose messages "
            "take %.0f bytes of memory; choose packing",
            problem->algorithm, problem->request->bytes, problem->num_hosts,
            most_hosts(search.kind),
            search.kind == MTREE_PROGRAM_SWING    ? "hosts of a torus of powers of two"
            : search.kind == MTREE_PROGRAM_STAGES ? "hosts in groups of the same size"
                                                  : "hosts",
            MTREE_PROGRAM_MOST_BYTES);
        return MTREE_ERR_UNSUPPORTED;
    }
    return MTREE_OK;
}
