/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/lexer.h"

#include "base/log.h"
#include "topo/topology.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH      64
#define MAX_WORD       (1u << 20) /* cgraph's lexer takes time with its square */
#define MAX_ATTRIBUTES 64
/* Each link names two nodes, each node may be declared; twice that leaves room for
 * subgraphs. */
#define MAX_NAMES (2 * (MTREE_TOPOLOGY_MAX_VERTICES + 2 * MTREE_TOPOLOGY_MAX_LINKS))

typedef enum { TOKEN_END, TOKEN_ID, TOKEN_EDGE, TOKEN_PUNCTUATION } token_kind_t;

typedef struct {
    token_kind_t kind;
    char punctuation; /* { } [ ] = : and the like */
    bool quoted;      /* never a keyword */
    const char *start;
    size_t length;
    int line; /* on which it starts */
} token_t;

typedef struct {
    const char *at, *end;
    int line;
    bool line_start; /* nothing but blanks since the last newline */
    int open_line;   /* of a string or comment that the text ends in; 0: none */
    size_t longest;  /* bytes of a word, string or comment so far */
} scanner_t;

static void scanner_init(scanner_t *scanner, const char *text, size_t length)
{
    *scanner =
        (scanner_t){.at = text, .end = text + length, .line = 1, .line_start = true};
}

static int peek(const scanner_t *scanner, size_t ahead)
{
    return (ahead < (size_t)(scanner->end - scanner->at))
               ? (unsigned char)scanner->at[ahead]
               : '\0';
}

static void advance(scanner_t *scanner)
{
    scanner->line_start = (*scanner->at == '\n');
    scanner->line += scanner->line_start;
    ++scanner->at;
}

static void measure(scanner_t *scanner, const char *start)
{
    const size_t length = (size_t)(scanner->at - start);

    scanner->longest = length > scanner->longest ? length : scanner->longest;
}

static void skip_line(scanner_t *scanner)
{
    const char *start = scanner->at;

    while (scanner->at < scanner->end && *scanner->at != '\n') {
        ++scanner->at;
    }
    measure(scanner, start);
}

/* The text ends in what was opened at line @a line unless it is closed here. */
static void expect_closed(scanner_t *scanner, int line)
{
    if (scanner->at == scanner->end) {
        scanner->open_line = line;
    }
}

static void skip_block_comment(scanner_t *scanner)
{
    const int line = scanner->line;
    const char *start = scanner->at;

    scanner->at += 2;
    while (scanner->at < scanner->end &&
           !(peek(scanner, 0) == '*' && peek(scanner, 1) == '/')) {
        advance(scanner);
    }
    measure(scanner, start);
    expect_closed(scanner, line);
    scanner->at += (scanner->at < scanner->end) ? 2 : 0;
}

static void skip_blanks(scanner_t *scanner)
{
    while (scanner->at < scanner->end) {
        if (scanner->line_start && *scanner->at == '#') {
            skip_line(scanner); /* a preprocessor line */
        } else if (peek(scanner, 0) == '/' && peek(scanner, 1) == '/') {
            skip_line(scanner);
        } else if (peek(scanner, 0) == '/' && peek(scanner, 1) == '*') {
            skip_block_comment(scanner);
        } else if (strchr(" \t\r\n\f\v", *scanner->at) != NULL) {
            advance(scanner);
        } else {
            break;
        }
    }
}

static bool is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c >= 0x80;
}

/* The content of "...": the quotes are not part of the token. */
static void scan_quoted(scanner_t *scanner, token_t *token)
{
    token->quoted = true;
    token->start = ++scanner->at;
    while (scanner->at < scanner->end && *scanner->at != '"') {
        if (*scanner->at == '\\' && scanner->at + 1 < scanner->end) {
            advance(scanner);
        }
        advance(scanner);
    }
    token->length = (size_t)(scanner->at - token->start);
    expect_closed(scanner, token->line);
    scanner->at += (scanner->at < scanner->end) ? 1 : 0;
}

/* <...>, whose brackets nest. */
static void scan_html(scanner_t *scanner, token_t *token)
{
    int depth = 0;

    token->quoted = true;
    token->start = scanner->at;
    do {
        depth += (*scanner->at == '<') - (*scanner->at == '>');
        advance(scanner);
    } while (scanner->at < scanner->end && depth > 0);
    token->length = (size_t)(scanner->at - token->start);
    if (depth > 0) {
        expect_closed(scanner, token->line);
    }
}

static token_t scan(scanner_t *scanner)
{
    token_t token = {.kind = TOKEN_END};
    int c, next;

    skip_blanks(scanner);
    token.line = scanner->line;
    token.start = scanner->at;
    if (scanner->at == scanner->end) {
        return token;
    }
    scanner->line_start = false;
    token.kind = TOKEN_ID;
    c = peek(scanner, 0);
    next = peek(scanner, 1);
    if (c == '"') {
        scan_quoted(scanner, &token);
    } else if (c == '<') {
        scan_html(scanner, &token);
    } else if (c == '-' && (next == '-' || next == '>')) {
        token.kind = TOKEN_EDGE;
        scanner->at += 2;
    } else if (is_word(c) || (c == '-' && is_word(next))) {
        do {
            ++scanner->at;
        } while (is_word(peek(scanner, 0)));
        token.length = (size_t)(scanner->at - token.start);
    } else {
        token.kind = TOKEN_PUNCTUATION;
        token.punctuation = (char)c;
        ++scanner->at;
    }
    measure(scanner, token.start);
    return token;
}

static bool token_is(const token_t *token, const char *name)
{
    return token->kind == TOKEN_ID && token->length == strlen(name) &&
           memcmp(token->start, name, token->length) == 0;
}

/* What a DOT text would make cgraph build, from above. */
typedef struct {
    int64_t names; /* each counted in every subgraph that it joins */
    int64_t edges;
    int brackets;
    int depth;
    struct {
        int64_t names;   /* in these braces */
        int64_t operand; /* nodes that the last operand may stand for */
        int64_t left;    /* the same before a pending edge operator; 0: none is pending */
        bool named; /* the last operand follows the word subgraph: it may hold any node */
    } level[MAX_DEPTH];
    uint64_t attributes[MAX_ATTRIBUTES]; /* hashes of the names seen */
    int num_attributes;
    token_t last_id;
} census_t;

static void census_operand(census_t *census, int64_t operand)
{
    int depth = census->depth;

    if (census->level[depth].named) {
        operand = census->names;
    }
    if (census->level[depth].left > 0) {
        census->edges += census->level[depth].left * operand * (depth + 1);
        census->level[depth].left = 0;
    }
    census->level[depth].operand = operand;
}

static void census_attribute(census_t *census)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    size_t i;
    int j;

    for (i = 0; i < census->last_id.length; ++i) {
        hash = (hash ^ (unsigned char)census->last_id.start[i]) * 1099511628211u;
    }
    for (j = 0; j < census->num_attributes && census->attributes[j] != hash; ++j) {}
    if (j == census->num_attributes && j < MAX_ATTRIBUTES) {
        census->attributes[census->num_attributes++] = hash;
    }
}

static void census_id(census_t *census, const token_t *token)
{
    int depth = census->depth;

    census->last_id = *token;
    if (census->brackets > 0) {
        return;
    }
    if (!token->quoted && token->length == strlen("subgraph") &&
        strncasecmp(token->start, "subgraph", token->length) == 0) {
        census->level[depth].named = true;
        return;
    }
    census->names += depth + 1;
    census->level[depth].names += 1;
    census_operand(census, 1);
}

static void census_punctuation(census_t *census, char punctuation)
{
    int64_t inner;

    switch (punctuation) {
    case '[':
        ++census->brackets;
        break;
    case ']':
        census->brackets -= (census->brackets > 0);
        break;
    case '=':
        census_attribute(census);
        break;
    case '{':
        ++census->depth;
        if (census->depth < MAX_DEPTH) {
            memset(&census->level[census->depth], 0, sizeof(census->level[0]));
        }
        break;
    case '}':
        if (census->depth > 0) {
            inner = census->level[census->depth].names;
            --census->depth;
            census->level[census->depth].names += inner;
            census_operand(census, inner);
            census->level[census->depth].named = false;
        }
        break;
    case ';':
        census->level[census->depth].named = false;
        break;
    default:
        break;
    }
}

/* What is over its limit, or NULL. */
static const char *census_excess(const census_t *census)
{
    if (census->names > MAX_NAMES) {
        return "more node names than the largest topology has";
    }
    if (census->edges > MAX_NAMES) {
        return "more edges than the largest topology has";
    }
    if (census->depth >= MAX_DEPTH) {
        return "subgraphs nested too deeply";
    }
    if (census->num_attributes >= MAX_ATTRIBUTES) {
        return "too many different attributes";
    }
    return NULL;
}

mtree_status_t mtree_dot_scan_check(const char *text, size_t length, const char *name)
{
    census_t census = {0};
    const char *excess;
    scanner_t scanner;
    token_t token;

    if (memchr(text, '\0', length) != NULL) {
        mtree_error("%s: holds a NUL byte: not a DOT file", name);
        return MTREE_ERR_INVALID;
    }
    scanner_init(&scanner, text, length);
    do {
        token = scan(&scanner);
        if (token.kind == TOKEN_ID) {
            census_id(&census, &token);
        } else if (token.kind == TOKEN_EDGE) {
            census.level[census.depth].left = census.level[census.depth].operand;
            census.level[census.depth].named = false;
        } else {
            census_punctuation(&census, token.punctuation);
        }
        excess = scanner.longest > MAX_WORD ? "a word, string or comment over 1 MiB"
                                            : census_excess(&census);
        if (excess != NULL) {
            mtree_error("%s:%d: %s; mtree takes no larger file", name, token.line,
                        excess);
            return MTREE_ERR_LIMIT;
        }
    } while (token.kind != TOKEN_END);
    /* cgraph's lexer would go on in it when it reads the next text. */
    if (scanner.open_line > 0) {
        mtree_error(
            "%s:%d: syntax error: a string or comment begins here and does not end; "
            "close it",
            name, scanner.open_line);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

int mtree_dot_scan_node_line(const char *text, size_t length, const char *node)
{
    int brackets = 0;
    scanner_t scanner;
    token_t token;

    scanner_init(&scanner, text, length);
    while ((token = scan(&scanner)).kind != TOKEN_END) {
        brackets += (token.punctuation == '[') - (token.punctuation == ']');
        if (brackets == 0 && token_is(&token, node)) {
            return token.line;
        }
    }
    return 1;
}

static bool joins(const token_t *left, const token_t *right, const char *tail,
                  const char *head)
{
    return (token_is(left, tail) && token_is(right, head)) ||
           (token_is(left, head) && token_is(right, tail));
}

int mtree_dot_scan_edge_line(const char *text, size_t length, const char *tail,
                             const char *head, int occurrence)
{
    token_t left = {.kind = TOKEN_END};
    bool edge = false, port = false;
    int brackets = 0;
    scanner_t scanner;
    token_t token;

    scanner_init(&scanner, text, length);
    while ((token = scan(&scanner)).kind != TOKEN_END) {
        brackets += (token.punctuation == '[') - (token.punctuation == ']');
        if (brackets > 0) {
            continue;
        }
        if (token.kind == TOKEN_EDGE) {
            edge = true;
        } else if (token.kind == TOKEN_PUNCTUATION) {
            port = (token.punctuation == ':');
            edge = edge && port;
        } else if (port) {
            port = false; /* the name of the port: the node before it stays on the left */
        } else {
            if (edge && joins(&left, &token, tail, head) && occurrence-- == 0) {
                return token.line;
            }
            left = token;
            edge = false;
        }
    }
    return mtree_dot_scan_node_line(text, length, head);
}
