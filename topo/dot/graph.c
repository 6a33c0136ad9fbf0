/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/graph.h"

#include <stdlib.h>
#include <string.h>

void mtree_dot_graph_destroy(mtree_dot_graph_t *graph)
{
    if (graph == NULL) {
        return;
    }
    mtree_hash_table_cleanup(&graph->nodes_by_name);
    mtree_hash_table_cleanup(&graph->edges_by_ends);
    mtree_arena_cleanup(&graph->arena);
    free(graph);
}

static bool is_node(const mtree_hash_link_t *link, const void *key)
{
    return strcmp(MTREE_CONTAINER_OF(link, mtree_dot_node_t, link)->name, key) == 0;
}

mtree_dot_node_t *mtree_dot_graph_node(mtree_dot_graph_t *graph, const char *name,
                                       int line)
{
    const uint64_t hash = mtree_hash_string(MTREE_HASH_INIT, name);
    mtree_hash_link_t *link =
        mtree_hash_table_find(&graph->nodes_by_name, hash, is_node, name);
    mtree_dot_node_t *node, **added;

    if (link != NULL) {
        return MTREE_CONTAINER_OF(link, mtree_dot_node_t, link);
    }
    node = mtree_arena_alloc(&graph->arena, 1, sizeof(*node));
    mtree_hash_table_add(&graph->nodes_by_name, &node->link, hash);
    node->name = name;
    node->index = graph->num_nodes;
    node->line = line;
    added = MTREE_ARENA_APPEND(&graph->arena, graph->nodes, graph->num_nodes,
                               graph->node_capacity);
    return *added = node;
}

/* The same for both directions. */
static uint64_t hash_ends(const mtree_dot_node_t *tail, const mtree_dot_node_t *head)
{
    const int low = (tail->index < head->index) ? tail->index : head->index;
    const int ends[2] = {low, tail->index + head->index - low};

    return mtree_hash_bytes(MTREE_HASH_INIT, ends, sizeof(ends));
}

static bool joins_same(const mtree_hash_link_t *link, const void *key)
{
    const mtree_dot_edge_t *edge = MTREE_CONTAINER_OF(link, mtree_dot_edge_t, link);
    const mtree_dot_node_t *const *ends = key;

    return (edge->tail == ends[0] && edge->head == ends[1]) ||
           (edge->tail == ends[1] && edge->head == ends[0]);
}

mtree_dot_edge_t *mtree_dot_graph_add_edge(mtree_dot_graph_t *graph,
                                           mtree_dot_node_t *tail, mtree_dot_node_t *head,
                                           int line)
{
    mtree_dot_edge_t *edge = mtree_arena_alloc(&graph->arena, 1, sizeof(*edge));
    const mtree_dot_node_t *const ends[] = {tail, head};
    const uint64_t hash = hash_ends(tail, head);
    mtree_hash_link_t *other =
        mtree_hash_table_find(&graph->edges_by_ends, hash, joins_same, ends);
    mtree_dot_edge_t **added;

    mtree_hash_table_add(&graph->edges_by_ends, &edge->link, hash);
    edge->tail = tail;
    edge->head = head;
    edge->first = other != NULL ? MTREE_CONTAINER_OF(other, mtree_dot_edge_t, link)->first
                                : graph->num_edges;
    edge->line = line;
    added = MTREE_ARENA_APPEND(&graph->arena, graph->edges, graph->num_edges,
                               graph->edge_capacity);
    return *added = edge;
}

void mtree_dot_attributes_set(mtree_dot_graph_t *graph, mtree_dot_attribute_t **list_p,
                              const char *name, const char *value)
{
    while (*list_p != NULL && strcmp((*list_p)->name, name) != 0) {
        list_p = &(*list_p)->next;
    }
    if (*list_p == NULL) {
        *list_p = mtree_arena_alloc(&graph->arena, 1, sizeof(**list_p));
    }
    (*list_p)->name = name;
    (*list_p)->value = value;
}

void mtree_dot_attributes_set_all(mtree_dot_graph_t *graph,
                                  mtree_dot_attribute_t **list_p,
                                  const mtree_dot_attribute_t *from)
{
    for (; from != NULL; from = from->next) {
        mtree_dot_attributes_set(graph, list_p, from->name, from->value);
    }
}

const char *mtree_dot_attributes_get(const mtree_dot_attribute_t *list, const char *name)
{
    while (list != NULL && strcmp(list->name, name) != 0) {
        list = list->next;
    }
    return (list == NULL || list->value[0] == '\0') ? NULL : list->value;
}
