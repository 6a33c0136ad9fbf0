/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports: what the collectives of a job did, as the component writes it
 * (coll_mtree_report) in JSON, see docs/report.md.
 */
#ifndef MTREE_REPORT_REPORT_H
#define MTREE_REPORT_REPORT_H

#include "base/status.h"

#include <jansson.h>

/* The value of "format"; another number means that names have changed. */
#define MTREE_REPORT_FORMAT "mtree-report 2"

/*
 * Read the report at @a path ("-": standard input).  *report_p is the caller's, and has
 * all the members that docs/report.md lists, the derived ones included.  Errors are
 * logged.
 */
mtree_status_t mtree_report_read(const char *path, json_t **report_p);

#endif
