/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The attributes of an edge that say what a lab does to a link's packets.
 */
#ifndef MTREE_TOPO_DOT_CONDITIONS_H
#define MTREE_TOPO_DOT_CONDITIONS_H

#include "topo/dot/graph.h"
#include "topo/topology.h"

#include <stdio.h>

/* The names of the attributes, ending with NULL. */
extern const char *const mtree_dot_condition_names[];

/*
 * Read the conditions of @a edge of the file @a name.  What the edge does not give stays
 * as it is.  MTREE_ERR_INVALID, logged with its line, when a value is none.
 */
mtree_status_t mtree_dot_conditions_read(const char *name, const mtree_dot_edge_t *edge,
                                         mtree_link_conditions_t *conditions);

/* Write what is given as attributes, each after a space. */
void mtree_dot_conditions_write(const mtree_link_conditions_t *conditions, FILE *out);

#endif
