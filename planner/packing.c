#include "planner/packing.h"

#include "planner/candidates.h"
#include "planner/generate.h"

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

/* A tree below this part of the throughput is what rounding left of one that is not
 * there. */
#define LEAST_PART 1e-9

/* Make a plan of the trees that the master's solution uses. */
static mtree_status_t make_plan(const mtree_generator_t *generator, mtree_plan_t **plan_p)
{
    const mtree_problem_t *problem = generator->problem;
    const mtree_master_t *master = generator->master;
    double least = master->x * LEAST_PART;
    mtree_plan_t *plan = NULL;
    mtree_status_t status;
    int count = 0;

    for (int t = 0; t < master->num_columns; ++t) {
        count += master->rate[t] > least;
    }
    status = mtree_plan_create(problem->request->collective, "packing",
                               problem->num_hosts, problem->names, count, &plan);
    if (status != MTREE_OK) {
        return status;
    }
    count = 0;
    for (int t = 0; t < master->num_columns; ++t) {
        if (master->rate[t] > least) {
            const mtree_column_t *column = &generator->pool->columns[t];
            mtree_tree_t *tree = &plan->trees[count++];

            tree->root = column->root;
            tree->rate = master->rate[t];
            mtree_pool_parents(generator->pool, column, tree->parent);
        }
    }
    plan->bound = generator->bound * master->num_groups;
    *plan_p = plan;
    return MTREE_OK;
}

mtree_status_t mtree_packing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates = NULL;
    mtree_generator_t *generator = NULL;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        status = mtree_generator_create(problem, candidates, &generator);
    }
    if (status == MTREE_OK) {
        status = mtree_generator_warm(generator, WARM_ROUNDS, WARM_STEP);
    }
    if (status == MTREE_OK) {
        status = mtree_generator_run(generator, TOLERANCE, MAX_WORK);
    }
    if (status == MTREE_OK) {
        status = make_plan(generator, plan_p);
    }
    mtree_generator_destroy(generator);
    mtree_candidates_destroy(candidates);
    return status;
}
