/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What follows from the counts in a report: the traffic on links, what these gave, the
 * arcs of trees, sums, and forecasts for the calls that were made.
 */
#ifndef MTREE_REPORT_DERIVE_H
#define MTREE_REPORT_DERIVE_H

#include "base/status.h"

#include <jansson.h>

/*
 * Add to @a report, which has all lists, the members that docs/report.md calls derived;
 * those that are there are replaced.  MTREE_ERR_NO_MEMORY; MTREE_ERR_INVALID where the
 * report contradicts itself.  Both are logged.
 */
mtree_status_t mtree_report_derive(json_t *report);

#endif
