#include "planner/packing.h"

#include "planner/candidates.h"
#include "planner/limit.h"
#include "planner/thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The gap at which column generation stops. */
#define TOLERANCE 1e-7

/* Steps of work (a few nanoseconds each) that column generation may take. */
#define MAX_WORK 8e9

/* Rounds of multiplicative weights that fill the pool first, and how steeply prices rise
 * in them. */
#define WARM_ROUNDS 100
#define WARM_STEP   0.3

/* The same for choosing few trees. */
#define THIN_WORK 6e7

/* Make a plan of a set of trees. */
static mtree_status_t make_plan(const mtree_generator_t *generator,
                                const mtree_tree_set_t *set, mtree_plan_t **plan_p)
{
    const mtree_problem_t *problem = generator->problem;
    mtree_plan_t *plan = NULL;
    mtree_status_t status;

    status = mtree_plan_create(problem->request->collective, "packing",
                               problem->num_hosts, problem->names, set->num_trees, &plan);
    if (status != MTREE_OK) {
        return status;
    }
    for (int t = 0; t < set->num_trees; ++t) {
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = set->trees[t].root;
        tree->rate = set->rate[t];
        mtree_pool_parents(generator->pool, &set->trees[t], tree->parent);
    }
    status = mtree_limit_describe(problem, generator->candidates, generator->bound_price,
                                  &plan->limit);
    if (status != MTREE_OK) {
        mtree_plan_destroy(plan);
        return status;
    }
    plan->bound = generator->bound * generator->master->num_groups;
    *plan_p = plan;
    return MTREE_OK;
}

/* Bits that each group delivers. */
static double group_bits(const mtree_generator_t *generator)
{
    return 8.0 * generator->problem->request->bytes / generator->master->num_groups;
}

/* Find the trees and their rates: for throughput, then for the limit on height and for
 * the size. */
static mtree_status_t pack(mtree_generator_t *generator)
{
    const mtree_plan_request_t *request = generator->problem->request;
    mtree_status_t status = mtree_generator_warm(generator, WARM_ROUNDS, WARM_STEP);
    double time;

    if (status == MTREE_OK) {
        status = mtree_generator_run(generator, TOLERANCE, MAX_WORK);
    }
    if (status != MTREE_OK || (request->bytes <= 0.0 && request->max_height == 0)) {
        return status;
    }
    status = mtree_generator_enumerate(generator);
    if (status == MTREE_OK && request->bytes <= 0.0) {
        return mtree_generator_run_shaped(generator, MAX_WORK);
    }
    return status == MTREE_OK ? mtree_generator_run_time(generator, group_bits(generator),
                                                         MAX_WORK, &time)
                              : status;
}

/* The trees that keep the request's limits. */
static mtree_status_t choose_trees(mtree_generator_t *generator, mtree_tree_set_t *set_p)
{
    const mtree_plan_request_t *request = generator->problem->request;
    mtree_status_t status = mtree_tree_set_take(generator, set_p);

    if (status != MTREE_OK || generator->master->num_groups > 1) {
        return status;
    }
    if (set_p->num_trees > request->max_trees && request->max_trees > 0) {
        mtree_tree_set_clear(set_p);
        status = mtree_thin(generator, request->max_trees, request->min_rate, THIN_WORK,
                            set_p);
    }
    return status;
}

mtree_status_t mtree_packing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates = NULL;
    mtree_generator_t *generator = NULL;
    mtree_tree_set_t set = {0};
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        status = mtree_generator_create(problem, candidates, &generator);
    }
    if (status == MTREE_OK) {
        status = pack(generator);
    }
    if (status == MTREE_OK) {
        status = choose_trees(generator, &set);
    }
    if (status == MTREE_OK) {
        status = make_plan(generator, &set, plan_p);
    }
    mtree_tree_set_clear(&set);
    mtree_generator_destroy(generator);
    mtree_candidates_destroy(candidates);
    return status;
}
