/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What messages cost processors (topo/costs.h), as attributes of a graph: `message_cost`,
 * a time, and `copy_rate`, the rate at which a processor moves the bytes of messages.
 */
#ifndef MTREE_TOPO_DOT_COSTS_H
#define MTREE_TOPO_DOT_COSTS_H

#include "topo/costs.h"
#include "topo/dot/graph.h"

#include <stdio.h>

/* Read those of @a graph, of the file @a name; what it has not stays.  MTREE_ERR_INVALID
 * (logged): no time, no rate, or beyond the limits. */
mtree_status_t mtree_dot_costs_read(const char *name, const mtree_dot_graph_t *graph,
                                    mtree_message_cost_t *cost);

/* Write a line with those that are known; nothing where none is. */
void mtree_dot_costs_write(const mtree_message_cost_t *cost, FILE *out);

#endif
