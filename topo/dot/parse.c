/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive descent, one function per rule.  The first fault sets the parser's status and
 * makes MTREE_DOT_END the next token, which only the outermost rule accepts, so the rules
 * do not check each step.
 */
#include "topo/dot/parse.h"

#include "base/log.h"
#include "topo/dot/lexer.h"
#include "topo/dot/statement.h"
#include "topo/topology.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64
/* Each link names two nodes, each node may be declared; twice that leaves space for
 * subgraphs. */
#define MAX_NAMES (2 * (MTREE_TOPOLOGY_MAX_VERTICES + 2 * MTREE_TOPOLOGY_MAX_LINKS))

typedef struct {
    mtree_dot_lexer_t lexer;
    mtree_dot_token_t token; /* the next */
    mtree_status_t status;
    mtree_dot_graph_t *graph;
    mtree_dot_text_t text;
    mtree_dot_scope_t *scope; /* the innermost that is open */
    int depth;                /* scopes that are open */
    int num_subgraphs;
    mtree_dot_attribute_t *attributes; /* of the statement */
} parser_t;

static void fail(parser_t *parser, mtree_status_t status)
{
    parser->status = status;
    parser->token.kind = MTREE_DOT_END;
}

static void check_memory(parser_t *parser)
{
    if (parser->graph->arena.status != MTREE_OK && parser->status == MTREE_OK) {
        fail(parser, mtree_no_memory("the graph of %s", parser->lexer.name));
    }
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
    return parser->token.kind == MTREE_DOT_ID || parser->token.kind == MTREE_DOT_QUOTED;
}

/* ID: a word, or strings joined by '+'; "" when there is none, which is a fault. */
static const char *parse_id(parser_t *parser)
{
    char *text = parser->token.text;
    char *end;

    if (!is_id(parser)) {
        expect(parser, MTREE_DOT_ID);
        return "";
    }
    end = text + strlen(text);
    if (accept(parser, MTREE_DOT_ID)) {
        return text;
    }
    advance(parser);
    while (accept(parser, '+')) {
        if (parser->token.kind == MTREE_DOT_QUOTED) {
            const size_t length = strlen(parser->token.text);

            memmove(end, parser->token.text, length + 1);
            end += length;
        }
        expect(parser, MTREE_DOT_QUOTED);
    }
    return text;
}

/* Note that objects of @a kind may have the attribute @a name. */
static void declare(parser_t *parser, mtree_dot_kind_t kind, const char *name)
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
    graph->names[i].of_nodes |= (kind == MTREE_DOT_OF_NODES);
    graph->names[i].of_edges |= (kind == MTREE_DOT_OF_EDGES);
}

/* attr_list: any number of "[" ID "=" ID ... "]", into the parser's attributes. */
static void parse_attributes(parser_t *parser, mtree_dot_kind_t kind)
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

static void check_names(parser_t *parser)
{
    check_limit(parser, parser->text.num_mentions + parser->num_subgraphs <= MAX_NAMES,
                "more node names than the largest topology has");
}

/* The node @a name, which stands on @a line. */
static void mention_node(parser_t *parser, const char *name, int line)
{
    const int num_nodes = parser->graph->num_nodes;
    mtree_dot_node_t *node;

    if (parser->status != MTREE_OK) {
        return;
    }
    node = mtree_dot_graph_node(parser->graph, name, line);
    if (node == NULL) {
        return;
    }
    if (parser->graph->num_nodes > num_nodes) {
        mtree_dot_scope_apply(parser->scope, MTREE_DOT_OF_NODES, parser->graph,
                              &node->attributes);
    }
    mtree_dot_text_mention(&parser->text, node, line);
    check_names(parser);
}

static mtree_dot_scope_t *parse_scope(parser_t *parser, const char *name);

/* subgraph: [ "subgraph" [ ID ] ] "{" stmt_list "}" */
static mtree_dot_scope_t *parse_subgraph(parser_t *parser)
{
    const char *name = NULL;

    if (accept(parser, MTREE_DOT_SUBGRAPH) && is_id(parser)) {
        name = parse_id(parser);
    }
    ++parser->num_subgraphs;
    check_names(parser);
    return parse_scope(parser, name);
}

/* node_id, whose ID has been read: ports follow, which have no meaning here. */
static bool parse_ports(parser_t *parser)
{
    int count = 0;

    while (count < 2 && accept(parser, ':')) {
        (void)parse_id(parser);
        ++count;
    }
    return count > 0;
}

/* A subgraph, or a list of nodes, the ID of whose first, if @a id is not NULL, has been
 * read on @a line. */
static mtree_dot_operand_t parse_operand(parser_t *parser, const char *id, int line,
                                         bool *has_ports)
{
    mtree_dot_operand_t operand = {.nodes.first = parser->text.num_mentions};

    if (id == NULL && !is_id(parser)) {
        operand.subgraph = parse_subgraph(parser);
    } else {
        do {
            line = (id != NULL) ? line : parser->token.line;
            mention_node(parser, (id != NULL) ? id : parse_id(parser), line);
            *has_ports |= parse_ports(parser);
            id = NULL;
        } while (accept(parser, ','));
    }
    operand.nodes.end = parser->text.num_mentions;
    check_memory(parser);
    return operand;
}

/* node_stmt, edge_stmt or subgraph; its first ID, if @a id is not NULL, has been read. */
static void parse_chain(parser_t *parser, const char *id, int line)
{
    const int edge_operator =
        parser->graph->directed ? MTREE_DOT_DIRECTED : MTREE_DOT_UNDIRECTED;
    const int first_edge = parser->text.num_edges;
    bool has_ports = false, has_edges = false;
    mtree_dot_operand_t left = parse_operand(parser, id, line, &has_ports), right;

    while (parser->status == MTREE_OK && accept(parser, edge_operator)) {
        right = parse_operand(parser, NULL, 0, &has_ports);
        has_edges = true;
        if (parser->status == MTREE_OK) {
            check_limit(parser,
                        mtree_dot_text_join(&parser->text, parser->scope, &left, &right),
                        "more edges than the largest topology has");
        }
        left = right;
    }
    parse_attributes(parser, has_edges ? MTREE_DOT_OF_EDGES : MTREE_DOT_OF_NODES);
    if (parser->status == MTREE_OK) {
        parser->graph->has_ports |= has_ports && has_edges;
        mtree_dot_text_end(&parser->text, first_edge, has_edges ? NULL : &left,
                           parser->attributes);
    }
}

/* attr_stmt, whose first word has been read. */
static void parse_defaults(parser_t *parser, mtree_dot_kind_t kind)
{
    if (parser->token.kind != '[') {
        expect(parser, '[');
    }
    parse_attributes(parser, kind);
    if (kind != MTREE_DOT_OF_GRAPHS) {
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

    declare(parser, MTREE_DOT_OF_GRAPHS, name);
    if (parser->scope->parent == NULL) {
        mtree_dot_attributes_set(parser->graph, &parser->graph->attributes, name, value);
    }
}

static void parse_statement(parser_t *parser)
{
    const int line = parser->token.line;
    const char *id;

    if (accept(parser, MTREE_DOT_NODE)) {
        parse_defaults(parser, MTREE_DOT_OF_NODES);
    } else if (accept(parser, MTREE_DOT_EDGE)) {
        parse_defaults(parser, MTREE_DOT_OF_EDGES);
    } else if (accept(parser, MTREE_DOT_GRAPH)) {
        parse_defaults(parser, MTREE_DOT_OF_GRAPHS);
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
    check_memory(parser);
}

/* "{" stmt_list "}" of the subgraph @a name; NULL after a fault. */
static mtree_dot_scope_t *parse_scope(parser_t *parser, const char *name)
{
    mtree_dot_scope_t *outer = parser->scope;
    mtree_dot_scope_t *scope = mtree_dot_text_scope(&parser->text, outer, name);
    mtree_dot_range_t *range =
        mtree_arena_alloc(&parser->graph->arena, 1, sizeof(*range));

    check_memory(parser);
    if (scope == NULL || range == NULL) {
        return NULL;
    }
    range->first = parser->text.num_mentions;
    parser->scope = scope;
    ++parser->depth;
    check_limit(parser, parser->depth < MAX_DEPTH, "subgraphs nested too deeply");
    expect(parser, '{');
    while (parser->status == MTREE_OK && parser->token.kind != '}') {
        parse_statement(parser);
    }
    expect(parser, '}');
    --parser->depth;
    parser->scope = outer;
    range->end = parser->text.num_mentions;
    range->next = scope->ranges;
    scope->ranges = range;
    return scope;
}

/* graph: [ "strict" ] ( "graph" | "digraph" ) [ ID ] "{" stmt_list "}" */
static void parse_graph(parser_t *parser)
{
    mtree_dot_graph_t *graph = parser->graph;

    graph->strict = accept(parser, MTREE_DOT_STRICT);
    graph->directed = accept(parser, MTREE_DOT_DIGRAPH);
    if (!graph->directed) {
        expect(parser, MTREE_DOT_GRAPH);
    }
    if (is_id(parser)) {
        graph->name = parse_id(parser);
    }
    parse_scope(parser, NULL);
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
    parser.status = mtree_dot_lexer_init(&parser.lexer, text, length, name);
    if (parser.status != MTREE_OK) {
        return parser.status;
    }
    parser.graph = calloc(1, sizeof(*parser.graph));
    if (parser.graph == NULL) {
        free(parser.lexer.ids);
        return mtree_no_memory("the graph of %s", name);
    }
    parser.text.graph = parser.graph;
    parser.text.most_edges = MAX_NAMES;
    parser.graph->strings = parser.lexer.ids;
    parse_text(&parser);
    mtree_dot_text_cleanup(&parser.text);
    if (parser.status == MTREE_OK) {
        *graph_p = parser.graph;
    } else {
        mtree_dot_graph_destroy(parser.graph);
    }
    return parser.status;
}
