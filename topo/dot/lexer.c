/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/lexer.h"

#include "base/log.h"

#include <string.h>
#include <strings.h>

/* A longer token or comment is a quote that was left open, or no topology. */
#define MAX_TOKEN (1u << 20)

static const char byte_order_mark[] = "\xef\xbb\xbf";

void mtree_dot_lexer_init(mtree_dot_lexer_t *lexer, const char *text, size_t length,
                          const char *name, mtree_arena_t *arena)
{
    /* Each token has a character at least, and its ID one more than it at most. */
    char *memory = mtree_arena_alloc(arena, 3 * length + 2, 1);

    memcpy(memory + 2 * length + 1, text, length);
    memory[3 * length + 1] = '\0';
    *lexer = (mtree_dot_lexer_t){.begin = memory + 2 * length + 1,
                                 .at = memory + 2 * length + 1,
                                 .line = 1,
                                 .name = name,
                                 .ids_end = memory};
}

/* The bytes at the begin of @a text that are @a prefix; 0: it has another. */
static size_t is_at(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? length : 0;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_in_word(const char *at)
{
    at += *at == '-';
    return is_letter(*at) || (*at >= '0' && *at <= '9') || *at == '.';
}

/* Pass the characters before @a end; a token or comment over 1 MiB is refused. */
static mtree_status_t pass(mtree_dot_lexer_t *lexer, const char *end)
{
    const int line = lexer->line;

    if ((size_t)(end - lexer->at) > MAX_TOKEN) {
        mtree_error("%s:%d: a word, string or comment over 1 MiB; mtree takes no larger "
                    "file",
                    lexer->name, line);
        return MTREE_ERR_LIMIT;
    }
    for (; lexer->at < end; ++lexer->at) {
        lexer->line += *lexer->at == '\n';
    }
    return MTREE_OK;
}

static mtree_status_t refuse_unclosed(const mtree_dot_lexer_t *lexer)
{
    mtree_error("%s:%d: syntax error: a string or comment begins here and does not end; "
                "close it",
                lexer->name, lexer->line);
    return MTREE_ERR_INVALID;
}

/* Pass blanks, comments, and lines of a preprocessor, whose line numbers are not used. */
static mtree_status_t skip_blanks(mtree_dot_lexer_t *lexer)
{
    mtree_status_t status = MTREE_OK;

    while (status == MTREE_OK) {
        const char *at = lexer->at, *end = at + strspn(at, " \t\r\n");

        /* Blanks of any number are none too long a token. */
        end = (size_t)(end - at) > MAX_TOKEN ? at + MAX_TOKEN : end;

        if (*at == '#' || is_at(at, "//")) {
            end = at + strcspn(at, "\n");
        } else if (is_at(at, "/*")) {
            end = strstr(at + 2, "*/");
            if (end == NULL) {
                return refuse_unclosed(lexer);
            }
            end += 2;
        } else if (end == at && (end += is_at(at, byte_order_mark)) == at) {
            break;
        }
        status = pass(lexer, end);
    }
    return status;
}

/* Keep "...", in which \" is a quote, \\ remains as it is, and \ joins lines; its end, or
 * NULL. */
static const char *keep_quoted(mtree_dot_lexer_t *lexer)
{
    const char *at = lexer->at + 1;

    while (*at != '\0' && *at != '"') {
        if (is_at(at, "\\\n")) {
            at += 2;
            continue;
        }
        if (is_at(at, "\\\\")) {
            *lexer->ids_end++ = *at++;
        } else {
            at += is_at(at, "\\\"") != 0;
        }
        *lexer->ids_end++ = *at++;
    }
    return *at == '"' ? at + 1 : NULL;
}

/* Keep a word; its end.  A hyphen is part of it if a letter, a digit or a dot follows, so
 * that edges end words. */
static const char *keep_word(mtree_dot_lexer_t *lexer)
{
    const char *at = lexer->at;

    while (is_in_word(at)) {
        *lexer->ids_end++ = *at++;
    }
    return at;
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

mtree_status_t mtree_dot_lexer_next(mtree_dot_lexer_t *lexer, mtree_dot_token_t *token)
{
    mtree_status_t status = skip_blanks(lexer);
    const char *at = lexer->at, *end;

    *token = (mtree_dot_token_t){
        .kind = MTREE_DOT_END, .text = lexer->ids_end, .start = at, .line = lexer->line};
    if (status != MTREE_OK || *at == '\0') {
        return status;
    }
    if (*at == '"') {
        end = keep_quoted(lexer);
        token->kind = MTREE_DOT_ID;
    } else if (is_in_word(at) && !(*at == '-' && is_letter(at[1]))) {
        end = keep_word(lexer);
        *lexer->ids_end = '\0';
        token->kind = name_kind(token->text);
    } else {
        token->kind = is_at(at, "--")   ? MTREE_DOT_UNDIRECTED
                      : is_at(at, "->") ? MTREE_DOT_DIRECTED
                                        : (unsigned char)*at;
        end = at + (token->kind > MTREE_DOT_END ? 2 : 1);
    }
    if (end == NULL) {
        return refuse_unclosed(lexer);
    }
    *lexer->ids_end++ = '\0';
    token->length = (size_t)(end - at);
    return pass(lexer, end);
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
