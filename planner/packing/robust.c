/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/robust.h"

#include "planner/packing/mwu.h"

/* What a host may load a link with, beyond what the best packing for it alone does.  On
 * B4 no less is possible for all hosts at once without a loss for equal blocks. */
#define OWN_SLACK 0.15

/* A tree that gets less than this part of its group's rate is left out. */
#define LEAST_PART 1e-3

/* Sizes of trees, each half of the one before: of one group alone, and of all. */
#define ALONE_LEVELS 6
#define LEVELS       8

/* Pack any trees, or those of @a only: each group's own load is limited by what it gets
 * where it alone sends.  Where that is no more than the @a x that all get at once its
 * limit has no effect. */
static mtree_status_t pack(mtree_colgen_t *colgen, const mtree_tree_set_t *only, double x,
                           mtree_tree_set_t *set_p)
{
    mtree_mwu_lay_t what = {.only = only, .levels = ALONE_LEVELS};
    int num_groups = colgen->master->num_groups;
    mtree_status_t status = MTREE_OK;
    double *limit, each;

    MTREE_ARENA_ARRAY(colgen->problem->arena, limit, (size_t)num_groups);
    for (; what.first < num_groups && limit != NULL && status == MTREE_OK; ++what.first) {
        mtree_tree_set_t alone = {0};

        what.end = what.first + 1;
        status = mtree_mwu_lay(colgen, &what, &alone, &each);
        limit[what.first] = (1.0 + OWN_SLACK) * x / each;
        mtree_tree_set_clear(&alone);
    }
    what = (mtree_mwu_lay_t){
        .only = only, .end = num_groups, .limit = limit, .levels = LEVELS};
    status = limit == NULL ? MTREE_ERR_NO_MEMORY : status;
    return status == MTREE_OK ? mtree_mwu_lay(colgen, &what, set_p, &each) : status;
}

mtree_status_t mtree_robust_pack(mtree_colgen_t *colgen, double x, int max_trees,
                                 mtree_tree_set_t *set_p)
{
    mtree_tree_set_t any = {0};
    mtree_status_t status = pack(colgen, NULL, x, &any);

    if (status == MTREE_OK) {
        mtree_tree_set_trim(&any, max_trees, 0.0);
        status = pack(colgen, &any, x, set_p);
    }
    if (status == MTREE_OK) {
        mtree_tree_set_trim(set_p, 0, LEAST_PART * x);
    }
    mtree_tree_set_clear(&any);
    return status;
}
