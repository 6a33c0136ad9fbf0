/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of attributes that mean something in a topology file.
 */
#ifndef MTREE_TOPO_DOT_ATTRIBUTES_H
#define MTREE_TOPO_DOT_ATTRIBUTES_H

#include "topo/dot/graph.h"

/* Warn once of each attribute of @a graph, in the file @a name, that is not used, and say
 * what may have been meant. */
void mtree_dot_attributes_warn(const char *name, const mtree_dot_graph_t *graph);

#endif
