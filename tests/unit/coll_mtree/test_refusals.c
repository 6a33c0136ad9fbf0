/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of several threads that a relay refuses. */
#include "coll_mtree/relay/refusals.h"
#include "tests/unit/runner.h"

/* Each is known until as many others have followed as a relay has calls under way. */
UNIT_TEST(no_refusal_hides_another)
{
    coll_mtree_refusals_t refusals = {0};

    ck_assert(!coll_mtree_refusals_have(&refusals, 1, 1));
    for (uint32_t call = 1; call <= COLL_MTREE_REFUSALS; call++) {
        coll_mtree_refusals_add(&refusals, 3 + call % 2, call);
    }
    for (uint32_t call = 1; call <= COLL_MTREE_REFUSALS; call++) {
        ck_assert(coll_mtree_refusals_have(&refusals, 3 + call % 2, call));
        ck_assert(!coll_mtree_refusals_have(&refusals, 4 - call % 2, call));
    }
    coll_mtree_refusals_add(&refusals, 7, 1);
    ck_assert(!coll_mtree_refusals_have(&refusals, 4, 1));
    ck_assert(coll_mtree_refusals_have(&refusals, 3, 2));
    ck_assert(coll_mtree_refusals_have(&refusals, 7, 1));
}
