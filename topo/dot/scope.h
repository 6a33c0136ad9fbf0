/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scopes of a DOT text: the graph itself and its subgraphs, which hold the defaults of
 * attributes and, as the operand of an edge, stand for the nodes that are named in them.
 */
#ifndef MTREE_TOPO_DOT_SCOPE_H
#define MTREE_TOPO_DOT_SCOPE_H

#include "topo/dot/graph.h"

typedef enum {
    MTREE_DOT_OF_NODES,
    MTREE_DOT_OF_EDGES,
    MTREE_DOT_OF_GRAPHS
} mtree_dot_kind_t;

/* A part of the parser's list of all places at which a node is named. */
typedef struct {
    int first, end;
} mtree_dot_range_t;

typedef struct mtree_dot_scope {
    struct mtree_dot_scope *parent;       /* NULL: the graph itself */
    const char *name;                     /* NULL: none */
    mtree_dot_attribute_t *attributes[2]; /* defaults of nodes and of edges */
    mtree_dot_range_t *ranges;            /* one for each pair of braces */
    int num_ranges, range_capacity;
    mtree_hash_link_t link;
    struct mtree_dot_scope *next;
} mtree_dot_scope_t;

/* All scopes of a text; zeroed: none. */
typedef struct {
    mtree_dot_scope_t *first;
    mtree_hash_table_t named;
} mtree_dot_scopes_t;

void mtree_dot_scopes_cleanup(mtree_dot_scopes_t *scopes);

/*
 * The subgraph @a name of @a parent: the same each time that the name is given, a new one
 * for NULL.  NULL when there is no memory; nothing is logged.
 */
mtree_dot_scope_t *mtree_dot_scopes_open(mtree_dot_scopes_t *scopes,
                                         mtree_dot_scope_t *parent, const char *name);

/* Note that the nodes of @a range are in @a scope.  MTREE_ERR_NO_MEMORY, not logged. */
mtree_status_t mtree_dot_scope_add_range(mtree_dot_scope_t *scope,
                                         mtree_dot_range_t range);

/*
 * Give the list at @a list_p what a new node or edge of @a scope has by default; the
 * innermost scope that has a default decides.
 */
void mtree_dot_scope_apply(const mtree_dot_scope_t *scope, mtree_dot_kind_t kind,
                           mtree_dot_graph_t *graph, mtree_dot_attribute_t **list_p);

#endif
