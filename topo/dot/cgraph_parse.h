/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphviz's cgraph, kept in bounds: its parser has global state, prints what is wrong,
 * and leaks the graph it was at when the text is wrong.  Not to be called by two threads
 * at once.
 */
#ifndef MTREE_TOPO_DOT_CGRAPH_PARSE_H
#define MTREE_TOPO_DOT_CGRAPH_PARSE_H

#include "base/status.h"

#include <graphviz/cgraph.h>
#include <stddef.h>

/*
 * Parse @a text, which must have passed mtree_dot_scan_check().  @a name stands for the
 * file in messages: a syntax error is logged as "NAME:LINE: ..." and returns
 * MTREE_ERR_INVALID, as do an empty text and a second graph.  Close the graph with
 * agclose().
 */
mtree_status_t mtree_dot_graph_parse(const char *text, size_t length, const char *name,
                                     Agraph_t **graph_p);

#endif
