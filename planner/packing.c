#include "planner/packing.h"

#include "planner/candidates.h"
#include "planner/limit.h"
#include "planner/spread.h"
#include "planner/thin.h"

#include <math.h>
#include <stdbool.h>

/* The gap at which column generation stops, and spreading, which is for large networks.
 */
#define TOLERANCE        1e-7
#define SPREAD_TOLERANCE 2e-4

/* Steps of work (10 to 20 nanoseconds each) that each stage may take. */
#define LP_WORK     2e8
#define SPREAD_WORK 1.5e9
#define SHAPE_WORK  2e8
#define THIN_WORK   6e7

/* What is close enough where one cheapest tree takes a tenth of a second. */
#define HUGE_TOLERANCE 2e-3

/* Networks beyond this are too large for the simplex method. */
#define MAX_LP_ROWS  2500
#define MAX_LP_EDGES 100000

/* Rounds of multiplicative weights that fill the pool first, and how steeply prices rise
 * in them. */
#define WARM_ROUNDS 100
#define WARM_STEP   0.3

/* Times that few trees are chosen anew for the time that the last ones need. */
#define MAX_CHOICES 3
#define CHOICE_GAIN 0.02

/* A tree that delivers less than this part of an even share only adds overhead. */
#define LEAST_SHARE 1e-3

/* A plan in the making. */
typedef struct {
    mtree_generator_t *generator;
    mtree_tree_set_t set;
    double x;    /* bits/s that every group gets from the set, or would at no latency */
    double time; /* seconds for the size; 0: throughput */
    bool is_large;
} packing_t;

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

/* Does the shape of trees count, besides what they carry? */
static bool shape_counts(const packing_t *packing)
{
    const mtree_plan_request_t *request = packing->generator->problem->request;

    return request->bytes > 0.0 || request->max_height > 0;
}

static mtree_status_t pack_by_program(packing_t *packing)
{
    mtree_generator_t *generator = packing->generator;
    mtree_status_t status = mtree_generator_warm(generator, WARM_ROUNDS, WARM_STEP);

    if (status == MTREE_OK) {
        status = mtree_generator_run(generator, TOLERANCE, LP_WORK);
    }
    packing->x = generator->master->x;
    packing->is_large = packing->x < generator->bound * (1.0 - SPREAD_TOLERANCE);
    if (status == MTREE_ERR_SOLVER) {
        packing->is_large = true;
        status = MTREE_OK;
    }
    return status;
}

/* As much as can be carried: by linear program, or by spreading where that takes too
 * long. */
static mtree_status_t pack_throughput(packing_t *packing)
{
    mtree_generator_t *generator = packing->generator;
    const mtree_candidates_t *candidates = generator->candidates;
    bool is_huge = candidates->num_edges > MAX_LP_EDGES;
    mtree_tree_set_t set = {0};
    double x = 0.0;
    mtree_status_t status = MTREE_OK;

    packing->is_large =
        candidates->num_rows + generator->master->num_groups > MAX_LP_ROWS ||
        candidates->num_edges > MAX_LP_EDGES;
    if (!packing->is_large) {
        status = pack_by_program(packing);
    }
    if (status != MTREE_OK || !packing->is_large) {
        return status;
    }
    status = mtree_spread(generator, is_huge ? HUGE_TOLERANCE : SPREAD_TOLERANCE,
                          generator->work + SPREAD_WORK, &set, &x);
    if (status == MTREE_OK && x > packing->x) {
        packing->set = set;
        packing->x = x;
        return MTREE_OK;
    }
    mtree_tree_set_clear(&set);
    return status;
}

/* Trees whose shape suits the limit on height and the size. */
static mtree_status_t pack_shaped(packing_t *packing)
{
    mtree_generator_t *generator = packing->generator;
    double work = generator->work + SHAPE_WORK;
    mtree_status_t status = mtree_generator_enumerate(generator);

    mtree_tree_set_clear(&packing->set);
    if (status != MTREE_OK) {
        return status;
    }
    if (generator->problem->request->bytes > 0.0) {
        status = mtree_generator_run_time(generator, group_bits(generator), work,
                                          &packing->time);
    } else {
        status = mtree_generator_run_shaped(generator, work);
    }
    packing->x = generator->master->x;
    return status;
}

/* At most @a max_trees trees; when a size is given, for the time that they need
 * themselves. */
static mtree_status_t choose_few(packing_t *packing, int max_trees)
{
    mtree_generator_t *generator = packing->generator;
    double min_rate = generator->problem->request->min_rate;
    mtree_status_t status = MTREE_OK;

    for (int choice = 0; choice < MAX_CHOICES; ++choice) {
        double time;

        mtree_tree_set_clear(&packing->set);
        status = mtree_thin(generator, max_trees, min_rate, packing->x, THIN_WORK,
                            &packing->set);
        if (status != MTREE_OK || packing->time <= 0.0) {
            break;
        }
        time = mtree_tree_set_time(&packing->set, group_bits(generator));
        if (!isfinite(time) || fabs(time / packing->time - 1.0) < CHOICE_GAIN) {
            break;
        }
        packing->time = time;
        status = mtree_master_set_time(generator->master, time);
        if (status != MTREE_OK) {
            break;
        }
    }
    return status;
}

/* The trees that keep the request's limits. */
static mtree_status_t choose_trees(packing_t *packing)
{
    mtree_generator_t *generator = packing->generator;
    const mtree_plan_request_t *request = generator->problem->request;
    int max_trees = request->max_trees;
    mtree_status_t status = MTREE_OK;

    if (packing->set.trees == NULL) {
        status = mtree_master_finish(generator->master);
        if (status == MTREE_OK) {
            status = mtree_tree_set_take(generator, &packing->set);
        }
    }
    if (status != MTREE_OK) {
        return status;
    }
    if (generator->master->num_groups > 1) {
        mtree_tree_set_trim(&packing->set, max_trees, request->min_rate);
        return mtree_tree_set_refit(generator, &packing->set);
    }
    if (request->min_rate > 0.0 &&
        packing->x / request->min_rate < packing->set.num_trees) {
        int most = (int)fmax(1.0, packing->x / request->min_rate);

        max_trees = max_trees == 0 || most < max_trees ? most : max_trees;
    }
    if (max_trees > 0 && packing->set.num_trees > max_trees) {
        return choose_few(packing, max_trees);
    }
    return MTREE_OK;
}

static mtree_status_t pack(packing_t *packing)
{
    mtree_status_t status = pack_throughput(packing);

    if (status == MTREE_OK && shape_counts(packing)) {
        status = pack_shaped(packing);
    }
    if (status == MTREE_OK) {
        status = choose_trees(packing);
    }
    if (status == MTREE_OK && packing->time > 0.0) {
        mtree_tree_set_drop_small(&packing->set, packing->time, LEAST_SHARE);
    }
    return status;
}

mtree_status_t mtree_packing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates = NULL;
    packing_t packing = {.generator = NULL};
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        status = mtree_generator_create(problem, candidates, &packing.generator);
    }
    if (status == MTREE_OK) {
        status = pack(&packing);
    }
    if (status == MTREE_OK) {
        status = make_plan(packing.generator, &packing.set, plan_p);
    }
    mtree_tree_set_clear(&packing.set);
    mtree_generator_destroy(packing.generator);
    mtree_candidates_destroy(candidates);
    return status;
}
