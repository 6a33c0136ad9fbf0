/* SPDX-License-Identifier: BSD-3-Clause */
/* The parser of DOT: each rule of the language, and each fault. */
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "topo/dot/parse.h"

OWNED_TYPE(dot_graph)

static void write_attributes(FILE *out, const mtree_dot_attribute_t *list)
{
    for (; list != NULL; list = list->next) {
        fprintf(out, " %s=%s", list->name, list->value);
    }
}

/* A graph in one line: its nodes and edges with their lines and attributes. */
static char *write_graph(const mtree_dot_graph_t *graph)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    fprintf(out, "%s %s:", graph->directed ? "digraph" : "graph",
            graph->name != NULL ? graph->name : "-");
    for (int i = 0; i < graph->num_nodes; ++i) {
        ck_assert_int_eq(graph->nodes[i]->index, i);
        fprintf(out, " %s@%d", graph->nodes[i]->name, graph->nodes[i]->line);
        write_attributes(out, graph->nodes[i]->attributes);
    }
    for (int i = 0; i < graph->num_edges; ++i) {
        fprintf(out, "; %s-%s@%d", graph->edges[i]->tail->name,
                graph->edges[i]->head->name, graph->edges[i]->line);
        write_attributes(out, graph->edges[i]->attributes);
    }
    fclose(out);
    return text;
}

static const struct {
    const char *text, *graph;
} good[] = {
    /* Headers. */
    {"graph {}", "graph -:"},
    {"GRAPH net {}", "graph net:"},
    {"strict DiGraph \"a b\" {\n}\n", "digraph a b:"},
    /* Words, numbers, strings. */
    {"graph { _a1; \xc3\xa9; 7; -7; .5; -1.5; 2.; 1a }",
     "graph -: _a1@1 \xc3\xa9@1 7@1 -7@1 .5@1 -1.5@1 2.@1 1a@1"},
    {"graph { node-1.example.org 10.0.0.1 a-5--b-c---2 }",
     "graph -: node-1.example.org@1 10.0.0.1@1 a-5@1 b-c@1 -2@1; a-5-b-c@1; b-c--2@1"},
    {"digraph { a-b->c }", "digraph -: a-b@1 c@1; a-b-c@1"},
    {"graph { \"a \\\"b\\\"\" \"c\\\nd\" \"e\\\\\" \"f\\g\" \"\" }",
     "graph -: a \"b\"@1 cd@1 e\\\\@2 f\\g@2 @2"},
    {"graph { \"a<b>\"; \"node\" }", "graph -: a<b>@1 node@1"},
    {"graph { \"a\nb\" c }", "graph -: a\nb@1 c@2"},
    /* Blanks and comments. */
    {"\xef\xbb\xbf// x {\n# 7 \"file\"\ngraph/* { \n*/{\r\n\ta # b\n/**/c}",
     "graph -: a@5 c@6"},
    /* Statements and their ends. */
    {"graph { a; b c\nd }", "graph -: a@1 b@1 c@1 d@2"},
    {"graph { a [x=1]; c = d graph [e=f] }", "graph -: a@1 x=1"},
    {"graph { a [x=1,y=2;z=3 u=4][x=5][] }", "graph -: a@1 x=5 y=2 z=3 u=4"},
    /* Edges. */
    {"graph { a -- b }", "graph -: a@1 b@1; a-b@1"},
    {"graph { a--b--a }", "graph -: a@1 b@1; a-b@1; b-a@1"},
    {"digraph { a->b\n->c [x=1] }", "digraph -: a@1 b@1 c@2; a-b@1 x=1; b-c@2 x=1"},
    {"graph { a:p -- b:q:n [x=1]; c:p [y=2] }", "graph -: a@1 b@1 c@1 y=2; a-b@1 x=1"},
    /* Subgraphs. */
    {"graph { {b a} -- {c\nd d} }",
     "graph -: b@1 a@1 c@1 d@2; b-c@1; b-d@2; a-c@1; a-d@2"},
    {"graph { a b { b a } -- c }", "graph -: a@1 b@1 c@1; b-c@1; a-c@1"},
    {"graph { a -- subgraph { b -- c } -- {} -- d }",
     "graph -: a@1 b@1 c@1 d@1; b-c@1; a-b@1; a-c@1"},
    {"graph { subgraph x {a} SubGraph x {b} -- c }", "graph -: a@1 b@1 c@1; b-c@1"},
    {"graph { subgraph \"x\" {{a} b {c}} -- d [k=v] {e}[k=w] }",
     "graph -: a@1 b@1 c@1 d@1 e@1; a-d@1 k=v; b-d@1 k=v; c-d@1 k=v"},
    /* Defaults. */
    {"graph { a node [k=1] b {c} node [k=2 l=3] d b }",
     "graph -: a@1 b@1 k=1 c@1 k=1 d@1 k=2 l=3"},
    {"graph { node [k=1] { node [k=2] a } b; c [k=3] a }",
     "graph -: a@1 k=2 b@1 k=1 c@1 k=3"},
    {"graph { edge [k=1] a--b { Edge [l=2] a--b } a--b [k=3] }",
     "graph -: a@1 b@1; a-b@1 k=1; a-b@1 k=1 l=2; a-b@1 k=3"},
    /* Edges that are the same. */
    {"strict graph { a--b [k=1] b--a [k=2] }", "graph -: a@1 b@1; a-b@1 k=1; b-a@1 k=2"},
    {"graph { a--b [key=1] b--a [key=1 k=2] }",
     "graph -: a@1 b@1; a-b@1 key=1; b-a@1 key=1 k=2"},
    {"graph { a -- b -- { c -- d [k=1] } [k=2] }",
     "graph -: a@1 b@1 c@1 d@1; a-b@1 k=2; c-d@1 k=1; b-c@1 k=2; b-d@1 k=2"},
};

UNIT_EACH(test_good_text, good)
{
    OWNED(dot_graph) *graph = NULL;
    UNIT_FREED char *text = NULL;

    unit_ok(mtree_dot_parse(good[_i].text, strlen(good[_i].text), "t.dot", &graph));
    text = write_graph(graph);
    ck_assert_str_eq(text, good[_i].graph);
    ck_assert_int_eq(heard_lines(), 0);
}

/* Text that is wrong, and the message. */
static const struct {
    const char *text, *message;
} bad[] = {
    {"", "t.dot:1: not a DOT graph"},
    {" // graph {}\n\n", "t.dot:1: not a DOT graph"},
    {"{}", "t.dot:1: syntax error near '{'"},
    {"strict {}", "t.dot:1: syntax error near '{'"},
    {"graph\n{", "t.dot:2: syntax error near the end"},
    {"graph a b {}", "t.dot:1: syntax error near 'b'"},
    {"graph {}\n}", "t.dot:2: syntax error near '}'"},
    {"graph {}\nstrict graph {}", "t.dot: holds 2 graphs, of which the second begins on "
                                  "line 2"},
    {"graph {} digraph {", "t.dot: holds 2 graphs"},
    {"graph { a; }\njunk", "t.dot:2: syntax error near 'junk'"},
    {"graph { a;; }", "t.dot:1: syntax error near ';'"},
    {"graph { a -- }", "t.dot:1: syntax error near '}'"},
    {"graph { a -> b }", "t.dot:1: syntax error near '->'"},
    {"graph { a->b }", "t.dot:1: syntax error near '->'; edges are written a -- b"},
    {"digraph { a -- b }",
     "t.dot:1: syntax error near '--'; edges are written a -- b in a graph, a -> b in a "
     "digraph"},
    {"graph { a - b }", "t.dot:1: syntax error near '-'"},
    {"graph { a -b }", "t.dot:1: syntax error near '-'"},
    {"graph { a:; }", "t.dot:1: syntax error near ';'"},
    {"graph { a:b:c:d }", "t.dot:1: syntax error near ':'"},
    {"graph { a, b }", "t.dot:1: syntax error near ','"},
    {"graph { a [label=<b>] }", "t.dot:1: syntax error near '<'"},
    {"graph { node a }", "t.dot:1: syntax error near 'a'"},
    {"graph { edge; }", "t.dot:1: syntax error near ';'"},
    {"graph { graph = a }", "t.dot:1: syntax error near '='"},
    {"graph { a = ; }", "t.dot:1: syntax error near ';'"},
    {"graph { a [x] }", "t.dot:1: syntax error near ']'"},
    {"graph { a [x=] }", "t.dot:1: syntax error near ']'"},
    {"graph { a [x=1,,y=2] }", "t.dot:1: syntax error near ','"},
    {"graph { a [x=1 }", "t.dot:1: syntax error near '}'"},
    {"graph { subgraph }", "t.dot:1: syntax error near '}'"},
    {"graph { subgraph x y {} }", "t.dot:1: syntax error near 'y'"},
    {"graph { strict }", "t.dot:1: syntax error near 'strict'"},
    {"graph { a + \"b\" }", "t.dot:1: syntax error near '+'"},
    {"graph { a\n\n\"b\nc\" = }", "t.dot:4: syntax error near '}'"},
    {"graph { a [ \"b\nc\" }", "t.dot:2: syntax error near '}'"},
    {"graph { a [x=y z=\"b\nc\" = ] }", "t.dot:2: syntax error near '='"},
    {"graph { @ }", "t.dot:1: syntax error near '@'"},
    {"graph {\f}", "t.dot:1: syntax error near '?'"},
    {"graph {\n a \"b\n", "t.dot:2: syntax error: a string or comment begins here"},
    {"graph {\n a \"b\\", "t.dot:2: syntax error: a string or comment begins here"},
    {"graph {}\n/*/", "t.dot:2: syntax error: a string or comment begins here"},
};

UNIT_EACH(test_bad_text, bad)
{
    mtree_dot_graph_t *graph = NULL;

    unit_invalid(mtree_dot_parse(bad[_i].text, strlen(bad[_i].text), "t.dot", &graph));
    ck_assert_ptr_null(graph);
    heard_line(bad[_i].message);
}

UNIT_TEST(test_attribute_names)
{
    static const char text[] = "graph { a [x=1] a--a [x=1 y=2] node [z=1] u=v }";
    static const struct {
        const char *name;
        bool of_nodes, of_edges;
    } names[] = {
        {"x", true, true}, {"y", false, true}, {"z", true, false}, {"u", false, false}};
    OWNED(dot_graph) *graph = NULL;

    unit_ok(mtree_dot_parse(text, strlen(text), "t.dot", &graph));
    ck_assert_int_eq(graph->num_names, 4);
    for (int i = 0; i < 4; ++i) {
        ck_assert_str_eq(graph->names[i].name, names[i].name);
        ck_assert_int_eq(graph->names[i].of_nodes, names[i].of_nodes);
        ck_assert_int_eq(graph->names[i].of_edges, names[i].of_edges);
    }
    ck_assert_str_eq(mtree_dot_attributes_get(graph->edges[0]->attributes, "y"), "2");
    ck_assert_ptr_null(mtree_dot_attributes_get(graph->edges[0]->attributes, "z"));
    mtree_dot_graph_destroy(NULL);
}

/* A text that is refused for its size: @a count times @a part after @a start. */
static const struct {
    const char *start, *part;
    int count;
    const char *message;
} large[] = {
    {"graph", "{", 64, "t.dot:1: subgraphs nested too deeply"},
    {"graph{\n", "{}", 1100000, "t.dot:2: more node names than"},
    {"graph{\n", "a ", 1100000, "t.dot:2: more node names than"},
    {"graph{{a b c d e f g h i j k l m n o p q r s t u v w x y z 1 2 3 4 5 6}\n",
     "--{a b c d e f g h i j k l m n o p q r s t u v w x y z 1 2 3 4 5 6}", 1100,
     "t.dot:2: more edges than"},
    {"graph {\n\n", "w", 1 << 21, "t.dot:3: a word, string or comment over 1 MiB"},
    {"graph {\n\n\"", "w", 1 << 21, "t.dot:3: syntax error: a string or comment begins"},
    {"graph {\n//", "w", 1 << 21, "t.dot:2: a word, string or comment over 1 MiB"},
};

UNIT_EACH(test_large_text, large)
{
    const size_t start = strlen(large[_i].start);
    const size_t part = strlen(large[_i].part);
    const size_t length = start + part * (size_t)large[_i].count;
    mtree_dot_graph_t *graph = NULL;
    UNIT_FREED char *text = malloc(length + 1);

    strcpy(text, large[_i].start);
    for (int i = 0; i < large[_i].count; ++i) {
        memcpy(text + start + part * (size_t)i, large[_i].part, part);
    }
    ck_assert_int_ne(mtree_dot_parse(text, length, "t.dot", &graph), MTREE_OK);
    heard_line(large[_i].message);
}

UNIT_TEST(test_blanks_of_any_number)
{
    enum { BLANKS = 3 << 20 };
    OWNED(dot_graph) *graph = NULL;
    UNIT_FREED char *text = malloc(BLANKS);

    memset(text, ' ', BLANKS);
    memcpy(text, "graph {", 7);
    text[BLANKS - 1] = '}';
    unit_ok(mtree_dot_parse(text, BLANKS, "t.dot", &graph));
}

/* 63 names of attributes are taken, and 63 pairs of braces; one more is not. */
UNIT_TEST(test_limits_are_exact)
{
    char text[4096];

    for (int count = 63; count <= 64; ++count) {
        const mtree_status_t expected = count == 63 ? MTREE_OK : MTREE_ERR_LIMIT;
        OWNED(dot_graph) *graph = NULL;
        size_t at = (size_t)sprintf(text, "graph { a [");

        for (int i = 0; i < count; ++i) {
            at += (size_t)sprintf(text + at, "a%d=1 ", i);
        }
        at += (size_t)sprintf(text + at, "a0=2] }");
        ck_assert_int_eq(mtree_dot_parse(text, at, "t.dot", &graph), expected);
        mtree_dot_graph_destroy(graph);
        graph = NULL;
        if (count == 64) {
            heard_line("t.dot:1: too many different attributes");
        }
        at = (size_t)sprintf(
            text, "graph%.*s%.*s", count,
            "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", count,
            "}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}");
        ck_assert_int_eq(mtree_dot_parse(text, at, "t.dot", &graph), expected);
    }
}

UNIT_TEST(test_nul_byte)
{
    mtree_dot_graph_t *graph = NULL;

    unit_invalid(mtree_dot_parse("graph {\0}", 9, "t.dot", &graph));
    heard_is("t.dot: holds a NUL byte: not a DOT file");
    ck_assert_int_eq(heard_lines(), 1);
}
