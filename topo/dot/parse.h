/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of DOT: the language of https://graphviz.org/doc/info/lang.html, read as
 * Graphviz reads it.
 */
#ifndef MTREE_TOPO_DOT_PARSE_H
#define MTREE_TOPO_DOT_PARSE_H

#include "topo/dot/graph.h"

#include <stddef.h>

/*
 * Parse @a text, which holds one graph; @a name stands for the file in messages.  The
 * graph is the caller's (mtree_dot_graph_destroy).  Faults are logged as "NAME:LINE:
 * ...": MTREE_ERR_INVALID for what is not a DOT graph, MTREE_ERR_LIMIT for one that needs
 * more nodes, edges, attribute names or nested subgraphs than a topology may have.
 */
mtree_status_t mtree_dot_parse(const char *text, size_t length, const char *name,
                               mtree_dot_graph_t **graph_p);

#endif
