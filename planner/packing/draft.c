/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/draft.h"

#include "planner/packing/mwu.h"
#include "planner/packing/select.h"
#include "planner/solver/lp.h"

#include <math.h>

/* Steps of work (10 to 20 nanoseconds each) that each stage may take. */
#define LAY_WORK    1e9
#define SELECT_WORK 1e7

/* Levels of laying trees again: in each they are half as large as in the one before. */
#define LAY_LEVELS 8

/* Where the shape of trees counts in a network too large for the simplex method, no more
 * than this many. */
#define LARGE_TREES 16

/* Trees per group of an all-to-all whose rates no linear program gives, and of one of
 * more bytes from each host, of which messages matter less. */
#define ALLTOALL_TREES      2
#define ALLTOALL_LONG_TREES 3
#define ALLTOALL_LONG_BYTES ((double)(2 << 20))

/* What the predicted time may grow by, if that takes fewer trees: messages to many are
 * what it does not count. */
#define FEWER_COST 0.01

double mtree_draft_blocks_per_tree(const mtree_colgen_t *colgen)
{
    return colgen->candidates->is_personalized && !mtree_colgen_is_prefix(colgen)
               ? colgen->candidates->num_hosts
               : 1.0;
}

/* The request's least rate, as the linear program counts, bits/s. */
static double least_rate(const mtree_colgen_t *colgen)
{
    return colgen->problem->request->min_rate / mtree_draft_blocks_per_tree(colgen);
}

double mtree_draft_group_bits(const mtree_colgen_t *colgen)
{
    return 8.0 * colgen->problem->request->bytes / mtree_colgen_num_blocks(colgen);
}

int mtree_draft_num_lines(const mtree_draft_t *draft)
{
    return draft->colgen->candidates->num_constraints + draft->colgen->master->num_groups;
}

bool mtree_draft_suits_lp(const mtree_draft_t *draft, int most)
{
    return mtree_lp_is_available() && !draft->is_hard &&
           mtree_draft_num_lines(draft) <= most;
}

bool mtree_draft_is_large_alltoall(const mtree_draft_t *draft)
{
    const mtree_colgen_t *colgen = draft->colgen;
    int most = colgen->problem->request->bytes > 0.0 ? MTREE_DRAFT_SHAPE_LINES
                                                     : MTREE_DRAFT_LP_LINES;

    return draft->is_hard ||
           (colgen->candidates->is_personalized && colgen->master->num_groups > 1 &&
            mtree_draft_num_lines(draft) > most);
}

bool mtree_draft_wants_few(const mtree_draft_t *draft)
{
    return draft->colgen->problem->request->max_trees > 0 &&
           draft->colgen->master->num_groups == 1;
}

/* At most @a max_trees trees, where these are faster than the set or that has more. */
static mtree_status_t choose_few(mtree_draft_t *draft, int max_trees)
{
    mtree_colgen_t *colgen = draft->colgen;
    const mtree_tree_set_t *hint = draft->hint.num_trees > 0 ? &draft->hint : &draft->set;
    mtree_tree_set_t few = {0};
    mtree_status_t status = mtree_select_trees(
        colgen, hint, max_trees, least_rate(colgen), draft->x, SELECT_WORK, &few);
    double time;

    if (status != MTREE_OK) {
        return status;
    }
    time = draft->time > 0.0 ? mtree_tree_set_time(&few, mtree_draft_group_bits(colgen))
                             : INFINITY;
    if (draft->set.num_trees <= max_trees && time >= draft->time) {
        mtree_tree_set_clear(&few);
        return MTREE_OK;
    }
    mtree_tree_set_clear(&draft->set);
    draft->set = few;
    /* What a tree's delay takes off its share depends on the time that all need. */
    if (isfinite(time)) {
        mtree_master_set_time(colgen->master, time);
    }
    return MTREE_OK;
}

/* How many trees the request allows per group; 0: any number. */
static int tree_limit(const mtree_draft_t *draft)
{
    const mtree_plan_request_t *request = draft->colgen->problem->request;
    double min_rate = least_rate(draft->colgen);

    if (min_rate > 0.0 && draft->x / min_rate < draft->set.num_trees) {
        int most = (int)fmax(1.0, draft->x / min_rate);

        return request->max_trees == 0 || most < request->max_trees ? most
                                                                    : request->max_trees;
    }
    return request->max_trees;
}

/* Lay the trees that are left anew; those that are never the cheapest go. */
static mtree_status_t lay_again(mtree_draft_t *draft)
{
    const mtree_mwu_lay_t what = {.only = &draft->set,
                                  .end = draft->colgen->master->num_groups,
                                  .levels = LAY_LEVELS,
                                  .work = draft->colgen->work + LAY_WORK};
    mtree_tree_set_t again = {0};
    mtree_status_t status = mtree_mwu_lay(draft->colgen, &what, &again, &draft->x);

    if (status == MTREE_OK) {
        mtree_tree_set_clear(&draft->set);
        draft->set = again;
    }
    return status;
}

/* Other rates for the trees that are left. */
static mtree_status_t fit_again(mtree_draft_t *draft)
{
    return mtree_draft_is_large_alltoall(draft)
               ? lay_again(draft)
               : mtree_tree_set_refit(draft->colgen, &draft->set);
}

/* All trees of the master's solution, whose rates keep the capacities exactly, or within
 * the millionth that they had before where the last solution fails. */
static mtree_status_t take_master(mtree_draft_t *draft)
{
    mtree_status_t status = mtree_master_finish(draft->colgen->master);

    mtree_tree_set_clear(&draft->set);
    return status == MTREE_OK || status == MTREE_ERR_SOLVER
               ? mtree_tree_set_from_master(draft->colgen, &draft->set)
               : status;
}

/*
 * Trees per group of an all-to-all without a linear program.  For a size few are faster
 * than what carries most: each tree costs every block's messages.  For throughput alone
 * as many as an optimal solution would have.
 */
static int limit_alltoall(const mtree_draft_t *draft, int max_trees)
{
    int num_groups = draft->colgen->master->num_groups;
    double bytes = draft->colgen->problem->request->bytes;
    int most = bytes > ALLTOALL_LONG_BYTES ? ALLTOALL_LONG_TREES
               : bytes > 0.0
                   ? ALLTOALL_TREES
                   : (mtree_draft_num_lines(draft) + num_groups - 1) / num_groups;

    return max_trees == 0 || max_trees > most ? most : max_trees;
}

/* The trees that keep the request's limits.  Where that is all, rates stay. */
static mtree_status_t choose_trees(mtree_draft_t *draft)
{
    mtree_colgen_t *colgen = draft->colgen;
    bool is_master = draft->set.trees == NULL, is_unshaped;
    mtree_status_t status =
        is_master ? mtree_tree_set_from_master(colgen, &draft->set) : MTREE_OK;
    int max_trees = colgen->problem->request->max_trees, before = draft->set.num_trees;

    if (status != MTREE_OK || before == 0) {
        return status;
    }
    if (colgen->master->num_groups > 1) {
        max_trees = mtree_draft_is_large_alltoall(draft)
                        ? limit_alltoall(draft, max_trees)
                        : max_trees;
        mtree_tree_set_trim(&draft->set, max_trees, least_rate(colgen));
        return draft->set.num_trees < before ? fit_again(draft)
               : is_master                   ? take_master(draft)
                                             : MTREE_OK;
    }
    max_trees = tree_limit(draft);
    is_unshaped =
        draft->time > 0.0 && !mtree_draft_suits_lp(draft, MTREE_DRAFT_SHAPE_LINES);
    max_trees = max_trees == 0 && is_unshaped ? LARGE_TREES : max_trees;
    if (max_trees > 0 && (before > max_trees || is_unshaped)) {
        return choose_few(draft, max_trees);
    }
    return is_master ? take_master(draft) : MTREE_OK;
}

/* The fastest @a count trees, with the rates that suit these best. */
static mtree_status_t take_fastest(mtree_draft_t *draft, int count,
                                   mtree_tree_set_t *few_p)
{
    mtree_colgen_t *colgen = draft->colgen;
    const mtree_tree_set_t *set = &draft->set;
    mtree_status_t status = mtree_tree_set_create(colgen, set->num_trees, few_p);

    for (int t = 0; t < set->num_trees && status == MTREE_OK; ++t) {
        mtree_tree_set_append(few_p, &set->trees[t], set->rate[t]);
    }
    if (status == MTREE_OK) {
        mtree_tree_set_trim(few_p, count, 0.0);
        status = mtree_tree_set_refit(colgen, few_p);
    }
    return status;
}

/*
 * Fewer trees than are allowed, where they take hardly longer: many packings carry the
 * same, and on a star one chain carries as much as with nine trees from one to all others
 * beside it.
 */
static mtree_status_t choose_fewer(mtree_draft_t *draft)
{
    double bits = mtree_draft_group_bits(draft->colgen);
    double most = mtree_tree_set_time(&draft->set, bits) * (1.0 + FEWER_COST);

    if (draft->time <= 0.0 || !mtree_draft_wants_few(draft)) {
        return MTREE_OK;
    }
    for (int count = 1; count < draft->set.num_trees; ++count) {
        mtree_tree_set_t few = {0};
        mtree_status_t status = take_fastest(draft, count, &few);

        if (status == MTREE_OK && mtree_tree_set_time(&few, bits) <= most) {
            mtree_tree_set_clear(&draft->set);
            draft->set = few;
            break;
        }
        mtree_tree_set_clear(&few);
        if (status != MTREE_OK) {
            return status;
        }
    }
    return MTREE_OK;
}

mtree_status_t mtree_draft_limit(mtree_draft_t *draft)
{
    mtree_status_t status = choose_trees(draft);

    return status == MTREE_OK ? choose_fewer(draft) : status;
}
