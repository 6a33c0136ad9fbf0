/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statements of a DOT text: the scopes in which they stand, the nodes that they name and
 * the edges that they make.
 */
#ifndef MTREE_TOPO_DOT_STATEMENT_H
#define MTREE_TOPO_DOT_STATEMENT_H

#include "topo/dot/graph.h"

#include <stdint.h>

typedef enum {
    MTREE_DOT_OF_NODES,
    MTREE_DOT_OF_EDGES,
    MTREE_DOT_OF_GRAPHS
} mtree_dot_kind_t;

/* A node where it is named. */
typedef struct {
    mtree_dot_node_t *node;
    int line;
} mtree_dot_mention_t;

/* Zeroed, but for the graph and the limit, when the text begins. */
typedef struct {
    mtree_dot_graph_t *graph;
    mtree_dot_mention_t *mentions; /* all, in the order of the text */
    int num_mentions, capacity;
    mtree_hash_table_t scopes; /* those that have a name */
    mtree_dot_edge_t *
        *edges; /* of the statements that have begun, the outer ones first */
    int num_edges, edge_capacity;
    int64_t most_edges; /* that the text may have, with those that are the same */
} mtree_dot_text_t;

/* A part of the mentions. */
typedef struct mtree_dot_range {
    int first, end;
    struct mtree_dot_range *next;
} mtree_dot_range_t;

/* The graph itself or a subgraph: it holds the defaults of attributes and, as the operand
 * of an edge, stands for the nodes that are named in it. */
typedef struct mtree_dot_scope {
    struct mtree_dot_scope *parent;       /* NULL: the graph itself */
    const char *name;                     /* NULL: none */
    mtree_dot_attribute_t *attributes[2]; /* defaults of nodes and of edges */
    mtree_dot_range_t *ranges;            /* one for each pair of braces */
    mtree_hash_link_t link;
} mtree_dot_scope_t;

/* What stands on one side of an edge operator. */
typedef struct {
    const mtree_dot_scope_t *subgraph; /* NULL: a list of nodes */
    mtree_dot_range_t nodes;           /* of the list */
} mtree_dot_operand_t;

/*
 * Nothing below logs.  Memory is the arena's of the graph, which remembers that there was
 * none; what mtree_dot_text_cleanup() frees is the rest.
 */
void mtree_dot_text_cleanup(mtree_dot_text_t *text);

/* @a node is named on @a line. */
void mtree_dot_text_mention(mtree_dot_text_t *text, mtree_dot_node_t *node, int line);

/* The subgraph @a name of @a parent: the same each time that the name is given, a new one
 * for NULL.  NULL when there is no memory. */
mtree_dot_scope_t *mtree_dot_text_scope(mtree_dot_text_t *text, mtree_dot_scope_t *parent,
                                        const char *name);

/*
 * Give the list at @a list_p what a new node or edge of @a scope has by default; the
 * innermost scope that has a default decides.
 */
void mtree_dot_scope_apply(const mtree_dot_scope_t *scope, mtree_dot_kind_t kind,
                           mtree_dot_graph_t *graph, mtree_dot_attribute_t **list_p);

/* Join @a left and @a right in @a scope by edges of the current statement.  False when
 * the text makes more than it may. */
bool mtree_dot_text_join(mtree_dot_text_t *text, const mtree_dot_scope_t *scope,
                         const mtree_dot_operand_t *left,
                         const mtree_dot_operand_t *right);

/* Give @a attributes to what the statement is about that ends: its edges, those from
 * number @a first on, or (NULL: it has edges) @a nodes. */
void mtree_dot_text_end(mtree_dot_text_t *text, int first,
                        const mtree_dot_operand_t *nodes,
                        const mtree_dot_attribute_t *attributes);

#endif
