/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as one HTML page that needs nothing else: no network, no other file.
 */
#ifndef MTREE_TOOLS_REPORT_HTML_H
#define MTREE_TOOLS_REPORT_HTML_H

#include <jansson.h>

/*
 * What tools/drawing/page.py makes that page of: @a report with the lines and tables of the
 * text page, {report, lines: [], topologies: [{name, lines, links}], communicators: [{name,
 * names: [of calls], tables}], plans: [table]}; tables are HTML, "" where they have no
 * rows.  The caller's; NULL: no memory.
 */
json_t *report_html_page(json_t *report);

#endif
