/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A light look at DOT text, for what cgraph does not tell: the line on which a node or an
 * edge stands, and whether the text would make cgraph build more than is accepted.
 */
#ifndef MTREE_TOPO_DOT_LEXER_H
#define MTREE_TOPO_DOT_LEXER_H

#include "base/status.h"

#include <stddef.h>

/*
 * Would parsing @a text need more nodes, edges ("{a b} -- {c d}" is four), attribute
 * names or nested subgraphs than the limits of a topology?  Logs "NAME:LINE: ..." and
 * returns MTREE_ERR_LIMIT.  A NUL byte and a string or comment without an end are
 * MTREE_ERR_INVALID.  Other text that is not DOT passes: cgraph says what is wrong.
 */
mtree_status_t mtree_dot_scan_check(const char *text, size_t length, const char *name);

/* The line, counted from 1, on which the node @a node first stands; 1 when it is not
 * found. */
int mtree_dot_scan_node_line(const char *text, size_t length, const char *node);

/*
 * The line of edge number @a occurrence (from 0) between @a tail and @a head in either
 * order; the line of @a head when it is written with subgraphs.
 */
int mtree_dot_scan_edge_line(const char *text, size_t length, const char *tail,
                             const char *head, int occurrence);

#endif
