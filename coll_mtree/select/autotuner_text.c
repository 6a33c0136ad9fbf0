/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/autotuner_text.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

/* "over trees", "by Open MPI's ring", ... */
static void format_backend(const coll_mtree_autotuner_t *autotuner, int candidate,
                           char *text, size_t size)
{
    static const char *const backends[] = {[COLL_MTREE_TREES] = "over trees",
                                           [COLL_MTREE_RING] = "around a ring",
                                           [COLL_MTREE_FALLBACK] = "by Open MPI"};
    const coll_mtree_candidate_t *which = &autotuner->candidates[candidate];

    if (which->backend == COLL_MTREE_BASE_ALGORITHM) {
        (void)snprintf(text, size, "by Open MPI's %s",
                       mtree_base_algorithm_name(autotuner->call_class.collective,
                                                 which->base_algorithm));
    } else {
        (void)snprintf(text, size, "%s", backends[which->backend]);
    }
}

void coll_mtree_autotuner_text_verdict(const coll_mtree_autotuner_t *autotuner,
                                       char text[COLL_MTREE_AUTOTUNER_TEXT])
{
    char size[32], backend[64], times[480] = "";
    size_t length = 0;

    for (int c = 0; c < autotuner->num_candidates && length < sizeof(times); c++) {
        double typical = autotuner->candidates[c].typical;
        char time[32];

        if (isinf(typical)) {
            continue;
        }
        mtree_units_format_time(typical, time, sizeof(time));
        format_backend(autotuner, c, backend, sizeof(backend));
        length += (size_t)snprintf(times + length, sizeof(times) - length, "%s %s, ",
                                   time, backend);
    }
    format_backend(autotuner, autotuner->serving, backend, sizeof(backend));
    mtree_units_format_size(autotuner->call_class.bytes, size, sizeof(size));
    (void)snprintf(text, COLL_MTREE_AUTOTUNER_TEXT,
                   "%s of about %s: %sas measured in %d calls; served %s",
                   mtree_collective_name(autotuner->call_class.collective), size, times,
                   autotuner->measured, backend);
}

void coll_mtree_autotuner_text_learned(const coll_mtree_autotuner_t *autotuner,
                                       const coll_mtree_autotuner_t *shorter,
                                       char text[COLL_MTREE_AUTOTUNER_TEXT])
{
    char size[32], shorter_size[32], backend[64];

    format_backend(autotuner, autotuner->serving, backend, sizeof(backend));
    mtree_units_format_size(autotuner->call_class.bytes, size, sizeof(size));
    mtree_units_format_size(shorter->call_class.bytes, shorter_size,
                            sizeof(shorter_size));
    (void)snprintf(text, COLL_MTREE_AUTOTUNER_TEXT,
                   "%s of about %s: served %s, since all others were slower at %s",
                   mtree_collective_name(autotuner->call_class.collective), size, backend,
                   shorter_size);
}
