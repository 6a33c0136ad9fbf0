/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The attributes of an edge that name the addresses of its ends, `from_address` and
 * `to_address`.  Several edges that name theirs may join the same two nodes: they are the
 * cables of one link.
 */
#ifndef MTREE_TOPO_DOT_CABLES_H
#define MTREE_TOPO_DOT_CABLES_H

#include "topo/dot/graph.h"
#include "topo/topology.h"

#include <stdio.h>

/*
 * Give link number @a link of @a topology, made of @a edge of the file @a name, its
 * cable, if the edge names ends.  MTREE_ERR_INVALID, logged with its line, when one is
 * none.
 */
mtree_status_t mtree_dot_cables_read(const char *name, const mtree_dot_edge_t *edge,
                                     mtree_topology_t *topology, int link);

/*
 * Links number @a first and @a second join the same vertices, and at least one of them
 * has cables.  That of the second, which was made of the edge @a again, becomes one of
 * the first, or its other direction; the second is left without cable and capacity.
 */
mtree_status_t mtree_dot_cables_join(const char *name, const mtree_dot_edge_t *again,
                                     mtree_topology_t *topology, int first, int second);

/* Is each address that of one host?  The links of @a topology are numbered as the edges
 * of @a graph. */
mtree_status_t mtree_dot_cables_check(const char *name, const mtree_dot_graph_t *graph,
                                      const mtree_topology_t *topology);

/* Write the ends that are known as attributes, each after a space; @a turned: of an edge
 * from the link's `v` to its `u`. */
void mtree_dot_cable_write(const mtree_cable_t *cable, bool turned, FILE *out);

#endif
