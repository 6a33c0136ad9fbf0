/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/packing.h"

#include "planner/graph/candidates.h"
#include "planner/packing/bound.h"
#include "planner/packing/draft.h"
#include "planner/packing/mwu.h"
#include "planner/packing/prefix_cuts.h"
#include "planner/packing/robust.h"
#include "planner/solver/lp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The gap at which column generation stops, and spreading, which is for large networks.
 */
#define TOLERANCE     1e-7
#define MWU_TOLERANCE 2e-4

/* The same for all-to-all on a network that is too large for the simplex method. */
#define ALLTOALL_TOLERANCE 5e-3

/* Steps of work (10 to 20 nanoseconds each) that each stage may take.  With FEW_WORK an
 * all-to-all gets trees of which few per group are kept. */
#define LP_WORK    2e8
#define MWU_WORK   8e9
#define FEW_WORK   1e9
#define HARD_WORK  5e7
#define SIZED_WORK 2e7
#define SHAPE_WORK 1.5e8
#define HINT_WORK  1.5e7

/* From so many lines on the linear program of trees from each host may be hard. */
#define HARD_LINES 256

/* From HUGE_EDGES on one tree takes a tenth of a second, so HUGE_TOLERANCE is close
 * enough. */
#define HUGE_EDGES     100000
#define HUGE_TOLERANCE 2e-3

/* A tree with less than this part of its group's rate has none but for rounding. */
#define LEAST_RATE 1e-9

/* Of a scan nothing leaves the last host.  Its tree, of few hops, leads to the others,
 * and takes no capacity. */
static mtree_status_t add_last_tree(mtree_colgen_t *colgen, double rate,
                                    mtree_tree_t *tree)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    static const mtree_prim_options_t low = {.hop_price = 1.0};

    memset(colgen->constraint_price, 0,
           (size_t)candidates->num_constraints * sizeof(*colgen->constraint_price));
    tree->root = candidates->num_hosts - 1;
    tree->rate = rate;
    if (!mtree_prim_run(colgen->prim, colgen->constraint_price, tree->root, &low,
                        colgen->edges)) {
        return MTREE_ERR_CANCELLED;
    }
    for (int e = 0; e + 1 < candidates->num_hosts; ++e) {
        tree->parent[candidates->to[colgen->edges[e]]] =
            candidates->from[colgen->edges[e]];
    }
    return MTREE_OK;
}

/* What a plan for a scan has besides: the last host's tree, and a bound of its own. */
static mtree_status_t complete_prefix(mtree_colgen_t *colgen, const mtree_tree_set_t *set,
                                      mtree_plan_t *plan)
{
    mtree_status_t status =
        add_last_tree(colgen, mtree_tree_set_least(set, colgen->master->num_groups),
                      &plan->trees[set->num_trees]);

    return status == MTREE_OK ? mtree_prefix_cuts_bound(colgen) : status;
}

/* Make a plan by @a algorithm of a set of trees. */
static mtree_status_t make_plan(mtree_colgen_t *colgen, const char *algorithm,
                                const mtree_tree_set_t *set, mtree_plan_t **plan_p)
{
    bool is_prefix = mtree_colgen_is_prefix(colgen);
    mtree_status_t status = mtree_problem_plan(colgen->problem, algorithm,
                                               set->num_trees + is_prefix, plan_p);

    for (int t = 0; t < set->num_trees && status == MTREE_OK; ++t) {
        mtree_tree_t *tree = &(*plan_p)->trees[t];

        tree->root = set->trees[t].root;
        tree->rate = set->rate[t] * mtree_draft_blocks_per_tree(colgen);
        mtree_columns_parents(colgen->columns, &set->trees[t], tree->parent, NULL);
    }
    if (status == MTREE_OK && is_prefix) {
        status = complete_prefix(colgen, set, *plan_p);
    }
    if (status == MTREE_OK) {
        (*plan_p)->work = colgen->work;
        (*plan_p)->bound = colgen->bound * mtree_colgen_num_blocks(colgen);
        status = mtree_bound_describe(colgen->problem, colgen->candidates,
                                      colgen->bound_price, &(*plan_p)->limit);
    }
    return status;
}

/* Does the shape of trees count, besides what they carry?  Of a scan the paths of all
 * groups follow one another, and a tree is no more than a path. */
static bool shape_counts(const mtree_draft_t *draft)
{
    const mtree_plan_request_t *request = draft->colgen->problem->request;
    bool is_sized = request->bytes > 0.0 && !mtree_colgen_is_prefix(draft->colgen);

    return is_sized || request->max_height > 0;
}

/* Other rates for the trees of the set: mostly they carry as much as any trees do, and
 * their prices prove it. */
static mtree_status_t fit_rates(mtree_draft_t *draft)
{
    mtree_colgen_t *colgen = draft->colgen;
    mtree_status_t status = mtree_tree_set_refit(colgen, &draft->set);

    draft->x = mtree_tree_set_least(&draft->set, colgen->master->num_groups);
    mtree_tree_set_trim(&draft->set, 0, draft->x * LEAST_RATE);
    return status == MTREE_OK ? mtree_colgen_prove(colgen) : status;
}

/* Would a linear program gain nothing, or be too large?  It gains nothing where the bound
 * is reached; but up to MTREE_DRAFT_SHAPE_LINES its trees are needed for a size. */
static bool is_complete(const mtree_draft_t *draft)
{
    const mtree_colgen_t *colgen = draft->colgen;
    int num_lines = mtree_draft_num_lines(draft);

    return num_lines > MTREE_DRAFT_LP_LINES || mtree_draft_is_large_alltoall(draft) ||
           (colgen->master->num_groups > 1 && num_lines > MTREE_DRAFT_SHAPE_LINES &&
            draft->x >= colgen->bound * (1.0 - TOLERANCE));
}

/*
 * Column generation from the trees that there are.  On a torus so many packings of an
 * all-to-all carry the same that the simplex method pivots on for seconds and gains
 * nothing: where the packing is close to the bound it gets HARD_WORK, or SIZED_WORK and
 * less close where there is a size.  What is not optimal by then, or not solved, is left.
 */
static mtree_status_t improve(mtree_draft_t *draft)
{
    mtree_colgen_t *colgen = draft->colgen;
    bool is_sized = colgen->problem->request->bytes > 0.0;
    double gap = is_sized ? ALLTOALL_TOLERANCE : MWU_TOLERANCE;
    double hard = is_sized ? SIZED_WORK : HARD_WORK;
    bool may_stop = colgen->candidates->is_personalized &&
                    colgen->master->num_groups > 1 &&
                    mtree_draft_num_lines(draft) <= MTREE_DRAFT_SHAPE_LINES &&
                    draft->x >= colgen->bound * (1.0 - gap);
    double work = colgen->work + (may_stop ? hard : LP_WORK);
    mtree_status_t status = mtree_colgen_run(colgen, TOLERANCE, work);

    draft->is_hard = may_stop && (status == MTREE_ERR_SOLVER || colgen->work >= work);
    if (status == MTREE_OK && !draft->is_hard && colgen->master->x > draft->x) {
        mtree_tree_set_clear(&draft->set);
        draft->x = colgen->master->x;
    }
    return status == MTREE_ERR_SOLVER ? MTREE_OK : status;
}

/*
 * As much as can be carried.  Multiplicative weights come within a small part of it, and
 * prove that in most cases.  Column generation, which starts from their trees, goes the
 * rest of the way where that is wanted and its linear program is not too large.
 */
static mtree_status_t pack_throughput(mtree_draft_t *draft)
{
    mtree_colgen_t *colgen = draft->colgen;
    bool is_huge = colgen->candidates->num_edges > HUGE_EDGES;
    double tolerance = mtree_draft_is_large_alltoall(draft) ? ALLTOALL_TOLERANCE
                       : is_huge                            ? HUGE_TOLERANCE
                                                            : MWU_TOLERANCE;
    bool keeps_few =
        mtree_draft_is_large_alltoall(draft) && colgen->problem->request->bytes > 0.0;
    double work = colgen->work + (keeps_few ? FEW_WORK : MWU_WORK);
    mtree_status_t status =
        mtree_mwu_pack(colgen, false, tolerance, work, &draft->set, &draft->x);
    bool is_close = draft->x >= colgen->bound * (1.0 - tolerance);

    if (status != MTREE_OK || (is_close && mtree_draft_wants_few(draft))) {
        return status;
    }
    if (!mtree_lp_is_available()) {
        return is_close ? MTREE_OK : fit_rates(draft);
    }
    return is_complete(draft) ? MTREE_OK : improve(draft);
}

/*
 * Without the linear program the packing of most throughput stays, unless the height of
 * its trees is limited.  For a size few trees are chosen from it.
 */
static mtree_status_t pack_without_lp(mtree_draft_t *draft)
{
    mtree_colgen_t *colgen = draft->colgen;
    double bits = mtree_draft_group_bits(colgen);
    mtree_status_t status = MTREE_OK;

    if (colgen->columns->max_height > 0) {
        mtree_tree_set_clear(&draft->set);
        status = mtree_mwu_pack(colgen, true, MWU_TOLERANCE, colgen->work + SHAPE_WORK,
                                &draft->set, &draft->x);
        if (status == MTREE_ERR_NOT_FOUND) {
            return mtree_tree_set_create(colgen, 0, &draft->set);
        }
    }
    if (status == MTREE_OK && bits > 0.0 && colgen->master->num_groups == 1) {
        draft->time = mtree_tree_set_time(&draft->set, bits);
        mtree_master_set_time(colgen->master, draft->time);
    }
    return status;
}

/* Are all vertices hosts, and all links alike? */
static bool is_uniform(const mtree_colgen_t *colgen)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    bool is_even = candidates->num_hosts == colgen->problem->topology->num_vertices;

    for (int c = 1; c < candidates->num_constraints && is_even; ++c) {
        is_even = candidates->capacity[c] == candidates->capacity[0];
    }
    return is_even;
}

/* The work for the shapes of trees, of which few are chosen from those of a short search.
 * On a torus the linear program of trees from each host is degenerate: its solutions took
 * most of a plan's time, for trees a tenth faster, where other algorithms are faster. */
static double shape_work(const mtree_draft_t *draft)
{
    const mtree_colgen_t *colgen = draft->colgen;
    bool is_hard = colgen->master->num_groups > 1 &&
                   !colgen->candidates->is_personalized &&
                   mtree_draft_num_lines(draft) > HARD_LINES && is_uniform(colgen);

    return mtree_draft_wants_few(draft) || is_hard ? HINT_WORK : SHAPE_WORK;
}

/* Trees whose shape suits the limit on height and the size.  Where the linear program is
 * not solved, they are those that it began with. */
static mtree_status_t pack_shaped(mtree_draft_t *draft)
{
    mtree_colgen_t *colgen = draft->colgen;
    double bits = mtree_draft_group_bits(colgen);
    double work = colgen->work + shape_work(draft);
    mtree_status_t status = MTREE_OK;

    if (draft->set.trees == NULL) {
        status = mtree_tree_set_from_master(colgen, &draft->set);
    }
    if (status == MTREE_OK && !mtree_draft_suits_lp(draft, MTREE_DRAFT_SHAPE_LINES)) {
        return pack_without_lp(draft);
    }
    if (status != MTREE_OK) {
        return status;
    }
    status = bits > 0.0 ? mtree_colgen_run_time(colgen, bits, work, &draft->time)
                        : mtree_colgen_run_shaped(colgen, work);
    if (status == MTREE_ERR_SOLVER) {
        draft->is_hard = true;
        return pack_without_lp(draft);
    }
    draft->hint = draft->set;
    draft->set = (mtree_tree_set_t){0};
    draft->x = colgen->master->x;
    return status;
}

static mtree_status_t pack(mtree_draft_t *draft)
{
    mtree_status_t status = pack_throughput(draft);

    if (status == MTREE_OK && shape_counts(draft)) {
        status = pack_shaped(draft);
    }
    return status == MTREE_OK ? mtree_draft_limit(draft) : status;
}

/* As much of equal blocks, where hosts that send more than others are served, too. */
static mtree_status_t pack_robust(mtree_draft_t *draft)
{
    mtree_colgen_t *colgen = draft->colgen;
    int max_trees = colgen->problem->request->max_trees;
    mtree_status_t status =
        mtree_mwu_pack(colgen, false, ALLTOALL_TOLERANCE, colgen->work + MWU_WORK,
                       &draft->set, &draft->x);

    if (max_trees == 0 || max_trees > MTREE_ROBUST_TREES) {
        max_trees = MTREE_ROBUST_TREES;
    }
    mtree_tree_set_clear(&draft->set);
    return status == MTREE_OK
               ? mtree_robust_pack(colgen, draft->x, max_trees, &draft->set)
               : status;
}

/* A plan by @a algorithm, whose trees @a pack_trees finds. */
static mtree_status_t plan_by(const mtree_problem_t *problem, const char *algorithm,
                              mtree_status_t (*pack_trees)(mtree_draft_t *),
                              mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates = NULL;
    mtree_draft_t draft = {.colgen = NULL};
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        status = mtree_colgen_create(problem, candidates, &draft.colgen);
    }
    if (status == MTREE_OK) {
        status = pack_trees(&draft);
    }
    if (status == MTREE_OK) {
        status = make_plan(draft.colgen, algorithm, &draft.set, plan_p);
    }
    mtree_tree_set_clear(&draft.set);
    mtree_tree_set_clear(&draft.hint);
    mtree_colgen_destroy(draft.colgen);
    return status;
}

mtree_status_t mtree_packing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    return plan_by(problem, "packing", pack, plan_p);
}

mtree_status_t mtree_robust_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    return plan_by(problem, MTREE_PLAN_ROBUST, pack_robust, plan_p);
}
