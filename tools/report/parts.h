/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The style and the script of every report's HTML page, and its timeline.
 */
#ifndef MTREE_TOOLS_REPORT_PARTS_H
#define MTREE_TOOLS_REPORT_PARTS_H

#include <jansson.h>
#include <stdio.h>

extern const char report_parts_style[], report_parts_script[];

/* timeline.c: the calls of @a report over time, as SVG with a legend. */
void report_timeline_write(const json_t *report, FILE *out);

#endif
