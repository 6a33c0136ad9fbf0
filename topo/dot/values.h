/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The attributes that mean something in a topology file: their names, and of those that
 * are quantities what each may be, and how it is written.
 */
#ifndef MTREE_TOPO_DOT_VALUES_H
#define MTREE_TOPO_DOT_VALUES_H

#include "topo/dot/graph.h"
#include "topo/topology.h"

#include <stdio.h>

/* Warn once of each attribute of @a graph, in the file @a name, that is not used, and say
 * what may have been meant. */
void mtree_dot_attributes_warn(const char *name, const mtree_dot_graph_t *graph);

/*
 * Read attribute @a name of @a edge of the file @a file, or (NULL) of @a graph.  What is
 * not given stays as it is.  MTREE_ERR_INVALID, logged with its line: the value is none,
 * or beyond the limits of this attribute.
 */
mtree_status_t mtree_dot_value_read(const char *file, const mtree_dot_graph_t *graph,
                                    const mtree_dot_edge_t *edge, const char *name,
                                    double *value_p);

/* The same of all conditions of @a edge. */
mtree_status_t mtree_dot_conditions_read(const char *file, const mtree_dot_edge_t *edge,
                                         mtree_link_conditions_t *conditions);

/* Write what is given as attributes, each after a space. */
void mtree_dot_conditions_write(const mtree_link_conditions_t *conditions, FILE *out);

#endif
