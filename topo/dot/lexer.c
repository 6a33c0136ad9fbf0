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

/* Is the next character part of a word?  A hyphen is if a letter, a digit or a dot
 * follows it, so that edges end words. */
static bool is_in_word(const mtree_dot_lexer_t *lexer)
{
    const size_t at = peek(lexer, 0) == '-';
    const int c = peek(lexer, at);

    return is_letter(c) || is_digit(c) || c == '.';
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
    const bool is_hyphen = peek(lexer, 0) == '-' && is_letter(peek(lexer, 1));
    mtree_status_t status = MTREE_OK;

    token->text = lexer->ids_end;
    if (*lexer->at == '"') {
        token->kind = MTREE_DOT_ID;
        status = read_quoted(lexer, token->line);
    } else if (is_in_word(lexer) && !is_hyphen) {
        while (is_in_word(lexer)) {
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

mtree_status_t mtree_dot_lexer_refuse(const mtree_dot_lexer_t *lexer,
                                      const mtree_dot_token_t *token)
{
    size_t length = 0;

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
                    "mtree import reads GML, GraphML, Slurm's and tables",
                    lexer->name, token->line, (int)length, token->start);
    } else {
        mtree_error("%s:%d: syntax error near '%.*s'; docs/topology-file.md has an "
                    "example",
                    lexer->name, token->line, (int)length, token->start);
    }
    return MTREE_ERR_INVALID;
}
