/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/reweight.h"

#include "base/log.h"
#include "planner/solver/dense_simplex.h"

#include <string.h>

/* A tree of a smaller part of the throughput is left out. */
#define LEAST_PART 1e-3

/* The linear program: its constraints are the arcs, its groups are the roots of a
 * collective with blocks. */
typedef struct {
    const mtree_problem_t *problem;
    const mtree_plan_t *keep;
    int num_arcs, num_groups;
    double *capacity; /* [num_arcs] */
    double *load;     /* [num_arcs] of a tree of rate 1 */
    int **uses;       /* [trees of keep][num_arcs] */
    double *weight;   /* [trees of keep] */
    int *group;
    mtree_dense_simplex_t *simplex;
} reweight_t;

static mtree_status_t reweight_init(reweight_t *reweight, const mtree_problem_t *problem)
{
    const mtree_plan_t *keep = problem->request->keep;
    size_t num_arcs = 2 * (size_t)problem->topology->num_links;
    size_t num_trees = (size_t)keep->num_trees;
    mtree_arena_t *arena = problem->arena;

    reweight->problem = problem;
    reweight->keep = keep;
    reweight->num_arcs = (int)num_arcs;
    reweight->num_groups =
        mtree_collective_has_blocks(keep->collective) ? keep->num_hosts : 1;
    MTREE_ARENA_ARRAY(arena, reweight->capacity, num_arcs);
    MTREE_ARENA_ARRAY(arena, reweight->load, num_arcs);
    MTREE_ARENA_ARRAY(arena, reweight->uses, num_trees);
    MTREE_ARENA_ARRAY(arena, reweight->weight, num_trees);
    MTREE_ARENA_ARRAY(arena, reweight->group, num_trees);
    for (size_t t = 0; t < num_trees && arena->status == MTREE_OK; t++) {
        MTREE_ARENA_ARRAY(arena, reweight->uses[t], num_arcs);
    }
    for (int arc = 0; arc < reweight->num_arcs && arena->status == MTREE_OK; arc++) {
        reweight->capacity[arc] = mtree_arc_capacity(problem->topology, arc);
    }
    reweight->simplex =
        mtree_dense_simplex_create(arena, reweight->num_arcs, reweight->capacity,
                                   keep->num_trees, reweight->num_groups);
    return arena->status;
}

/* Rates that carry most, into reweight->simplex->rate. */
static void choose_rates(reweight_t *reweight)
{
    const mtree_plan_t *keep = reweight->keep;

    for (int t = 0; t < keep->num_trees; t++) {
        reweight->weight[t] = 1.0;
        reweight->group[t] = keep->trees[t].root;
        memset(reweight->load, 0, (size_t)reweight->num_arcs * sizeof(*reweight->load));
        mtree_plan_tree_load(keep, t, reweight->problem->routes, 1.0, reweight->load);
        for (int arc = 0; arc < reweight->num_arcs; arc++) {
            reweight->uses[t][arc] = (int)reweight->load[arc];
        }
    }
    mtree_dense_simplex_solve(reweight->simplex, keep->num_trees, reweight->uses,
                              reweight->weight, reweight->group);
}

/* The kept trees that got more than next to no rate. */
static mtree_status_t take_trees(const reweight_t *reweight, mtree_plan_t **plan_p)
{
    const mtree_plan_t *keep = reweight->keep;
    const double *rate = reweight->simplex->rate;
    double total = 0.0, least;
    int count = 0;
    mtree_status_t status;

    for (int t = 0; t < keep->num_trees; t++) {
        total += rate[t];
    }
    least = LEAST_PART * total / reweight->num_groups;
    for (int t = 0; t < keep->num_trees; t++) {
        count += rate[t] > least;
    }
    status = mtree_plan_create(keep->collective, keep->algorithm, keep->num_hosts,
                               reweight->problem->names, count, plan_p);
    for (int t = 0, taken = 0; t < keep->num_trees && status == MTREE_OK; t++) {
        mtree_tree_t *tree = &(*plan_p)->trees[taken];

        if (rate[t] > least) {
            tree->root = keep->trees[t].root;
            tree->rate = rate[t];
            memcpy(tree->parent, keep->trees[t].parent,
                   (size_t)keep->num_hosts * sizeof(*tree->parent));
            taken++;
        }
    }
    return status;
}

mtree_status_t mtree_reweight_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const mtree_plan_t *keep = problem->request->keep;
    reweight_t reweight = {0};
    mtree_status_t status;

    if (keep->collective != problem->request->collective ||
        keep->num_hosts != problem->num_hosts || mtree_plan_num_steps(keep) > 0) {
        mtree_error("planner: the trees to keep are for %s over %d hosts; keep those of "
                    "a plan for the same",
                    mtree_collective_name(keep->collective), keep->num_hosts);
        return MTREE_ERR_INVALID;
    }
    status = reweight_init(&reweight, problem);
    if (status == MTREE_OK) {
        choose_rates(&reweight);
        status = take_trees(&reweight, plan_p);
    }
    return status;
}
