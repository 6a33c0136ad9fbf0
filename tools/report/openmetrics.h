/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as OpenMetrics 1.0 text, which Prometheus and others read.
 */
#ifndef MTREE_TOOLS_REPORT_OPENMETRICS_H
#define MTREE_TOOLS_REPORT_OPENMETRICS_H

#include <jansson.h>
#include <stdio.h>

/*
 * Write all numbers of @a report on @a out but those of the timeline, whose events are no
 * metrics.  docs/report.md lists the names.  What is missing in the report has no sample.
 */
void report_openmetrics_write(const json_t *report, FILE *out);

#endif
