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

/* Zeroed, but for the graph, when the text begins. */
typedef struct {
    mtree_dot_graph_t *graph;
    mtree_dot_mention_t *mentions; /* all, in the order of the text */
    int num_mentions, capacity;
    mtree_hash_table_t scopes; /* those that have a name */
    int64_t num_edges;         /* with those that turned out to be the same */
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
typedef struct mtree_dot_operand {
    const mtree_dot_scope_t *subgraph; /* NULL: a list of nodes */
    mtree_dot_range_t nodes;           /* of the list */
    struct mtree_dot_operand *next;
} mtree_dot_operand_t;

/* Nodes, if there is one operand, or the edges between each two. */
typedef struct {
    const mtree_dot_scope_t *scope; /* in which it stands */
    const mtree_dot_operand_t *operands;
    const mtree_dot_attribute_t *attributes;
} mtree_dot_statement_t;

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

/* Give the attributes of @a statement, which has ended, to its nodes or its edges.  False
 * when the statements of the text make more than @a max_edges edges. */
bool mtree_dot_text_add(mtree_dot_text_t *text, const mtree_dot_statement_t *statement,
                        int max_edges);

#endif
