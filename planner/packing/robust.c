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
static mtree_status_t pack(mtree_packer_t *packer, const mtree_tree_set_t *only, double x,
                           mtree_tree_set_t **set_p)
{
    mtree_mwu_lay_t what = {.only = only, .levels = ALONE_LEVELS};
    mtree_tree_set_t *alone = NULL;
    mtree_status_t status = MTREE_OK;
    double *limit, each;

    MTREE_ARENA_ARRAY(packer->problem->arena, limit, (size_t)packer->num_groups);
    for (; what.first < packer->num_groups && status == MTREE_OK; ++what.first) {
        what.end = what.first + 1;
        status = mtree_mwu_lay(packer, &what, &alone, &each);
        limit[what.first] = (1.0 + OWN_SLACK) * x / each;
    }
    mtree_tree_set_destroy(alone);
    what = (mtree_mwu_lay_t){.only = only, .limit = limit, .levels = LEVELS};
    return status == MTREE_OK ? mtree_mwu_lay(packer, &what, set_p, &each) : status;
}

mtree_status_t mtree_robust_pack(mtree_packer_t *packer, double x, int max_trees,
                                 mtree_tree_set_t **set_p)
{
    mtree_tree_set_t *any = NULL;
    mtree_status_t status = pack(packer, NULL, x, &any);

    if (status == MTREE_OK) {
        mtree_tree_set_trim(any, max_trees, 0.0);
        status = pack(packer, any, x, set_p);
    }
    if (status == MTREE_OK) {
        mtree_tree_set_trim(*set_p, 0, LEAST_PART * x);
    }
    mtree_tree_set_destroy(any);
    return status;
}
