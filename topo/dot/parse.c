/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive descent, one function per rule.  The first fault sets the parser's status and
 * makes MTREE_DOT_END the next token, which only the outermost rule accepts, so the rules
 * do not check each step.
 */
#include "topo/dot/parse.h"

#include "base/log.h"
#include "base/memory.h"
#include "topo/dot/lexer.h"
#include "topo/topology.h"

#include <stdint.h>
#include <string.h>

/* Subgraphs within one another: each takes some of the stack. */
#define MAX_DEPTH 64

/* Each link names two nodes, each node may be declared; twice that leaves space for
 * subgraphs. */
#define MAX_NAMES (2 * (MTREE_TOPOLOGY_MAX_VERTICES + 2 * MTREE_TOPOLOGY_MAX_LINKS))

/* What has an attribute. */
typedef enum { OF_NODES, OF_EDGES, OF_GRAPHS } kind_t;

/* A node where it is named. */
typedef struct {
    mtree_dot_node_t *node;
    int line;
} mention_t;

/* What stands on one side of an operator: a part of the mentions. */
typedef struct {
    int first, end;
} operand_t;

/* What is between braces. */
typedef struct scope {
    struct scope *parent;                 /* NULL: the graph itself */
    mtree_dot_attribute_t *attributes[2]; /* defaults of nodes and of edges */
} scope_t;

typedef struct {
    mtree_dot_lexer_t lexer;
    mtree_dot_token_t token; /* the next */
    mtree_status_t status;
    mtree_dot_graph_t *graph;
    mention_t *mentions; /* each that is between closed braces is there once */
    int num_mentions, capacity;
    scope_t *scope; /* the innermost that is open */
    int depth;      /* scopes that are open */
    int num_names;  /* of nodes, and pairs of braces */
    int num_statements;
    int64_t num_edges;                 /* that operators asked for */
    mtree_dot_attribute_t *attributes; /* of the statement */
} parser_t;

static void fail(parser_t *parser, mtree_status_t status)
{
    parser->status = status;
    parser->token.kind = MTREE_DOT_END;
}

static void check_limit(parser_t *parser, bool is_kept, const char *excess)
{
    if (!is_kept && parser->status == MTREE_OK) {
        mtree_error("%s:%d: %s; mtree takes no larger file", parser->lexer.name,
                    parser->token.line, excess);
        fail(parser, MTREE_ERR_LIMIT);
    }
}

static void advance(parser_t *parser)
{
    mtree_status_t status;

    if (parser->status == MTREE_OK) {
        status = mtree_dot_lexer_next(&parser->lexer, &parser->token);
        if (status != MTREE_OK) {
            fail(parser, status);
        }
    }
}

static bool accept(parser_t *parser, int kind)
{
    if (parser->token.kind != kind) {
        return false;
    }
    advance(parser);
    return true;
}

static void expect(parser_t *parser, int kind)
{
    if (!accept(parser, kind) && parser->status == MTREE_OK) {
        fail(parser, mtree_dot_lexer_refuse(&parser->lexer, &parser->token));
    }
}

static bool is_id(const parser_t *parser)
{
    return parser->token.kind == MTREE_DOT_ID;
}

/* ID; "" when there is none, which is a fault. */
static const char *parse_id(parser_t *parser)
{
    const char *text = is_id(parser) ? parser->token.text : "";

    expect(parser, MTREE_DOT_ID);
    return text;
}

/* Note that objects of @a kind may have the attribute @a name. */
static void declare(parser_t *parser, kind_t kind, const char *name)
{
    mtree_dot_graph_t *graph = parser->graph;
    int i;

    for (i = 0; i < graph->num_names && strcmp(graph->names[i].name, name) != 0; ++i) {}
    check_limit(parser, i < MTREE_DOT_MAX_ATTRIBUTES, "too many different attributes");
    if (parser->status != MTREE_OK) {
        return;
    }
    if (i == graph->num_names) {
        graph->names[graph->num_names++] = (mtree_dot_attribute_name_t){.name = name};
    }
    graph->names[i].of_nodes |= (kind == OF_NODES);
    graph->names[i].of_edges |= (kind == OF_EDGES);
}

/* attr_list: any number of "[" ID "=" ID ... "]", into the parser's attributes. */
static void parse_attributes(parser_t *parser, kind_t kind)
{
    const char *name;

    parser->attributes = NULL;
    while (accept(parser, '[')) {
        while (is_id(parser)) {
            name = parse_id(parser);
            expect(parser, '=');
            mtree_dot_attributes_set(parser->graph, &parser->attributes, name,
                                     parse_id(parser));
            declare(parser, kind, name);
            if (!accept(parser, ';')) {
                accept(parser, ',');
            }
        }
        expect(parser, ']');
    }
}

/* Another name of a node, or another pair of braces. */
static void count_name(parser_t *parser)
{
    check_limit(parser, ++parser->num_names <= MAX_NAMES,
                "more node names than the largest topology has");
}

/* Give the list at @a list_p the defaults of @a scope; the innermost decides. */
static void apply_defaults(mtree_dot_graph_t *graph, const scope_t *scope, kind_t kind,
                           mtree_dot_attribute_t **list_p)
{
    if (scope->parent != NULL) {
        apply_defaults(graph, scope->parent, kind, list_p);
    }
    mtree_dot_attributes_set_all(graph, list_p, scope->attributes[kind]);
}

/* The node @a name, which stands on @a line. */
static void mention_node(parser_t *parser, const char *name, int line)
{
    mtree_dot_graph_t *graph = parser->graph;
    const int num_nodes = graph->num_nodes;
    mtree_dot_node_t *node;
    mention_t *added;

    count_name(parser);
    if (parser->status != MTREE_OK) {
        return;
    }
    node = mtree_dot_graph_node(graph, name, line);
    if (graph->num_nodes > num_nodes) {
        apply_defaults(graph, parser->scope, OF_NODES, &node->attributes);
    }
    added = MTREE_ARENA_APPEND(&graph->arena, parser->mentions, parser->num_mentions,
                               parser->capacity);
    *added = (mention_t){node, line};
}

/* node_id, whose ID has been read: ports follow, which have no meaning here. */
static operand_t parse_node(parser_t *parser, const char *id, int line)
{
    operand_t operand = {.first = parser->num_mentions};

    mention_node(parser, id, line);
    operand.end = parser->num_mentions;
    for (int i = 0; i < 2 && accept(parser, ':'); ++i) {
        (void)parse_id(parser);
    }
    return operand;
}

static void parse_statement(parser_t *parser);

/* "{" stmt_list "}" */
static operand_t parse_braces(parser_t *parser)
{
    scope_t scope = {.parent = parser->scope};
    operand_t nodes = {.first = parser->num_mentions, .end = parser->num_mentions};
    int number;

    count_name(parser);
    number = parser->num_names;
    parser->scope = &scope;
    ++parser->depth;
    check_limit(parser, parser->depth < MAX_DEPTH, "subgraphs nested too deeply");
    expect(parser, '{');
    while (parser->status == MTREE_OK && parser->token.kind != '}') {
        parse_statement(parser);
    }
    expect(parser, '}');
    --parser->depth;
    parser->scope = scope.parent;
    for (int i = nodes.first; i < parser->num_mentions; ++i) {
        if (parser->mentions[i].node->seen != number) {
            parser->mentions[i].node->seen = number;
            parser->mentions[nodes.end++] = parser->mentions[i];
        }
    }
    parser->num_mentions = nodes.end;
    return nodes;
}

/* subgraph: [ "subgraph" [ ID ] ] "{" stmt_list "}" */
static operand_t parse_subgraph(parser_t *parser)
{
    if (accept(parser, MTREE_DOT_SUBGRAPH)) {
        (void)accept(parser, MTREE_DOT_ID);
    }
    return parse_braces(parser);
}

/* Join the nodes of @a left and @a right by edges of @a statement. */
static void join(parser_t *parser, int statement, operand_t left, operand_t right)
{
    mtree_dot_graph_t *graph = parser->graph;
    mtree_dot_edge_t *edge;

    parser->num_edges += (int64_t)(left.end - left.first) * (right.end - right.first);
    check_limit(parser, parser->num_edges <= MAX_NAMES,
                "more edges than the largest topology has");
    for (int i = left.first; i < left.end; ++i) {
        for (int j = right.first; j < right.end && parser->status == MTREE_OK; ++j) {
            edge = mtree_dot_graph_add_edge(graph, parser->mentions[i].node,
                                            parser->mentions[j].node,
                                            parser->mentions[j].line);
            edge->statement = statement;
            apply_defaults(graph, parser->scope, OF_EDGES, &edge->attributes);
        }
    }
}

/* node_stmt, edge_stmt or subgraph; its first ID, if @a id is not NULL, has been read. */
static void parse_chain(parser_t *parser, const char *id, int line)
{
    mtree_dot_graph_t *graph = parser->graph;
    const int edge_operator = graph->directed ? MTREE_DOT_DIRECTED : MTREE_DOT_UNDIRECTED;
    const int statement = ++parser->num_statements, first = graph->num_edges;
    operand_t left = id != NULL ? parse_node(parser, id, line) : parse_subgraph(parser);
    bool has_edges = false;

    while (parser->status == MTREE_OK && accept(parser, edge_operator)) {
        const int head_line = parser->token.line;
        const operand_t right = is_id(parser)
                                    ? parse_node(parser, parse_id(parser), head_line)
                                    : parse_subgraph(parser);

        has_edges = true;
        join(parser, statement, left, right);
        left = right;
    }
    parse_attributes(parser, has_edges ? OF_EDGES : OF_NODES);
    /* Subgraphs of the statement may hold edges of other ones. */
    for (int e = first; e < graph->num_edges; ++e) {
        if (graph->edges[e]->statement == statement) {
            mtree_dot_attributes_set_all(graph, &graph->edges[e]->attributes,
                                         parser->attributes);
        }
    }
    if (parser->status == MTREE_OK && id != NULL && !has_edges) {
        mtree_dot_attributes_set_all(
            graph, &parser->mentions[left.first].node->attributes, parser->attributes);
    }
}

/* attr_stmt, whose first word has been read. */
static void parse_defaults(parser_t *parser, kind_t kind)
{
    if (parser->token.kind != '[') {
        expect(parser, '[');
    }
    parse_attributes(parser, kind);
    if (kind != OF_GRAPHS) {
        mtree_dot_attributes_set_all(parser->graph, &parser->scope->attributes[kind],
                                     parser->attributes);
    } else if (parser->scope->parent == NULL) {
        mtree_dot_attributes_set_all(parser->graph, &parser->graph->attributes,
                                     parser->attributes);
    }
}

/* ID "=" ID, of a graph or a subgraph; the first has been read. */
static void parse_own_attribute(parser_t *parser, const char *name)
{
    const char *value = parse_id(parser);

    declare(parser, OF_GRAPHS, name);
    if (parser->scope->parent == NULL) {
        mtree_dot_attributes_set(parser->graph, &parser->graph->attributes, name, value);
    }
}

static void parse_statement(parser_t *parser)
{
    const int line = parser->token.line;
    const char *id;

    if (accept(parser, MTREE_DOT_NODE)) {
        parse_defaults(parser, OF_NODES);
    } else if (accept(parser, MTREE_DOT_EDGE)) {
        parse_defaults(parser, OF_EDGES);
    } else if (accept(parser, MTREE_DOT_GRAPH)) {
        parse_defaults(parser, OF_GRAPHS);
    } else if (!is_id(parser)) {
        parse_chain(parser, NULL, line);
    } else {
        id = parse_id(parser);
        if (accept(parser, '=')) {
            parse_own_attribute(parser, id);
        } else {
            parse_chain(parser, id, line);
        }
    }
    accept(parser, ';');
}

/* graph: [ "strict" ] ( "graph" | "digraph" ) [ ID ] "{" stmt_list "}".  In a topology,
 * too, two edges between the same nodes are a fault. */
static void parse_graph(parser_t *parser)
{
    mtree_dot_graph_t *graph = parser->graph;

    (void)accept(parser, MTREE_DOT_STRICT);
    graph->directed = accept(parser, MTREE_DOT_DIGRAPH);
    if (!graph->directed) {
        expect(parser, MTREE_DOT_GRAPH);
    }
    if (is_id(parser)) {
        graph->name = parse_id(parser);
    }
    parse_braces(parser);
}

static void parse_text(parser_t *parser)
{
    advance(parser);
    if (parser->status == MTREE_OK && parser->token.kind == MTREE_DOT_END) {
        mtree_error("%s:1: not a DOT graph; docs/topology-file.md has an example",
                    parser->lexer.name);
        fail(parser, MTREE_ERR_INVALID);
    }
    parse_graph(parser);
    if (parser->token.kind >= MTREE_DOT_STRICT &&
        parser->token.kind <= MTREE_DOT_DIGRAPH) {
        mtree_error("%s: holds 2 graphs, of which the second begins on line %d; keep one",
                    parser->lexer.name, parser->token.line);
        fail(parser, MTREE_ERR_INVALID);
    }
    expect(parser, MTREE_DOT_END);
}

mtree_status_t mtree_dot_parse(const char *text, size_t length, const char *name,
                               mtree_dot_graph_t **graph_p)
{
    parser_t parser = {.status = MTREE_OK};

    if (memchr(text, '\0', length) != NULL) {
        mtree_error("%s: holds a NUL byte: not a DOT file", name);
        return MTREE_ERR_INVALID;
    }
    parser.graph = mtree_calloc(1, sizeof(*parser.graph));
    mtree_dot_lexer_init(&parser.lexer, text, length, name, &parser.graph->arena);
    parse_text(&parser);
    if (parser.status == MTREE_OK) {
        *graph_p = parser.graph;
    } else {
        mtree_dot_graph_destroy(parser.graph);
    }
    return parser.status;
}
