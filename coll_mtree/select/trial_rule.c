/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/trial_rule.h"

#include <stddef.h>

bool coll_mtree_reduction_has_order(const coll_mtree_reduction_t *reduction)
{
    return !reduction->is_intrinsic ||
           !(reduction->is_logical ||
             (reduction->is_predefined && reduction->is_integer));
}

bool coll_mtree_order_is_kept(const coll_mtree_reduction_t *reduction, int autotune,
                              bool deterministic)
{
    return coll_mtree_reduction_has_order(reduction) &&
           (deterministic || autotune < COLL_MTREE_AUTOTUNE_ALL);
}

bool coll_mtree_reduction_is_plain(const coll_mtree_reduction_t *reduction)
{
    return reduction->is_intrinsic && reduction->is_predefined &&
           !reduction->reaches_below;
}

bool coll_mtree_trial_is_allowed(const coll_mtree_reduction_t *reduction, int autotune,
                                 bool deterministic)
{
    if (autotune < COLL_MTREE_AUTOTUNE_EXACT || reduction == NULL) {
        return autotune >= COLL_MTREE_AUTOTUNE_EXACT;
    }
    return coll_mtree_reduction_is_plain(reduction) &&
           !coll_mtree_order_is_kept(reduction, autotune, deterministic);
}
