/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/statement.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void mtree_dot_text_cleanup(mtree_dot_text_t *text)
{
    free(text->mentions);
    free(text->edges);
    mtree_hash_table_cleanup(&text->scopes);
}

void mtree_dot_text_mention(mtree_dot_text_t *text, mtree_dot_node_t *node, int line)
{
    if (mtree_array_reserve(&text->mentions, &text->capacity, text->num_mentions + 1,
                            sizeof(*text->mentions)) != MTREE_OK) {
        text->graph->arena.status = MTREE_ERR_NO_MEMORY;
        return;
    }
    text->mentions[text->num_mentions++] = (mtree_dot_mention_t){node, line};
}

static bool is_same(const mtree_hash_link_t *link, const void *key)
{
    const mtree_dot_scope_t *scope = MTREE_CONTAINER_OF(link, mtree_dot_scope_t, link);
    const mtree_dot_scope_t *wanted = key;

    return scope->parent == wanted->parent && strcmp(scope->name, wanted->name) == 0;
}

mtree_dot_scope_t *mtree_dot_text_scope(mtree_dot_text_t *text, mtree_dot_scope_t *parent,
                                        const char *name)
{
    const mtree_dot_scope_t wanted = {.parent = parent, .name = name};
    uint64_t hash = mtree_hash_bytes(MTREE_HASH_INIT, &parent, sizeof(parent));
    mtree_hash_link_t *link;
    mtree_dot_scope_t *scope;

    if (name != NULL) {
        hash = mtree_hash_string(hash, name);
        link = mtree_hash_table_find(&text->scopes, hash, is_same, &wanted);
        if (link != NULL) {
            return MTREE_CONTAINER_OF(link, mtree_dot_scope_t, link);
        }
    }
    scope = mtree_arena_alloc(&text->graph->arena, 1, sizeof(*scope));
    if (scope != NULL) {
        *scope = wanted;
        if (name != NULL &&
            mtree_hash_table_add(&text->scopes, &scope->link, hash) != MTREE_OK) {
            text->graph->arena.status = MTREE_ERR_NO_MEMORY;
        }
    }
    return scope;
}

void mtree_dot_scope_apply(const mtree_dot_scope_t *scope, mtree_dot_kind_t kind,
                           mtree_dot_graph_t *graph, mtree_dot_attribute_t **list_p)
{
    if (scope->parent != NULL) {
        mtree_dot_scope_apply(scope->parent, kind, graph, list_p);
    }
    mtree_dot_attributes_set_all(graph, list_p, scope->attributes[kind]);
}

/* The parts of the mentions that @a operand stands for. */
static const mtree_dot_range_t *ranges_of(const mtree_dot_operand_t *operand)
{
    return operand->subgraph != NULL ? operand->subgraph->ranges : &operand->nodes;
}

static int count_mentions(const mtree_dot_operand_t *operand)
{
    int count = 0;

    for (const mtree_dot_range_t *r = ranges_of(operand); r != NULL; r = r->next) {
        count += r->end - r->first;
    }
    return count;
}

static int compare_mentions(const void *a, const void *b)
{
    const mtree_dot_mention_t *x = a;
    const mtree_dot_mention_t *y = b;

    return (x->node != y->node) ? x->node->index - y->node->index : x->line - y->line;
}

/* The nodes of @a operand, those of a subgraph in the order of the graph and each once,
 * where it is named first; NULL: no memory. */
static const mtree_dot_mention_t *
nodes_of(const mtree_dot_text_t *text, const mtree_dot_operand_t *operand, int *count_p)
{
    mtree_dot_mention_t *nodes;
    int count = 0, kept = 0;

    *count_p = count_mentions(operand);
    if (operand->subgraph == NULL) {
        return &text->mentions[operand->nodes.first];
    }
    MTREE_ARENA_ARRAY(&text->graph->arena, nodes, (size_t)*count_p);
    if (nodes == NULL) {
        return NULL;
    }
    for (const mtree_dot_range_t *r = ranges_of(operand); r != NULL; r = r->next) {
        for (int i = r->first; i < r->end; ++i) {
            nodes[count++] = text->mentions[i];
        }
    }
    qsort(nodes, (size_t)count, sizeof(*nodes), compare_mentions);
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || nodes[i].node != nodes[kept - 1].node) {
            nodes[kept++] = nodes[i];
        }
    }
    *count_p = kept;
    return nodes;
}

/* An edge of the statement; in a strict graph there is one at most between two nodes. */
static void make_edge(mtree_dot_text_t *text, const mtree_dot_scope_t *scope,
                      mtree_dot_node_t *tail, const mtree_dot_mention_t *head)
{
    mtree_dot_graph_t *graph = text->graph;
    mtree_dot_edge_t *edge =
        graph->strict
            ? mtree_dot_graph_find_edge(graph, tail, head->node, graph->directed)
            : NULL;

    if (edge == NULL) {
        edge = mtree_dot_graph_add_edge(graph, tail, head->node, head->line);
        if (edge == NULL) {
            return;
        }
        mtree_dot_scope_apply(scope, MTREE_DOT_OF_EDGES, graph, &edge->attributes);
    }
    if (mtree_array_reserve(&text->edges, &text->edge_capacity, text->num_edges + 1,
                            sizeof(mtree_dot_edge_t *)) != MTREE_OK) {
        graph->arena.status = MTREE_ERR_NO_MEMORY;
        return;
    }
    text->edges[text->num_edges++] = edge;
}

bool mtree_dot_text_join(mtree_dot_text_t *text, const mtree_dot_scope_t *scope,
                         const mtree_dot_operand_t *left,
                         const mtree_dot_operand_t *right)
{
    const mtree_dot_mention_t *tails, *heads;
    int num_tails, num_heads;

    text->most_edges -= (int64_t)count_mentions(left) * count_mentions(right);
    if (text->most_edges < 0) {
        return false;
    }
    tails = nodes_of(text, left, &num_tails);
    heads = nodes_of(text, right, &num_heads);
    for (int i = 0; i < num_tails; ++i) {
        for (int j = 0; j < num_heads && text->graph->arena.status == MTREE_OK; ++j) {
            make_edge(text, scope, tails[i].node, &heads[j]);
        }
    }
    return true;
}

void mtree_dot_text_end(mtree_dot_text_t *text, int first,
                        const mtree_dot_operand_t *nodes,
                        const mtree_dot_attribute_t *attributes)
{
    for (int i = first; i < text->num_edges; ++i) {
        mtree_dot_attributes_set_all(text->graph, &text->edges[i]->attributes,
                                     attributes);
    }
    text->num_edges = first;
    /* A subgraph's attributes are nobody's. */
    for (int i = nodes != NULL && nodes->subgraph == NULL ? nodes->nodes.first : 0;
         nodes != NULL && nodes->subgraph == NULL && i < nodes->nodes.end; ++i) {
        mtree_dot_attributes_set_all(text->graph, &text->mentions[i].node->attributes,
                                     attributes);
    }
}
