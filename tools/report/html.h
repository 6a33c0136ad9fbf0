/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as one HTML page that needs nothing else: no network, no other file.
 */
#ifndef MTREE_TOOLS_REPORT_HTML_H
#define MTREE_TOOLS_REPORT_HTML_H

#include "base/status.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Write the page of @a report: figures at a glance, the map of each topology with its
 * links coloured by use and its trees to be switched on, a timeline and the tables of the
 * text page.  It follows the browser's choice of light or dark, and shows all but the
 * trees without scripts.  MTREE_ERR_NO_MEMORY and MTREE_ERR_INVALID, logged.
 */
mtree_status_t report_html_write(const json_t *report, FILE *out);

#endif
