/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/packing.h"

#include "planner/graph/candidates.h"
#include "planner/packing/bound.h"
#include "planner/packing/limit.h"
#include "planner/packing/mwu.h"
#include "planner/packing/prefix_cuts.h"
#include "planner/packing/tree_rates.h"
#include "planner/plan/finish.h"
#include "planner/tuning.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Of a scan nothing leaves the last host.  Its tree, of few hops, leads to the others,
 * and takes no capacity. */
static void add_last_tree(mtree_packer_t *packer, double rate, mtree_tree_t *tree)
{
    const mtree_candidates_t *candidates = packer->candidates;
    static const mtree_prim_options_t low = {.hop_price = 1.0};

    memset(packer->constraint_price, 0,
           (size_t)candidates->num_constraints * sizeof(*packer->constraint_price));
    tree->root = candidates->num_hosts - 1;
    tree->rate = rate;
    (void)mtree_prim_run(packer->prim, packer->constraint_price, tree->root, &low,
                         packer->edges);
    for (int e = 0; e + 1 < candidates->num_hosts; ++e) {
        tree->parent[candidates->to[packer->edges[e]]] =
            candidates->from[packer->edges[e]];
    }
}

/* A plan by @a algorithm of a set of trees.  Of a scan there are besides the last host's
 * tree, and a bound of its own. */
static mtree_plan_t *make_plan(mtree_packer_t *packer, const char *algorithm,
                               const mtree_tree_set_t *set)
{
    bool is_prefix = mtree_packer_is_prefix(packer);
    mtree_plan_t *plan =
        mtree_problem_plan(packer->problem, algorithm, set->num_trees + is_prefix);

    for (int t = 0; t < set->num_trees; ++t) {
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = set->trees[t].root;
        tree->rate = set->trees[t].rate * mtree_packer_blocks_per_tree(packer);
        mtree_tree_set_parents(set, &set->trees[t], tree->parent, NULL);
    }
    if (is_prefix) {
        add_last_tree(packer, mtree_tree_rates_least(packer, set),
                      &plan->trees[set->num_trees]);
        mtree_prefix_cuts_bound(packer);
    }
    plan->work = packer->work;
    plan->bound = packer->bound * mtree_packer_num_blocks(packer);
    mtree_bound_describe(packer->problem, packer->candidates, packer->bound_price,
                         &plan->limit);
    return plan;
}

/*
 * Column generation: the best rates of the trees at hand, at first of few, and the
 * cheapest trees under the prices of these, until that proves how good they are.  From
 * few trees of one group it takes many more steps.
 */
static void improve(mtree_draft_t *draft, double tolerance)
{
    mtree_packer_t *packer = draft->packer;
    const double work = packer->work + MTREE_TUNED_SHORT_WORK;
    int count = packer->num_groups > 1 ? MTREE_TUNED_TREES / 2 : 2 * MTREE_TUNED_TREES;
    mtree_tree_set_t *few = mtree_tree_rates_fastest(packer, draft->set, count);
    double x = mtree_tree_rates_least(packer, few);
    int before = 0;

    while (few->num_trees > before && packer->work < work &&
           x < packer->bound * (1.0 - tolerance)) {
        before = few->num_trees;
        mtree_packer_prove(packer, few);
        mtree_tree_rates_fit(packer, few);
        x = mtree_tree_rates_least(packer, few);
    }
    if (x > draft->x) {
        mtree_tree_set_t *worse = draft->set;

        mtree_tree_set_trim(few, 0, x * MTREE_TREE_SET_LEAST_RATE);
        draft->x = x;
        draft->set = few;
        few = worse;
    }
    mtree_tree_set_destroy(few);
}

/* As much as can be carried. */
static mtree_status_t pack_throughput(mtree_draft_t *draft)
{
    mtree_packer_t *packer = draft->packer;
    bool is_large = mtree_draft_is_large_alltoall(draft);
    const mtree_mwu_lay_t what = {.tolerance = is_large ? MTREE_TUNED_LARGE_TOLERANCE
                                                        : MTREE_TUNED_TOLERANCE,
                                  .levels = MTREE_MWU_MOST_LEVELS,
                                  .work = packer->work + MTREE_TUNED_WORK};
    mtree_status_t status = mtree_mwu_lay(packer, &what, &draft->set, &draft->x);

    if (status == MTREE_OK && !is_large &&
        draft->x < packer->bound * (1.0 - what.tolerance)) {
        improve(draft, what.tolerance);
    }
    return status;
}

/* Trees that keep the limit on height. */
static mtree_status_t pack_low(mtree_draft_t *draft)
{
    mtree_packer_t *packer = draft->packer;
    const mtree_mwu_lay_t what = {.is_low = true,
                                  .tolerance = MTREE_TUNED_TOLERANCE,
                                  .levels = MTREE_MWU_MOST_LEVELS,
                                  .work = packer->work + MTREE_TUNED_STAGE_WORK};
    mtree_status_t status = mtree_mwu_lay(packer, &what, &draft->set, &draft->x);
    const double work = packer->work + MTREE_TUNED_SHORT_WORK;

    if (status == MTREE_ERR_NOT_FOUND) {
        draft->set->num_trees = 0; /* the plan carries nothing */
        return MTREE_OK;
    }
    /* A poor tree among the first, which are large, may be all that a narrow link can
     * carry: others, and other rates. */
    for (int before = 0;
         status == MTREE_OK && draft->set->num_trees > before && packer->work < work;) {
        before = draft->set->num_trees;
        mtree_tree_rates_fit(packer, draft->set);
        for (int g = 0; g < packer->num_groups; ++g) {
            if (mtree_packer_find_low(packer, packer->constraint_price, g)) {
                mtree_tree_set_add(draft->set, g, mtree_packer_root(packer, g),
                                   packer->edges, 0.0);
            }
        }
    }
    if (status == MTREE_OK) {
        draft->x = mtree_tree_rates_least(packer, draft->set);
        mtree_tree_set_trim(draft->set, 0, draft->x * MTREE_TREE_SET_LEAST_RATE);
    }
    return status;
}

/* Trees of the shapes with which @a draft->time is enough, and what they need. */
static mtree_status_t pack_once(mtree_draft_t *draft, double bits, double work,
                                double *time_p)
{
    mtree_packer_t *packer = draft->packer;
    const mtree_mwu_lay_t what = {.levels = MTREE_TUNED_SHAPE_LEVELS, .work = work};
    mtree_tree_set_t *set = NULL;
    double x;
    mtree_status_t status;

    packer->time = draft->time;
    status = mtree_mwu_lay(packer, &what, &set, &x);
    if (status != MTREE_OK) {
        return status;
    }
    mtree_tree_set_trim(set, packer->num_groups > 1 ? MTREE_TUNED_TREES : 0, 0.0);
    mtree_tree_rates_fit(packer, set);
    mtree_tree_set_trim(set, 0, x * MTREE_TREE_SET_LEAST_RATE);
    *time_p = mtree_tree_rates_time(packer, set, bits);
    if (*time_p < draft->time) {
        mtree_tree_set_t *slower = draft->shaped;

        draft->shaped = set;
        set = slower;
    }
    mtree_tree_set_destroy(set);
    return MTREE_OK;
}

/* The least time for the size, latency included: what the trees for one time need is the
 * next one. */
static mtree_status_t pack_for_time(mtree_draft_t *draft)
{
    mtree_packer_t *packer = draft->packer;
    double bits = mtree_draft_group_bits(packer);
    double work = packer->work + (mtree_draft_wants_few(draft) ? MTREE_TUNED_SHORT_WORK
                                                               : MTREE_TUNED_STAGE_WORK);
    double before =
        mtree_draft_num_lines(draft) > MTREE_TUNED_LARGE_LINES ? 0.0 : INFINITY;
    mtree_status_t status = MTREE_OK;

    draft->time = mtree_tree_rates_time(packer, draft->set, bits);
    while (status == MTREE_OK && packer->work < work &&
           draft->time < before * (1.0 - MTREE_TUNED_HARDLY)) {
        double time = INFINITY;

        before = draft->time;
        status = pack_once(draft, bits, work, &time);
        draft->time = fmin(draft->time, time);
    }
    packer->time = draft->time;
    return status;
}

/* The time in which a prefix of @a bits passes over the paths of all groups. */
static double prefix_time(const mtree_packer_t *packer, const mtree_tree_set_t *set,
                          double bits)
{
    double time = bits / mtree_tree_rates_least(packer, set);

    for (int group = 0; group < packer->num_groups; ++group) {
        double latest = 0.0;

        for (int t = 0; t < set->num_trees; ++t) {
            const mtree_packed_t *tree = &set->trees[t];

            latest = tree->group == group ? fmax(latest, tree->delay) : latest;
        }
        time += latest;
    }
    return time;
}

/* Near paths, where these take less time for the size. */
static mtree_status_t pack_near(mtree_draft_t *draft)
{
    mtree_packer_t *packer = draft->packer;
    double bits = mtree_draft_group_bits(packer), x;
    const mtree_mwu_lay_t what = {.bits = bits,
                                  .levels = MTREE_TUNED_SHAPE_LEVELS,
                                  .work = packer->work + MTREE_TUNED_STAGE_WORK};
    mtree_tree_set_t *set = NULL;
    mtree_status_t status = mtree_mwu_lay(packer, &what, &set, &x);

    if (status != MTREE_OK) {
        return status;
    }
    mtree_tree_rates_fit(packer, set);
    mtree_tree_set_trim(set, 0, x * MTREE_TREE_SET_LEAST_RATE);
    if (prefix_time(packer, set, bits) < prefix_time(packer, draft->set, bits)) {
        mtree_tree_set_t *slower = draft->set;

        draft->x = mtree_tree_rates_least(packer, set);
        draft->set = set;
        set = slower;
    }
    mtree_tree_set_destroy(set);
    return MTREE_OK;
}

/* Seconds that a plan of @a set is estimated to take, with the chunks that it gets. */
static double estimate(mtree_packer_t *packer, const mtree_tree_set_t *set)
{
    mtree_plan_t *plan = make_plan(packer, "packing", set);
    double seconds;

    mtree_plan_finish(packer->problem, plan);
    seconds = plan->seconds;
    mtree_plan_destroy(plan);
    return seconds;
}

/* Trees of many groups are shaped for chunks of a length that the plan's may not have,
 * and may carry far less for it.  The plan's own estimate decides, but of an all-to-all,
 * whose messages it does not count: shapes have fewer trees. */
static void drop_slow_shapes(mtree_draft_t *draft)
{
    if (draft->shaped != NULL && draft->packer->num_groups > 1 &&
        !draft->packer->candidates->is_personalized &&
        estimate(draft->packer, draft->shaped) >
            (1.0 + MTREE_TUNED_SHAPES_COST) * estimate(draft->packer, draft->set)) {
        mtree_tree_set_destroy(draft->shaped);
        draft->shaped = NULL;
    }
}

static mtree_status_t pack(mtree_draft_t *draft)
{
    const mtree_plan_request_t *request = draft->packer->problem->request;
    mtree_status_t status = pack_throughput(draft);

    if (status == MTREE_OK && request->max_height > 0) {
        status = pack_low(draft);
    }
    if (status == MTREE_OK && request->bytes > 0.0 && draft->set->num_trees > 0) {
        if (mtree_packer_is_prefix(draft->packer)) {
            status = pack_near(draft);
        } else if (!mtree_draft_is_large_alltoall(draft)) {
            status = pack_for_time(draft);
        }
    }
    if (status == MTREE_OK) {
        drop_slow_shapes(draft);
        mtree_draft_limit(draft);
    }
    return status;
}

/* Lay any trees, or those of @a only: each group's own load is limited to little more
 * than what it gets where it alone sends.  Where that is no more than what all get at
 * once its limit has no effect. */
static mtree_status_t lay_robust(mtree_draft_t *draft, const mtree_tree_set_t *only,
                                 mtree_tree_set_t **set_p)
{
    mtree_packer_t *packer = draft->packer;
    mtree_mwu_lay_t what = {.only = only, .levels = MTREE_TUNED_LEVELS};
    mtree_tree_set_t *alone = NULL;
    mtree_status_t status = MTREE_OK;
    double *limit, each;

    MTREE_ARENA_ARRAY(packer->problem->arena, limit, (size_t)packer->num_groups);
    for (; what.first < packer->num_groups && status == MTREE_OK; ++what.first) {
        what.end = what.first + 1;
        status = mtree_mwu_lay(packer, &what, &alone, &each);
        limit[what.first] = (1.0 + MTREE_TUNED_OWN_SLACK) * draft->x / each;
    }
    mtree_tree_set_destroy(alone);
    what = (mtree_mwu_lay_t){.only = only, .limit = limit, .levels = MTREE_TUNED_LEVELS};
    return status == MTREE_OK ? mtree_mwu_lay(packer, &what, set_p, &each) : status;
}

/*
 * As much of equal blocks, where hosts that send more than others are served, too.
 *
 * Of equal blocks only the load of links by all hosts together counts, so the linear
 * program leaves most hosts one or two trees.  What one of them sends more than others,
 * as in MPI_Alltoallv(), then fills one link, while its other links idle.  So the load of
 * each link by each host alone is limited, too, for any trees and then for the best ones.
 */
static mtree_status_t pack_robust(mtree_draft_t *draft)
{
    mtree_packer_t *packer = draft->packer;
    const mtree_mwu_lay_t what = {.tolerance = MTREE_TUNED_LARGE_TOLERANCE,
                                  .levels = MTREE_MWU_MOST_LEVELS,
                                  .work = packer->work + MTREE_TUNED_WORK};
    int max_trees = packer->problem->request->max_trees;
    mtree_tree_set_t *any = NULL;
    mtree_status_t status;

    packer->shapes->max_height = 0; /* it does not heed the limit */
    status = mtree_mwu_lay(packer, &what, &draft->set, &draft->x);
    if (status == MTREE_OK) {
        status = lay_robust(draft, NULL, &any);
    }
    if (status == MTREE_OK) {
        mtree_tree_set_trim(any,
                            max_trees == 0 || max_trees > MTREE_TUNED_ROBUST_TREES
                                ? MTREE_TUNED_ROBUST_TREES
                                : max_trees,
                            0.0);
        status = lay_robust(draft, any, &draft->set);
    }
    if (status == MTREE_OK) {
        mtree_tree_set_trim(draft->set, 0, MTREE_TUNED_LEAST_PART * draft->x);
    }
    mtree_tree_set_destroy(any);
    return status;
}

/* A plan by @a algorithm, whose trees @a pack_trees finds. */
static mtree_status_t plan_by(const mtree_problem_t *problem, const char *algorithm,
                              mtree_status_t (*pack_trees)(mtree_draft_t *),
                              mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates = NULL;
    mtree_draft_t draft = {.packer = NULL};
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        draft.packer = mtree_packer_create(problem, candidates);
        status = pack_trees(&draft);
    }
    if (status == MTREE_OK && mtree_packer_goes_on(draft.packer)) {
        *plan_p = make_plan(draft.packer, algorithm, draft.set);
    }
    if (status == MTREE_OK) {
        status = draft.packer->status;
    }
    mtree_tree_set_destroy(draft.set);
    mtree_tree_set_destroy(draft.shaped);
    mtree_packer_destroy(draft.packer);
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
