/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/stages.h"

#include "base/log.h"
#include "planner/plan/chunk_model.h"
#include "planner/plan/finish.h"
#include "planner/regular/programs.h"
#include "planner/regular/torus.h"

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

/* Do the vectors that a host gets fit into its memory? */
static bool fits_memory(const shape_t *shape, double bytes)
{
    double vectors = 0.0;

    for (int d = 0; d < shape->num; d++) {
        vectors += shape->size[d];
    }
    return vectors * bytes <= MTREE_PROGRAM_MOST_BYTES;
}

bool mtree_staged_fits(const mtree_topology_t *topology, int num_hosts,
                       const mtree_plan_request_t *request)
{
    const shape_t shape = prime_factors(num_hosts);

    (void)topology;
    return num_hosts <= MTREE_EXCHANGE_MOST_HOSTS && shape.num > 1 &&
           fits_memory(&shape, request->bytes);
}

/* The search for the best division. */
typedef struct {
    const mtree_problem_t *problem;
    mtree_plan_t *plan;
    int *order, *best_order; /* [num_hosts] */
    shape_t best;
    double least; /* cost; negative: none is known */
} search_t;

/* The estimate, with the messages of a host, which are one behind the other. */
static double cost(const search_t *search)
{
    const mtree_plan_t *plan = search->plan;

    return plan->bytes > 0.0 ? plan->seconds + mtree_plan_messages(plan, NULL) *
                                                   mtree_problem_hop(search->problem)
                             : 1.0 / plan->throughput;
}

static mtree_status_t try_shape(search_t *search, const shape_t *shape)
{
    const size_t size = (size_t)search->problem->num_hosts * sizeof(*search->order);
    mtree_plan_t *plan = search->plan;
    mtree_status_t status;

    if (!fits_memory(shape, search->problem->request->bytes)) {
        return MTREE_OK;
    }
    memcpy(plan->order, search->order, size);
    memset(plan->shape, 0, sizeof(plan->shape));
    memcpy(plan->shape, shape->size, (size_t)shape->num * sizeof(*shape->size));
    plan->throughput = 0.0;
    status = mtree_plan_finish(search->problem, plan);
    if (status == MTREE_OK && (search->least < 0.0 || cost(search) < search->least)) {
        search->least = cost(search);
        search->best = *shape;
        memcpy(search->best_order, search->order, size);
    }
    return status;
}

/* All divisions into two stages, and that into most. */
static mtree_status_t try_order(search_t *search)
{
    const int num_hosts = search->problem->num_hosts;
    shape_t shape = prime_factors(num_hosts);
    mtree_status_t status = try_shape(search, &shape);

    for (int size = 2; size < num_hosts && status == MTREE_OK; size++) {
        shape = (shape_t){2, {size, num_hosts / size}};
        if (num_hosts % size == 0) {
            status = try_shape(search, &shape);
        }
    }
    return status;
}

static mtree_status_t try_torus(search_t *search)
{
    mtree_torus_t torus;
    mtree_status_t status = mtree_torus_find(search->problem, &torus);
    shape_t shape = {.num = torus.num_dimensions};

    if (status != MTREE_OK || torus.num_dimensions < 2) {
        return status;
    }
    memcpy(shape.size, torus.size, sizeof(shape.size));
    memcpy(search->order, torus.host,
           (size_t)search->problem->num_hosts * sizeof(*search->order));
    return try_shape(search, &shape);
}

static mtree_status_t run_search(search_t *search)
{
    const int num_hosts = search->problem->num_hosts;
    const size_t size = (size_t)num_hosts * sizeof(*search->order);
    mtree_plan_t *plan = search->plan;
    mtree_status_t status;

    for (int host = 0; host < num_hosts; host++) {
        search->order[host] = host;
    }
    status = try_order(search);
    if (status == MTREE_OK) {
        mtree_routes_order(search->problem->routes, 0, search->order);
        status = try_order(search);
    }
    if (status == MTREE_OK) {
        status = try_torus(search);
    }
    memcpy(plan->order, search->best_order, size);
    memset(plan->shape, 0, sizeof(plan->shape));
    memcpy(plan->shape, search->best.size,
           (size_t)search->best.num * sizeof(*plan->shape));
    plan->throughput = 0.0;
    return status;
}

mtree_status_t mtree_staged_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    search_t search = {.problem = problem, .least = -1.0};
    mtree_status_t status;

    if (!mtree_staged_fits(problem->topology, problem->num_hosts, problem->request)) {
        mtree_error(
            "staged_exchange: %d hosts and %.0f bytes; it serves up to %d hosts in "
            "groups of the same size, whose messages take %.0f bytes of memory; "
            "choose packing",
            problem->num_hosts, problem->request->bytes, MTREE_EXCHANGE_MOST_HOSTS,
            MTREE_PROGRAM_MOST_BYTES);
        return MTREE_ERR_UNSUPPORTED;
    }
    MTREE_ARENA_ARRAY(problem->arena, search.order, (size_t)problem->num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, search.best_order, (size_t)problem->num_hosts);
    if (problem->arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    status = mtree_problem_plan(problem, "staged_exchange", 0, plan_p);
    if (status != MTREE_OK) {
        return status;
    }
    search.plan = *plan_p;
    search.plan->bytes = problem->request->bytes;
    search.plan->order = malloc((size_t)problem->num_hosts * sizeof(int));
    return search.plan->order == NULL ? MTREE_ERR_NO_MEMORY : run_search(&search);
}
