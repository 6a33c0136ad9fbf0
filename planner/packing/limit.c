/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/limit.h"

#include "planner/packing/mwu.h"
#include "planner/packing/select.h"
#include "planner/packing/tree_rates.h"
#include "planner/tuning.h"

#include <math.h>

double mtree_draft_group_bits(const mtree_packer_t *packer)
{
    return 8.0 * packer->problem->request->bytes / mtree_packer_num_blocks(packer);
}

/* The request's least rate, as the packer counts, bits/s. */
static double least_rate(const mtree_packer_t *packer)
{
    return packer->problem->request->min_rate / mtree_packer_blocks_per_tree(packer);
}

int mtree_draft_num_lines(const mtree_draft_t *draft)
{
    return draft->packer->candidates->num_constraints + draft->packer->num_groups;
}

bool mtree_draft_is_large_alltoall(const mtree_draft_t *draft)
{
    const mtree_packer_t *packer = draft->packer;
    return packer->candidates->is_personalized && packer->num_groups > 1 &&
           mtree_draft_num_lines(draft) > MTREE_TUNED_LARGE_LINES;
}

bool mtree_draft_wants_few(const mtree_draft_t *draft)
{
    return draft->packer->problem->request->max_trees > 0 &&
           draft->packer->num_groups == 1;
}

static void replace_set(mtree_draft_t *draft, mtree_tree_set_t *set)
{
    mtree_tree_set_destroy(draft->set);
    draft->set = set;
}

/* At most @a max_trees trees, where these are faster than the shaped ones or those are
 * more. */
static void choose_few(mtree_draft_t *draft, int max_trees)
{
    mtree_packer_t *packer = draft->packer;
    const mtree_tree_set_t *shaped = draft->shaped != NULL ? draft->shaped : draft->set;
    const mtree_tree_set_t *const sets[] = {shaped, draft->set};
    mtree_tree_set_t *few = mtree_select_trees(
        packer, sets, max_trees, least_rate(packer), draft->x, MTREE_TUNED_SHORT_WORK);
    double time = draft->time > 0.0
                      ? mtree_tree_rates_time(packer, few, mtree_draft_group_bits(packer))
                      : INFINITY;

    if (shaped->num_trees <= max_trees && time >= draft->time) {
        mtree_tree_set_destroy(few);
        few = draft->shaped;
        draft->shaped = NULL;
    } else if (isfinite(time)) {
        /* What a tree's delay takes off its share depends on the time that all need. */
        packer->time = time;
    }
    if (few != NULL) {
        replace_set(draft, few);
    }
}

/* How many trees the request allows per group; 0: any number. */
static int tree_limit(const mtree_draft_t *draft)
{
    const mtree_plan_request_t *request = draft->packer->problem->request;
    double min_rate = least_rate(draft->packer);

    if (min_rate > 0.0 && draft->x / min_rate < draft->set->num_trees) {
        int most = (int)fmax(1.0, draft->x / min_rate);

        return request->max_trees == 0 || most < request->max_trees ? most
                                                                    : request->max_trees;
    }
    return request->max_trees;
}

/* Other rates for the trees that are left: in a large network those that are never the
 * cheapest go when they are laid anew. */
static void fit_again(mtree_draft_t *draft)
{
    const mtree_mwu_lay_t what = {.only = draft->set,
                                  .levels = MTREE_TUNED_LEVELS,
                                  .work = draft->packer->work + MTREE_TUNED_WORK};
    mtree_tree_set_t *again = NULL;

    if (!mtree_draft_is_large_alltoall(draft)) {
        mtree_tree_rates_fit(draft->packer, draft->set);
    } else if (mtree_mwu_lay(draft->packer, &what, &again, &draft->x) == MTREE_OK) {
        replace_set(draft, again);
    }
}

/*
 * Trees per group of an all-to-all on a large network.  For a size few are faster
 * than what carries most: each tree costs every block's messages.  For throughput alone
 * as many as an optimal solution would have.
 */
static int limit_alltoall(const mtree_draft_t *draft, int max_trees)
{
    int num_groups = draft->packer->num_groups;
    double bytes = draft->packer->problem->request->bytes;
    int most = bytes > 0.0 ? MTREE_TUNED_ALLTOALL_TREES
                           : (mtree_draft_num_lines(draft) + num_groups - 1) / num_groups;

    return max_trees == 0 || max_trees > most ? most : max_trees;
}

/* Of each group the trees that keep the request's limits. */
static void choose_of_groups(mtree_draft_t *draft)
{
    int max_trees = draft->packer->problem->request->max_trees, before;

    if (draft->shaped != NULL) {
        replace_set(draft, draft->shaped);
        draft->shaped = NULL;
    }
    if (draft->packer->problem->request->bytes > 0.0 && draft->time <= 0.0 &&
        !mtree_draft_is_large_alltoall(draft)) {
        /* As much by fewer trees. */
        mtree_tree_rates_fit(draft->packer, draft->set);
        mtree_tree_set_trim(draft->set, 0, draft->x * MTREE_TREE_SET_LEAST_RATE);
    }
    before = draft->set->num_trees;
    max_trees = mtree_draft_is_large_alltoall(draft) ? limit_alltoall(draft, max_trees)
                                                     : max_trees;
    mtree_tree_set_trim(draft->set, max_trees, least_rate(draft->packer));
    if (draft->set->num_trees < before) {
        fit_again(draft);
    }
}

/* The trees that keep the request's limits.  Where that is all, rates stay. */
static void choose_trees(mtree_draft_t *draft)
{
    int max_trees;

    if (draft->packer->num_groups > 1) {
        choose_of_groups(draft);
        return;
    }
    max_trees = tree_limit(draft);
    max_trees = max_trees == 0 && draft->time > 0.0 ? MTREE_TUNED_TREES : max_trees;
    if (max_trees > 0 && (draft->set->num_trees > max_trees || draft->time > 0.0)) {
        choose_few(draft, max_trees);
    }
}

/*
 * Fewer trees than are allowed, where they take hardly longer: many packings carry the
 * same, and on a star one chain carries as much as with nine trees from one to all others
 * beside it.
 */
static void choose_fewer(mtree_draft_t *draft)
{
    mtree_packer_t *packer = draft->packer;
    double bits = mtree_draft_group_bits(packer);
    double most =
        mtree_tree_rates_time(packer, draft->set, bits) * (1.0 + MTREE_TUNED_HARDLY);

    for (int count = 1; count < draft->set->num_trees; ++count) {
        mtree_tree_set_t *few = mtree_tree_rates_fastest(packer, draft->set, count);

        if (mtree_tree_rates_time(packer, few, bits) <= most) {
            replace_set(draft, few);
            break;
        }
        mtree_tree_set_destroy(few);
    }
}

void mtree_draft_limit(mtree_draft_t *draft)
{
    if (draft->set->num_trees > 0) {
        choose_trees(draft);
    }
    if (draft->time > 0.0 && mtree_draft_wants_few(draft)) {
        choose_fewer(draft);
    }
}
