/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A graph as a DOT file describes it: nodes, edges and their attributes, all of them
 * strings, and the lines on which they stand.  It knows nothing of networks.
 */
#ifndef MTREE_TOPO_DOT_GRAPH_H
#define MTREE_TOPO_DOT_GRAPH_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"

#include <stdbool.h>

/* Most different names of attributes in a graph. */
#define MTREE_DOT_MAX_ATTRIBUTES 63

/* The attributes of an object are a list, NULL when it is empty, with each name once. */
typedef struct mtree_dot_attribute {
    const char *name, *value;
    struct mtree_dot_attribute *next;
} mtree_dot_attribute_t;

typedef struct {
    const char *name;
    int index; /* in nodes */
    int line;  /* where the name stands first */
    int seen;  /* the parser's */
    mtree_dot_attribute_t *attributes;
    mtree_hash_link_t link;
} mtree_dot_node_t;

typedef struct {
    mtree_dot_node_t *tail, *head;
    int first;     /* the number of the first edge between the two, in any direction */
    int line;      /* where its head stands */
    int statement; /* that made it, counted from 1 */
    mtree_dot_attribute_t *attributes;
    mtree_hash_link_t link;
} mtree_dot_edge_t;

/* The name of an attribute that some object may have. */
typedef struct {
    const char *name;
    bool of_nodes, of_edges;
} mtree_dot_attribute_name_t;

typedef struct {
    const char *name; /* NULL: none */
    bool directed;
    int num_nodes, num_edges, num_names;
    mtree_dot_node_t **nodes; /* in the order of the file, as are the edges */
    mtree_dot_edge_t **edges;
    mtree_dot_attribute_t *attributes; /* its own, not those of subgraphs */
    mtree_dot_attribute_name_t names[MTREE_DOT_MAX_ATTRIBUTES];
    /* Private. */
    int node_capacity, edge_capacity;
    mtree_hash_table_t nodes_by_name, edges_by_ends;
    mtree_arena_t arena; /* of the rest, and of all names and values */
} mtree_dot_graph_t;

/* Free @a graph and all in it; NULL is allowed. */
void mtree_dot_graph_destroy(mtree_dot_graph_t *graph);

/* The functions below keep pointers to the strings that they are given. */

/* The node named @a name, which is new, and stands on @a line, when there was none. */
mtree_dot_node_t *mtree_dot_graph_node(mtree_dot_graph_t *graph, const char *name,
                                       int line);

/* An edge from @a tail to @a head that is new. */
mtree_dot_edge_t *mtree_dot_graph_add_edge(mtree_dot_graph_t *graph,
                                           mtree_dot_node_t *tail, mtree_dot_node_t *head,
                                           int line);

/* Give the attribute @a name of the list at @a list_p the value @a value. */
void mtree_dot_attributes_set(mtree_dot_graph_t *graph, mtree_dot_attribute_t **list_p,
                              const char *name, const char *value);

/* Set all of @a from. */
void mtree_dot_attributes_set_all(mtree_dot_graph_t *graph,
                                  mtree_dot_attribute_t **list_p,
                                  const mtree_dot_attribute_t *from);

/* The value of @a name; NULL when it is not there or "". */
const char *mtree_dot_attributes_get(const mtree_dot_attribute_t *list, const char *name);

#endif
