/* SPDX-License-Identifier: BSD-3-Clause */
/* What rank 0 decides while it has no topology: every branch. */
#include "coll_mtree/topology/source_decision.h"
#include "tests/unit/runner.h"

#define AUTO  COLL_MTREE_TOPOLOGY_AUTO
#define PROBE COLL_MTREE_TOPOLOGY_PROBE

UNIT_TEST(the_first_decision_follows_from_the_facts)
{
    const struct {
        coll_mtree_source_facts_t facts;
        coll_mtree_source_decision_t decision;
    } cases[] = {
        {{0, AUTO, false, false}, COLL_MTREE_SOURCE_NEVER},
        {{1, AUTO, true, false}, COLL_MTREE_SOURCE_NEVER},
        {{1, PROBE, false, false}, COLL_MTREE_SOURCE_NEVER},
        {{2, AUTO, true, false}, COLL_MTREE_SOURCE_READY},
        {{2, PROBE, true, false}, COLL_MTREE_SOURCE_READY},
        {{2, PROBE, false, false}, COLL_MTREE_SOURCE_PROBE},
        {{2, AUTO, false, true}, COLL_MTREE_SOURCE_SEND},
        {{2, AUTO, false, false}, COLL_MTREE_SOURCE_WAIT},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert_int_eq(coll_mtree_source_decide(&cases[i].facts), cases[i].decision);
    }
}

UNIT_TEST(a_failed_exchange_means_never)
{
    /* An exchange without memory replies 0. */
    ck_assert_int_eq(COLL_MTREE_SOURCE_NEVER, 0);
}
