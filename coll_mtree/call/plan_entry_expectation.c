/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls of a plan entry are expected to take (coll_mtree/call/plan_entry.h). */
#include "coll_mtree/call/plan_entry_private.h"

#include <math.h>

mtree_confidence_t coll_mtree_plan_entry_confidence(const coll_mtree_plan_entry_t *entry)
{
    return entry->forecast.confidence;
}

bool coll_mtree_plan_entry_is_forecast(const coll_mtree_plan_entry_t *entry)
{
    return entry->part != NULL && entry->forecast.seconds > 0;
}

double coll_mtree_plan_entry_expected_seconds(const coll_mtree_plan_entry_t *entry,
                                              double bytes)
{
    const mtree_plan_part_t *part =
        entry->relayed != NULL ? entry->relayed->part : entry->part;
    double seconds = entry->forecast.seconds;
    double share = part == NULL
                       ? 1
                       : coll_mtree_call_class_host_share(entry->call_class.collective,
                                                          ompi_comm_size(entry->comm),
                                                          part->num_hosts);

    /* Calls of a class differ in size by a factor of two at most. */
    return part == NULL || !entry->warmed_up
               ? 0
               : fmax(seconds + 8 * (bytes * share - part->bytes) / part->throughput,
                      seconds / 2);
}

double coll_mtree_plan_entry_seconds_without(const coll_mtree_plan_entry_t *entry,
                                             double bytes)
{
    const mtree_plan_part_t *part = entry->part;
    double share;

    if (entry->relayed == NULL || part == NULL || part->seconds <= 0) {
        return 0;
    }
    share = coll_mtree_call_class_host_share(
        entry->call_class.collective, ompi_comm_size(entry->comm), part->num_hosts);
    return fmax(part->seconds + 8 * (bytes * share - part->bytes) / part->throughput,
                part->seconds / 2);
}

double coll_mtree_plan_entry_lead(const coll_mtree_plan_entry_t *entry)
{
    const mtree_forecast_t *forecast = &entry->forecast;

    return forecast->seconds > 0 ? forecast->fallback / forecast->seconds : 0;
}
