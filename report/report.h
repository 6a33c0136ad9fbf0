/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports: what the collectives of a job did, as the component writes it
 * (coll_mtree_report) in JSON, see docs/report.md, and what people look at.
 */
#ifndef MTREE_REPORT_REPORT_H
#define MTREE_REPORT_REPORT_H

#include "base/status.h"

#include <jansson.h>
#include <stdio.h>

/* The value of "format"; another number means that names have changed. */
#define MTREE_REPORT_FORMAT "mtree-report 2"

/*
 * Read the report at @a path ("-": standard input).  *report_p is the caller's, and has
 * all the members that docs/report.md lists, the derived ones included.  Errors are
 * logged.
 */
mtree_status_t mtree_report_read(const char *path, json_t **report_p);

/* Make all strings of @a report fit for a terminal (base/printable.h). */
void mtree_report_make_printable(json_t *report);

/* Print the page of @a report, whose strings are made printable, on @a out. */
void mtree_report_print(json_t *report, FILE *out);

/* Print the page of the report in @a text, @a name being its source in messages. */
mtree_status_t mtree_report_print_text(const char *text, const char *name, FILE *out);

#endif
