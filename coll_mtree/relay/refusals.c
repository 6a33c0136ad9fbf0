/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/refusals.h"

void coll_mtree_refusals_add(coll_mtree_refusals_t *refusals, uint32_t plan,
                             uint32_t call)
{
    unsigned at = refusals->next++ % COLL_MTREE_REFUSALS;

    refusals->list[at].plan = plan;
    refusals->list[at].call = call;
}

bool coll_mtree_refusals_have(const coll_mtree_refusals_t *refusals, uint32_t plan,
                              uint32_t call)
{
    int i = 0;

    while (i < COLL_MTREE_REFUSALS &&
           (refusals->list[i].plan != plan || refusals->list[i].call != call)) {
        i++;
    }
    return i < COLL_MTREE_REFUSALS;
}
