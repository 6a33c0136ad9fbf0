/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statements of nodes and edges: the nodes that a DOT text names, the operands between
 * its edge operators, and the edges that they make.
 */
#ifndef MTREE_TOPO_DOT_OPERANDS_H
#define MTREE_TOPO_DOT_OPERANDS_H

#include "topo/dot/scope.h"

#include <stdint.h>

/* A node where it is named. */
typedef struct {
    mtree_dot_node_t *node;
    int line;
} mtree_dot_mention_t;

typedef struct {
    mtree_dot_mention_t *items;
    int count, capacity;
} mtree_dot_mentions_t;

/* What stands on one side of an edge operator. */
typedef struct {
    const mtree_dot_scope_t *subgraph; /* NULL: a list of nodes */
    mtree_dot_range_t nodes;           /* of the list */
} mtree_dot_operand_t;

/* Zeroed: none yet. */
typedef struct {
    mtree_dot_mentions_t mentions; /* all, in the order of the text */
    mtree_dot_operand_t *items;    /* a stack: those of all statements that are open */
    int count, capacity;
    int64_t num_edges; /* with those that turned out to be the same */
    mtree_dot_mentions_t tails, heads;
} mtree_dot_operands_t;

void mtree_dot_operands_cleanup(mtree_dot_operands_t *operands);

/* No function below logs.  MTREE_ERR_NO_MEMORY. */

/* @a node is named on @a line. */
mtree_status_t mtree_dot_operands_mention(mtree_dot_operands_t *operands,
                                          mtree_dot_node_t *node, int line);

/* @a subgraph, or for NULL the nodes named from number @a first on, is an operand. */
mtree_status_t mtree_dot_operands_push(mtree_dot_operands_t *operands,
                                       const mtree_dot_scope_t *subgraph, int first);

/*
 * The statement whose operands are those from number @a first on ends, in @a scope: give
 * @a attributes to its nodes or edges, and forget the operands.  MTREE_ERR_LIMIT when all
 * statements make more than @a max_edges edges.
 */
mtree_status_t mtree_dot_operands_finish(mtree_dot_operands_t *operands, int first,
                                         mtree_dot_graph_t *graph,
                                         const mtree_dot_scope_t *scope,
                                         const mtree_dot_attribute_t *attributes,
                                         int max_edges);

#endif
