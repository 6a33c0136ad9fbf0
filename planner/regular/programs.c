/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/programs.h"

#include "base/log.h"
#include "planner/plan/finish.h"
#include "planner/program/hosts.h"
#include "planner/program/swing.h"
#include "planner/regular/torus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Are there at most @a most_hosts hosts, of which each needs @a copies of the vector in
 * memory? */
static bool fits(int num_hosts, int most_hosts, double copies,
                 const mtree_plan_request_t *request)
{
    return num_hosts <= most_hosts && copies * request->bytes <= MTREE_PROGRAM_MOST_BYTES;
}

/* A plan that names the program @a algorithm, which serves up to @a most_hosts @a hosts
 * and, if @a is_served, these, in the order of their numbers. */
static mtree_status_t name_program(const mtree_problem_t *problem, const char *algorithm,
                                   int most_hosts, const char *hosts, bool is_served,
                                   mtree_plan_t **plan_p)
{
    mtree_status_t status;

    if (!is_served) {
        mtree_error(
            "%s: %.0f bytes from each of %d hosts; it serves up to %d %s whose messages "
            "take %.0f bytes of memory; choose packing",
            algorithm, problem->request->bytes, problem->num_hosts, most_hosts, hosts,
            MTREE_PROGRAM_MOST_BYTES);
        return MTREE_ERR_UNSUPPORTED;
    }
    status = mtree_problem_plan(problem, algorithm, 0, plan_p);
    if (status != MTREE_OK) {
        return status;
    }
    (*plan_p)->bytes = problem->request->bytes;
    (*plan_p)->order = malloc((size_t)problem->num_hosts * sizeof(*(*plan_p)->order));
    if ((*plan_p)->order == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int host = 0; host < problem->num_hosts; host++) {
        (*plan_p)->order[host] = host;
    }
    return MTREE_OK;
}

/* Orders of the hosts that are compared, besides that of their numbers. */
static mtree_status_t order_nearest(const mtree_problem_t *problem, int *order)
{
    mtree_routes_order(problem->routes, 0, order);
    return MTREE_OK;
}

static mtree_status_t order_torus(const mtree_problem_t *problem, int *order)
{
    mtree_torus_t torus;
    mtree_status_t status = mtree_torus_find(problem, &torus);

    return status == MTREE_OK && torus.num_dimensions > 0
               ? mtree_torus_order(problem, &torus, order)
               : status;
}

static mtree_status_t (*const orders[])(const mtree_problem_t *problem,
                                        int *order) = {order_nearest, order_torus};

/* Take the order that is fastest, or without a size carries most; the first of several.
 */
static mtree_status_t choose_order(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    const size_t size = (size_t)problem->num_hosts * sizeof(*plan->order);
    mtree_status_t status = mtree_plan_finish(problem, plan);
    int *kept;

    MTREE_ARENA_ARRAY(problem->arena, kept, (size_t)problem->num_hosts);
    if (kept == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]) && status == MTREE_OK;
         i++) {
        const double seconds = plan->seconds, throughput = plan->throughput;

        memcpy(kept, plan->order, size);
        status = orders[i](problem, plan->order);
        if (status == MTREE_OK && memcmp(plan->order, kept, size) == 0) {
            continue;
        }
        if (status == MTREE_OK) {
            plan->throughput = 0.0;
            status = mtree_plan_finish(problem, plan);
        }
        if (status == MTREE_OK && (plan->bytes > 0.0 ? plan->seconds >= seconds
                                                     : plan->throughput <= throughput)) {
            memcpy(plan->order, kept, size);
            plan->seconds = seconds;
            plan->throughput = throughput;
        }
    }
    return status;
}

/* The plan of @a algorithm, if @a is_served serves the request, in the best order. */
static mtree_status_t plan_in_order(const mtree_problem_t *problem, const char *algorithm,
                                    bool (*is_served)(const mtree_topology_t *topology,
                                                      int num_hosts,
                                                      const mtree_plan_request_t *),
                                    mtree_plan_t **plan_p)
{
    mtree_status_t status = name_program(
        problem, algorithm, MTREE_PROGRAM_MOST_HOSTS, "hosts",
        is_served(problem->topology, problem->num_hosts, problem->request), plan_p);

    return status == MTREE_OK ? choose_order(problem, *plan_p) : status;
}

bool mtree_exchange_fits(const mtree_topology_t *topology, int num_hosts,
                         const mtree_plan_request_t *request)
{
    (void)topology;
    return fits(num_hosts, MTREE_EXCHANGE_MOST_HOSTS, num_hosts, request);
}

mtree_status_t mtree_exchange_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    return name_program(
        problem, "exchange", MTREE_EXCHANGE_MOST_HOSTS, "hosts",
        mtree_exchange_fits(problem->topology, problem->num_hosts, problem->request),
        plan_p);
}

/* All blocks lie in memory where they come and where they are sent from; of an all-to-all
 * half of them do so in each round. */
bool mtree_bruck_fits(const mtree_topology_t *topology, int num_hosts,
                      const mtree_plan_request_t *request)
{
    (void)topology;
    return fits(num_hosts, MTREE_PROGRAM_MOST_HOSTS,
                request->collective == MTREE_ALLTOALL ? ceil(log2(num_hosts)) + 2.0 : 2.0,
                request);
}

mtree_status_t mtree_bruck_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    return plan_in_order(problem, "bruck", mtree_bruck_fits, plan_p);
}

/* A vector comes in each round, and from a host that is no member; blocks as above. */
bool mtree_doubling_fits(const mtree_topology_t *topology, int num_hosts,
                         const mtree_plan_request_t *request)
{
    (void)topology;
    return fits(num_hosts, MTREE_PROGRAM_MOST_HOSTS,
                request->collective == MTREE_ALLGATHER ? 2.0
                                                       : floor(log2(num_hosts)) + 1.0,
                request);
}

mtree_status_t mtree_doubling_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    return plan_in_order(problem, "recursive_doubling", mtree_doubling_fits, plan_p);
}

/* Parts of other hosts come, their sums, and a vector from a host that is no member. */
bool mtree_halving_fits(const mtree_topology_t *topology, int num_hosts,
                        const mtree_plan_request_t *request)
{
    (void)topology;
    return fits(num_hosts, MTREE_PROGRAM_MOST_HOSTS, 3.0, request);
}

mtree_status_t mtree_halving_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    return plan_in_order(problem, "recursive_halving", mtree_halving_fits, plan_p);
}

/* The pieces come twice, as in recursive halving. */
bool mtree_swing_has_plan(const mtree_topology_t *topology, int num_hosts,
                          const mtree_plan_request_t *request)
{
    int shape[MTREE_TORUS_DIMENSIONS];

    return topology->num_vertices == num_hosts &&
           fits(num_hosts, MTREE_PROGRAM_MOST_HOSTS, 2.0, request) &&
           mtree_torus_shape(topology, shape) == MTREE_OK &&
           mtree_swing_fits(shape, num_hosts);
}

mtree_status_t mtree_swing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_torus_t torus;
    mtree_status_t status = mtree_torus_find(problem, &torus);

    if (status == MTREE_OK) {
        status = name_program(
            problem, "swing", MTREE_PROGRAM_MOST_HOSTS,
            "hosts of a torus of powers of two",
            mtree_swing_has_plan(problem->topology, problem->num_hosts, problem->request),
            plan_p);
    }
    if (status == MTREE_OK) {
        memcpy((*plan_p)->order, torus.host,
               (size_t)problem->num_hosts * sizeof(*torus.host));
        memcpy((*plan_p)->shape, torus.size,
               (size_t)torus.num_dimensions * sizeof(*torus.size));
    }
    return status;
}

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

    memcpy(search->order, plan->order, size);
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
    mtree_status_t status = name_program(
        problem, "staged_exchange", MTREE_EXCHANGE_MOST_HOSTS,
        "hosts in groups of the same size",
        mtree_staged_fits(problem->topology, problem->num_hosts, problem->request),
        plan_p);

    MTREE_ARENA_ARRAY(problem->arena, search.order, (size_t)problem->num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, search.best_order, (size_t)problem->num_hosts);
    if (status != MTREE_OK || problem->arena->status != MTREE_OK) {
        return status != MTREE_OK ? status : MTREE_ERR_NO_MEMORY;
    }
    search.plan = *plan_p;
    return run_search(&search);
}
