/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Report files, which more than one command reads.
 */
#ifndef MTREE_TOOLS_REPORT_FILE_H
#define MTREE_TOOLS_REPORT_FILE_H

#include "base/status.h"

#include <jansson.h>

/* Read the report at @a path ("-": standard input); *report_p is the caller's.  Errors
 * are logged. */
mtree_status_t report_file_read(const char *path, json_t **report_p);

#endif
