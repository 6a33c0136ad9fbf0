/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/backend_choice.h"

bool coll_mtree_backend_is_possible(const coll_mtree_call_facts_t *facts,
                                    coll_mtree_fallback_reason_t *reason_p)
{
    if (!facts->is_supported) {
        *reason_p = COLL_MTREE_REASON_CALL;
        return false;
    }
    if (facts->is_unserved) {
        *reason_p = COLL_MTREE_REASON_GROUP;
        return false;
    }
    if (!facts->has_tags) {
        *reason_p = COLL_MTREE_REASON_TAGS;
        return false;
    }
    return true;
}

bool coll_mtree_backend_may_leave(bool keeps_order, size_t min_bytes)
{
    return !keeps_order && min_bytes > 0;
}

bool coll_mtree_backend_looks(unsigned call)
{
    return (call & (call - 1)) == 0;
}

coll_mtree_backend_t coll_mtree_backend_choose(const coll_mtree_plan_facts_t *facts)
{
    if (!facts->is_known) {
        return COLL_MTREE_TREES;
    }
    if (facts->is_autotuned) {
        return facts->selected;
    }
    return !facts->has_plan || facts->confidence >= MTREE_FORECAST_MAYBE_SLOWER
               ? COLL_MTREE_FALLBACK
               : COLL_MTREE_TREES;
}

coll_mtree_backend_t
coll_mtree_backend_keep(const coll_mtree_summation_backend_t *summation,
                        coll_mtree_backend_t wanted, const coll_mtree_plan_facts_t *facts,
                        bool blocking, bool deterministic)
{
    bool is_better =
        facts->is_known ? facts->confidence == MTREE_FORECAST_FASTER : blocking;
    bool gains = wanted == COLL_MTREE_TREES && is_better;

    return facts->lacks_tags || !summation->is_set ||
                   (gains && !summation->has_changed && !deterministic)
               ? wanted
               : summation->backend;
}

bool coll_mtree_backend_goes_over_trees(const coll_mtree_summation_backend_t *summation,
                                        mtree_confidence_t confidence)
{
    if (summation->is_set && summation->backend == COLL_MTREE_FALLBACK) {
        return confidence == MTREE_FORECAST_FASTER;
    }
    return (summation->has_changed && summation->backend == COLL_MTREE_TREES) ||
           confidence <= MTREE_FORECAST_MAYBE_FASTER;
}

coll_mtree_fallback_reason_t
coll_mtree_backend_reason(const coll_mtree_plan_facts_t *facts)
{
    if (facts->is_unserved) {
        return COLL_MTREE_REASON_GROUP;
    }
    if (!facts->has_plan) {
        return COLL_MTREE_REASON_PLAN;
    }
    if (facts->is_autotuned && facts->is_timed) {
        return COLL_MTREE_REASON_TRIAL;
    }
    return facts->is_autotuned && facts->trials > 0 ? COLL_MTREE_REASON_MEASURED
                                                    : COLL_MTREE_REASON_FORECAST;
}
