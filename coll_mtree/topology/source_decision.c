/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/source_decision.h"

coll_mtree_source_decision_t
coll_mtree_source_decide(const coll_mtree_source_facts_t *facts)
{
    if (facts->num_hosts < 2) {
        return COLL_MTREE_SOURCE_NEVER;
    }
    if (facts->is_known) {
        return COLL_MTREE_SOURCE_READY;
    }
    if (facts->choice == COLL_MTREE_TOPOLOGY_PROBE) {
        return COLL_MTREE_SOURCE_PROBE;
    }
    return facts->is_cached ? COLL_MTREE_SOURCE_SEND : COLL_MTREE_SOURCE_WAIT;
}
