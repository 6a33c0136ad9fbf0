/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/outcome.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/report/statistics.h"

#include "base/log.h"

#include <inttypes.h>

static const char *advice(coll_mtree_fallback_reason_t reason)
{
    return reason == COLL_MTREE_REASON_TOPOLOGY
               ? "name a topology file, or probe at the first call "
                 "(coll_mtree_topology=probe)"
               : "coll_mtree_verbose 2 tells of each kind of call";
}

/* Calls that may be Open MPI's own do not count. */
static void tell_unserved(coll_mtree_totals_t *totals)
{
    coll_mtree_fallback_reason_t most = COLL_MTREE_REASON_CALL;
    uint64_t calls = 0;

    totals->reason[COLL_MTREE_REASON_INTERNAL] = 0;
    for (int reason = 0; reason < COLL_MTREE_REASONS; reason++) {
        calls += totals->reason[reason];
        if (totals->reason[reason] > totals->reason[most]) {
            most = (coll_mtree_fallback_reason_t)reason;
        }
    }
    if (calls > 0) {
        mtree_warn("served none of the %" PRIu64 " calls of rank 0, mostly since %s; %s",
                   calls, coll_mtree_reason_text(most), advice(most));
    }
}

void coll_mtree_outcome_tell(void)
{
    coll_mtree_totals_t totals;
    uint64_t served = 0;

    if (coll_mtree_world_rank() != 0 || !coll_mtree_params_named()) {
        return;
    }
    coll_mtree_statistics_totals(&totals);
    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        served += backend == COLL_MTREE_FALLBACK ? 0 : totals.calls[backend];
    }
    /* What keeps mtree from a communicator was told when it was found. */
    if (served == 0 && totals.reason[COLL_MTREE_REASON_GROUP] == 0) {
        tell_unserved(&totals);
    }
}
