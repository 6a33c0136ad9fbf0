/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/reweight.h"

#include "base/log.h"
#include "planner/packing/packing.h"
#include "planner/plan/finish.h"
#include "planner/solver/dense_simplex.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

/* The roots are the groups of a collective with blocks. */
static int num_groups(const mtree_plan_t *plan)
{
    return mtree_collective_num_groups(plan->collective, plan->num_hosts);
}

/* Is the tree one of the last host of a scan, which carry nothing? */
static bool is_spare(const mtree_plan_t *plan, const mtree_tree_t *tree)
{
    return mtree_collective_is_prefix(plan->collective) &&
           mtree_tree_target(tree, plan->num_hosts) < 0;
}

/* With blocks of many hosts there are as many trees, and each root's had the same rate.
 */
static bool is_too_large(const mtree_problem_t *problem, const mtree_plan_t *plan)
{
    return mtree_collective_has_blocks(plan->collective) &&
           2.0 * problem->topology->num_links * plan->num_trees > MTREE_TUNED_STEP_WORK;
}

/* What a tree carries that has rate 1 in the linear program. */
static double blocks_per_tree(const mtree_plan_t *plan)
{
    return mtree_collective_is_personalized(plan->collective) ? plan->num_hosts : 1.0;
}

/* Tree @a t of @a plan as column number @a column; @a load is [num_arcs] of scratch. */
static void fill_column(const mtree_problem_t *problem, const mtree_plan_t *plan, int t,
                        mtree_dense_simplex_t *simplex, int column, double *load)
{
    int num_arcs = simplex->num_constraints;

    memset(load, 0, (size_t)num_arcs * sizeof(*load));
    mtree_plan_tree_load(plan, t, problem->routes, blocks_per_tree(plan), load);
    for (int arc = 0; arc < num_arcs; arc++) {
        simplex->uses[column][arc] = (int)(load[arc] + 0.5);
    }
    simplex->weight[column] = 1.0;
    simplex->group[column] = plan->trees[t].root;
}

const double *mtree_reweight_rates(const mtree_problem_t *problem,
                                   const mtree_plan_t *plan, double least)
{
    int num_arcs = 2 * problem->topology->num_links, num_columns = 0;
    mtree_arena_t *arena = problem->arena;
    mtree_dense_simplex_t *simplex;
    double *capacity, *load, *rate;

    MTREE_ARENA_ARRAY(arena, capacity, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, load, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, rate, (size_t)plan->num_trees);
    simplex = mtree_dense_simplex_create(arena, num_arcs, capacity, plan->num_trees,
                                         num_groups(plan));
    for (int arc = 0; arc < num_arcs; arc++) {
        capacity[arc] = fmax(least, mtree_arc_capacity(problem->topology, arc));
    }
    for (int t = 0; t < plan->num_trees; t++) {
        if (!is_spare(plan, &plan->trees[t])) {
            fill_column(problem, plan, t, simplex, num_columns++, load);
        }
    }
    (void)mtree_dense_simplex_solve(simplex, num_columns);
    num_columns = 0;
    for (int t = 0; t < plan->num_trees; t++) {
        rate[t] = is_spare(plan, &plan->trees[t])
                      ? plan->trees[t].rate
                      : simplex->rate[num_columns++] * blocks_per_tree(plan);
    }
    return rate;
}

/* The trees of problem->request->keep with the root that is asked for: the links between
 * the two roots are reversed. */
static mtree_plan_t *reroot(const mtree_problem_t *problem)
{
    const mtree_plan_t *keep = problem->request->keep;
    mtree_plan_t *plan = mtree_problem_plan(problem, keep->algorithm, keep->num_trees);

    for (int t = 0; t < keep->num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];

        memcpy(tree->parent, keep->trees[t].parent,
               (size_t)keep->num_hosts * sizeof(*tree->parent));
        mtree_tree_turn(tree, problem->request->root);
    }
    return plan;
}

/* What tree @a t gets of @a rate; NULL: what it had. */
static double rate_of(const mtree_plan_t *keep, const double *rate, int t)
{
    return rate != NULL ? rate[t] : keep->trees[t].rate;
}

/* The trees of @a keep that got more than next to no rate. */
static mtree_plan_t *take_trees(const mtree_problem_t *problem, const mtree_plan_t *keep,
                                const double *rate)
{
    double total = 0.0, least;
    int count = 0;
    mtree_plan_t *plan;

    for (int t = 0; t < keep->num_trees; t++) {
        total += rate_of(keep, rate, t);
    }
    least = MTREE_TUNED_LEAST_PART * total / num_groups(keep);
    for (int t = 0; t < keep->num_trees; t++) {
        count += rate_of(keep, rate, t) > least;
    }
    plan = mtree_problem_plan(problem, keep->algorithm, count);
    for (int t = 0, taken = 0; t < keep->num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[taken];

        if (rate_of(keep, rate, t) > least) {
            tree->root = keep->trees[t].root;
            tree->rate = rate_of(keep, rate, t);
            memcpy(tree->parent, keep->trees[t].parent,
                   (size_t)keep->num_hosts * sizeof(*tree->parent));
            taken++;
        }
    }
    return plan;
}

mtree_status_t mtree_reweight_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const mtree_plan_t *keep = problem->request->keep;
    mtree_plan_t *rooted = NULL;
    const double *rate = NULL;

    if (keep->collective != problem->request->collective ||
        keep->num_hosts != problem->num_hosts || mtree_plan_num_steps(keep) > 0) {
        mtree_error("planner: the trees to keep are for %s over %d hosts; keep those of "
                    "a plan for the same",
                    mtree_collective_name(keep->collective), keep->num_hosts);
        return MTREE_ERR_INVALID;
    }
    if (strcmp(keep->algorithm, MTREE_PLAN_ROBUST) == 0) {
        return mtree_robust_plan(problem, plan_p);
    }
    if (mtree_collective_has_root(keep->collective) &&
        keep->root != problem->request->root) {
        keep = rooted = reroot(problem);
    }
    if (!is_too_large(problem, keep)) {
        rate = mtree_reweight_rates(problem, keep, 0.0);
    }
    *plan_p = take_trees(problem, keep, rate);
    if (rate == NULL) {
        mtree_plan_scale_rates(problem, *plan_p);
    }
    mtree_plan_destroy(rooted);
    return MTREE_OK;
}
