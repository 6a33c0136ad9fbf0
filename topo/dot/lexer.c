/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/lexer.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A longer token or comment is a quote that was left open, or no topology. */
#define MAX_TOKEN (1u << 20)

static const char byte_order_mark[] = "\xef\xbb\xbf";

mtree_status_t mtree_dot_lexer_init(mtree_dot_lexer_t *lexer, const char *text,
                                    size_t length, const char *name)
{
    *lexer = (mtree_dot_lexer_t){
        .begin = text, .at = text, .end = text + length, .line = 1, .name = name};
    /* Each token has a character at least, and its ID one more than it at most. */
    lexer->ids = lexer->ids_end = malloc(2 * length + 1);
    if (lexer->ids == NULL) {
        return mtree_no_memory("the %zu bytes of %s", length, name);
    }
    return MTREE_OK;
}

static int peek(const mtree_dot_lexer_t *lexer, size_t ahead)
{
    return (ahead < (size_t)(lexer->end - lexer->at)) ? (unsigned char)lexer->at[ahead]
                                                      : '\0';
}

static bool is_at(const mtree_dot_lexer_t *lexer, const char *text)
{
    const size_t length = strlen(text);

    return length <= (size_t)(lexer->end - lexer->at) &&
           memcmp(lexer->at, text, length) == 0;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static void advance(mtree_dot_lexer_t *lexer)
{
    lexer->line += (*lexer->at == '\n');
    ++lexer->at;
}

/* Add the next character to the ID that is being read. */
static void keep(mtree_dot_lexer_t *lexer)
{
    *lexer->ids_end++ = *lexer->at;
    advance(lexer);
}

static mtree_status_t check_length(const mtree_dot_lexer_t *lexer, const char *start,
                                   int line)
{
    if ((size_t)(lexer->at - start) > MAX_TOKEN) {
        mtree_error("%s:%d: a word, string or comment over 1 MiB; mtree takes no larger "
                    "file",
                    lexer->name, line);
        return MTREE_ERR_LIMIT;
    }
    return MTREE_OK;
}

static mtree_status_t refuse_unclosed(const mtree_dot_lexer_t *lexer, int line)
{
    mtree_error("%s:%d: syntax error: a string or comment begins here and does not end; "
                "close it",
                lexer->name, line);
    return MTREE_ERR_INVALID;
}

static void skip_line(mtree_dot_lexer_t *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        ++lexer->at;
    }
}

static mtree_status_t skip_block_comment(mtree_dot_lexer_t *lexer)
{
    const int line = lexer->line;

    lexer->at += strlen("/*");
    while (!is_at(lexer, "*/")) {
        if (lexer->at == lexer->end) {
            return refuse_unclosed(lexer, line);
        }
        advance(lexer);
    }
    lexer->at += strlen("*/");
    return MTREE_OK;
}

/* Pass blanks, comments, and lines of a preprocessor, whose line numbers are not used. */
static mtree_status_t skip_blanks(mtree_dot_lexer_t *lexer)
{
    mtree_status_t status = MTREE_OK;

    while (lexer->at < lexer->end && status == MTREE_OK) {
        const char *start = lexer->at;
        const int line = lexer->line;

        if (*start == '#' || is_at(lexer, "//")) {
            skip_line(lexer);
        } else if (is_at(lexer, "/*")) {
            status = skip_block_comment(lexer);
        } else if (is_at(lexer, byte_order_mark)) {
            lexer->at += strlen(byte_order_mark);
        } else if (strchr(" \t\r\n", *start) != NULL) {
            advance(lexer);
        } else {
            break;
        }
        status = status == MTREE_OK ? check_length(lexer, start, line) : status;
    }
    return status;
}

/* "...", in which \" is a quote, \\ remains as it is, and \ joins lines. */
static mtree_status_t read_quoted(mtree_dot_lexer_t *lexer, int line)
{
    ++lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"') {
        if (is_at(lexer, "\\\n")) {
            ++lexer->at;
            advance(lexer);
        } else if (is_at(lexer, "\\\\")) {
            keep(lexer);
            keep(lexer);
        } else {
            lexer->at += is_at(lexer, "\\\"");
            keep(lexer);
        }
    }
    if (lexer->at == lexer->end) {
        return refuse_unclosed(lexer, line);
    }
    ++lexer->at;
    return MTREE_OK;
}

/* <...>, whose brackets nest; the outer ones are not part of the ID. */
static mtree_status_t read_html(mtree_dot_lexer_t *lexer, int line)
{
    int depth = 1;

    ++lexer->at;
    while (lexer->at < lexer->end) {
        depth += (*lexer->at == '<') - (*lexer->at == '>');
        if (depth == 0) {
            ++lexer->at;
            return MTREE_OK;
        }
        keep(lexer);
    }
    return refuse_unclosed(lexer, line);
}

/* Bytes of the number that begins here; 0: none does. */
static size_t number_length(const mtree_dot_lexer_t *lexer)
{
    const size_t sign = (peek(lexer, 0) == '-');
    size_t length = sign;

    while (is_digit(peek(lexer, length))) {
        ++length;
    }
    if (peek(lexer, length) == '.' &&
        (length > sign || is_digit(peek(lexer, length + 1)))) {
        do {
            ++length;
        } while (is_digit(peek(lexer, length)));
    }
    return length > sign ? length : 0;
}

static mtree_status_t read_number(mtree_dot_lexer_t *lexer, size_t length)
{
    const int next = peek(lexer, length);

    if (is_letter(next) || next == '.') {
        mtree_error("%s:%d: syntax error near '%.*s': a number runs into a name; quote "
                    "the whole",
                    lexer->name, lexer->line, (int)(length + 1), lexer->at);
        return MTREE_ERR_INVALID;
    }
    while (length-- > 0) {
        keep(lexer);
    }
    return MTREE_OK;
}

/* MTREE_DOT_ID unless it is a keyword, in capital letters or small ones. */
static int name_kind(const char *name)
{
    static const char *const keywords[] = {"strict", "graph", "digraph",
                                           "node",   "edge",  "subgraph"};

    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); ++i) {
        if (strcasecmp(name, keywords[i]) == 0) {
            return MTREE_DOT_STRICT + (int)i;
        }
    }
    return MTREE_DOT_ID;
}

/* Read what is neither blank nor the end; of an ID also the text. */
static mtree_status_t read_token(mtree_dot_lexer_t *lexer, mtree_dot_token_t *token)
{
    const size_t number = number_length(lexer);
    mtree_status_t status = MTREE_OK;

    token->text = lexer->ids_end;
    if (*lexer->at == '"' || *lexer->at == '<') {
        token->kind = MTREE_DOT_QUOTED;
        status = (*lexer->at == '"') ? read_quoted(lexer, token->line)
                                     : read_html(lexer, token->line);
    } else if (number > 0) {
        token->kind = MTREE_DOT_ID;
        status = read_number(lexer, number);
    } else if (is_letter(peek(lexer, 0))) {
        while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0))) {
            keep(lexer);
        }
        *lexer->ids_end = '\0';
        token->kind = name_kind(token->text);
    } else {
        token->text = NULL;
        token->kind = is_at(lexer, "--")   ? MTREE_DOT_UNDIRECTED
                      : is_at(lexer, "->") ? MTREE_DOT_DIRECTED
                                           : peek(lexer, 0);
        lexer->at += token->kind > MTREE_DOT_END ? 2 : 1;
        return MTREE_OK;
    }
    *lexer->ids_end++ = '\0';
    return status;
}

mtree_status_t mtree_dot_lexer_next(mtree_dot_lexer_t *lexer, mtree_dot_token_t *token)
{
    mtree_status_t status = skip_blanks(lexer);

    *token = (mtree_dot_token_t){
        .kind = MTREE_DOT_END, .start = lexer->at, .line = lexer->line};
    if (status != MTREE_OK || lexer->at == lexer->end) {
        return status;
    }
    status = read_token(lexer, token);
    token->length = (size_t)(lexer->at - token->start);
    return status == MTREE_OK ? check_length(lexer, token->start, token->line) : status;
}

/* May @a at be within a name that people forget to quote, host-1.example.org? */
static bool is_bare(const mtree_dot_lexer_t *lexer, const char *at)
{
    const bool is_edge =
        *at == '-' && ((at > lexer->begin && at[-1] == '-') ||
                       (at + 1 < lexer->end && (at[1] == '-' || at[1] == '>')));

    return is_letter((unsigned char)*at) || is_digit(*at) || *at == '.' ||
           (*at == '-' && !is_edge);
}

/* The length of the name that should have been quoted around @a token, a '-' or '.' or
 * what begins with one, and its begin; 0: there is none. */
static size_t bare_name_length(const mtree_dot_lexer_t *lexer, const char *token,
                               const char **name_p)
{
    const char *end = token;

    *name_p = token;
    while (*name_p > lexer->begin && is_bare(lexer, *name_p - 1)) {
        --*name_p;
    }
    while (end < lexer->end && is_bare(lexer, end)) {
        ++end;
    }
    return *name_p < token && token < end && (*token == '-' || *token == '.')
               ? (size_t)(end - *name_p)
               : 0;
}

mtree_status_t mtree_dot_lexer_refuse(const mtree_dot_lexer_t *lexer,
                                      const mtree_dot_token_t *token)
{
    size_t length = 0;
    const char *name;
    const size_t bare =
        token->length == 0 ? 0 : bare_name_length(lexer, token->start, &name);

    if (bare > 0) {
        mtree_error("%s:%d: syntax error near '%c'; a name with '-' or '.' needs quotes: "
                    "\"%.*s\"",
                    lexer->name, token->line, *token->start, (int)bare, name);
        return MTREE_ERR_INVALID;
    }
    while (length < token->length && strchr("\r\n", token->start[length]) == NULL) {
        ++length;
    }
    if (token->kind == MTREE_DOT_END) {
        mtree_error("%s:%d: syntax error near the end; docs/topology-file.md has an "
                    "example",
                    lexer->name, token->line);
    } else if (token->kind == MTREE_DOT_UNDIRECTED || token->kind == MTREE_DOT_DIRECTED) {
        mtree_error(
            "%s:%d: syntax error near '%.*s'; edges are written a -- b in a graph, "
            "a -> b in a digraph",
            lexer->name, token->line, (int)length, token->start);
    } else if (memchr(lexer->begin, '{', (size_t)(token->start - lexer->begin)) == NULL) {
        /* What is wrong before the first brace is another format. */
        mtree_error("%s:%d: syntax error near '%.*s'; topology files begin with graph {; "
                    "mtree import reads GML, GraphML, hwloc's XML, Slurm's and tables",
                    lexer->name, token->line, (int)length, token->start);
    } else {
        mtree_error("%s:%d: syntax error near '%.*s'; docs/topology-file.md has an "
                    "example",
                    lexer->name, token->line, (int)length, token->start);
    }
    return MTREE_ERR_INVALID;
}
