/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/operands.h"

#include "base/array.h"

#include <stdlib.h>

/* A statement of edges. */
typedef struct {
    mtree_dot_operands_t *operands;
    mtree_dot_graph_t *graph;
    const mtree_dot_scope_t *scope;
    const mtree_dot_attribute_t *attributes;
    const char *key;
} statement_t;

void mtree_dot_operands_cleanup(mtree_dot_operands_t *operands)
{
    free(operands->mentions.items);
    free(operands->items);
    free(operands->tails.items);
    free(operands->heads.items);
}

static mtree_status_t add_mention(mtree_dot_mentions_t *mentions,
                                  mtree_dot_mention_t mention)
{
    mtree_status_t status = mtree_array_reserve(&mentions->items, &mentions->capacity,
                                                mentions->count + 1, sizeof(mention));

    if (status == MTREE_OK) {
        mentions->items[mentions->count++] = mention;
    }
    return status;
}

mtree_status_t mtree_dot_operands_mention(mtree_dot_operands_t *operands,
                                          mtree_dot_node_t *node, int line)
{
    return add_mention(&operands->mentions, (mtree_dot_mention_t){node, line});
}

mtree_status_t mtree_dot_operands_push(mtree_dot_operands_t *operands,
                                       const mtree_dot_scope_t *subgraph, int first)
{
    mtree_status_t status =
        mtree_array_reserve(&operands->items, &operands->capacity, operands->count + 1,
                            sizeof(*operands->items));

    if (status == MTREE_OK) {
        operands->items[operands->count++] =
            (mtree_dot_operand_t){subgraph, {first, operands->mentions.count}};
    }
    return status;
}

/* The parts of the list of mentions that @a operand stands for, *count_p of them. */
static const mtree_dot_range_t *ranges_of(const mtree_dot_operand_t *operand,
                                          int *count_p)
{
    *count_p = (operand->subgraph != NULL) ? operand->subgraph->num_ranges : 1;
    return (operand->subgraph != NULL) ? operand->subgraph->ranges : &operand->nodes;
}

static int count_mentions(const mtree_dot_operand_t *operand)
{
    int num_ranges, i;
    const mtree_dot_range_t *ranges = ranges_of(operand, &num_ranges);
    int count = 0;

    for (i = 0; i < num_ranges; ++i) {
        count += ranges[i].end - ranges[i].first;
    }
    return count;
}

static int compare_mentions(const void *a, const void *b)
{
    const mtree_dot_mention_t *x = a;
    const mtree_dot_mention_t *y = b;

    return (x->node != y->node) ? x->node->index - y->node->index : x->line - y->line;
}

/* Bring @a nodes into the order of the graph, each once, where it is named first. */
static void sort_nodes(mtree_dot_mentions_t *nodes)
{
    int count = 0;
    int i;

    qsort(nodes->items, (size_t)nodes->count, sizeof(*nodes->items), compare_mentions);
    for (i = 0; i < nodes->count; ++i) {
        if (count == 0 || nodes->items[i].node != nodes->items[count - 1].node) {
            nodes->items[count++] = nodes->items[i];
        }
    }
    nodes->count = count;
}

/* Fill @a nodes with those of @a operand, which has some. */
static mtree_status_t collect(const mtree_dot_mentions_t *mentions,
                              const mtree_dot_operand_t *operand,
                              mtree_dot_mentions_t *nodes)
{
    int num_ranges, i, j;
    const mtree_dot_range_t *ranges = ranges_of(operand, &num_ranges);
    mtree_status_t status = MTREE_OK;

    nodes->count = 0;
    for (i = 0; i < num_ranges; ++i) {
        for (j = ranges[i].first; j < ranges[i].end && status == MTREE_OK; ++j) {
            status = add_mention(nodes, mentions->items[j]);
        }
    }
    if (operand->subgraph != NULL) {
        sort_nodes(nodes);
    }
    return status;
}

/*
 * An edge of the statement.  One that has its key is the same edge, as is any between its
 * nodes in a strict graph, where another key makes no other.
 */
static mtree_status_t make_edge(const statement_t *statement, mtree_dot_node_t *tail,
                                const mtree_dot_mention_t *head)
{
    mtree_dot_graph_t *graph = statement->graph;
    mtree_dot_edge_t *edge = NULL;

    if (statement->key != NULL || graph->strict) {
        edge = mtree_dot_graph_find_edge(graph, tail, head->node, statement->key);
    }
    if (edge == NULL && graph->strict &&
        mtree_dot_graph_find_edge(graph, tail, head->node, NULL) != NULL) {
        return MTREE_OK;
    }
    if (edge == NULL) {
        edge =
            mtree_dot_graph_add_edge(graph, tail, head->node, statement->key, head->line);
        if (edge == NULL) {
            return MTREE_ERR_NO_MEMORY;
        }
        mtree_dot_scope_apply(statement->scope, MTREE_DOT_OF_EDGES, graph,
                              &edge->attributes);
    }
    mtree_dot_attributes_set_all(graph, &edge->attributes, statement->attributes);
    return graph->arena.status;
}

static mtree_status_t make_edges(const statement_t *statement,
                                 const mtree_dot_operand_t *left,
                                 const mtree_dot_operand_t *right)
{
    mtree_dot_operands_t *operands = statement->operands;
    const mtree_dot_mentions_t *tails = &operands->tails;
    const mtree_dot_mentions_t *heads = &operands->heads;
    mtree_status_t status;
    int i, j;

    if ((status = collect(&operands->mentions, left, &operands->tails)) != MTREE_OK ||
        (status = collect(&operands->mentions, right, &operands->heads)) != MTREE_OK) {
        return status;
    }
    for (i = 0; i < tails->count; ++i) {
        for (j = 0; j < heads->count && status == MTREE_OK; ++j) {
            status = make_edge(statement, tails->items[i].node, &heads->items[j]);
        }
    }
    return status;
}

/* A subgraph's attributes are nobody's. */
static void set_attributes(const statement_t *statement,
                           const mtree_dot_operand_t *operand)
{
    const mtree_dot_mention_t *mentions = statement->operands->mentions.items;
    int i;

    for (i = operand->nodes.first; operand->subgraph == NULL && i < operand->nodes.end;
         ++i) {
        mtree_dot_attributes_set_all(statement->graph, &mentions[i].node->attributes,
                                     statement->attributes);
    }
}

mtree_status_t mtree_dot_operands_finish(mtree_dot_operands_t *operands, int first,
                                         mtree_dot_graph_t *graph,
                                         const mtree_dot_scope_t *scope,
                                         const mtree_dot_attribute_t *attributes,
                                         int max_edges)
{
    const statement_t statement = {operands, graph, scope, attributes,
                                   mtree_dot_attributes_get(attributes, "key")};
    const mtree_dot_operand_t *operand = &operands->items[first];
    const mtree_dot_operand_t *last = &operands->items[operands->count - 1];
    mtree_status_t status = MTREE_OK;
    int64_t num_edges;

    if (operand == last) {
        set_attributes(&statement, operand);
    }
    for (; operand < last && status == MTREE_OK; ++operand) {
        num_edges = (int64_t)count_mentions(operand) * count_mentions(operand + 1);
        operands->num_edges += num_edges;
        if (operands->num_edges > max_edges) {
            status = MTREE_ERR_LIMIT;
        } else if (num_edges > 0) {
            status = make_edges(&statement, operand, operand + 1);
        }
    }
    operands->count = first;
    return status;
}
