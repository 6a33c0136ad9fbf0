/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tokens of a DOT text (https://graphviz.org/doc/info/lang.html), with the lines on which
 * they stand.  Words may hold dots and hyphens, as names of hosts do.  There are no HTML
 * strings.
 */
#ifndef MTREE_TOPO_DOT_LEXER_H
#define MTREE_TOPO_DOT_LEXER_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* What a token is; a punctuation character is its own code. */
enum {
    MTREE_DOT_END = 256,  /* of the text */
    MTREE_DOT_ID,         /* a word or a string */
    MTREE_DOT_UNDIRECTED, /* -- */
    MTREE_DOT_DIRECTED,   /* -> */
    MTREE_DOT_STRICT,
    MTREE_DOT_GRAPH,
    MTREE_DOT_DIGRAPH,
    MTREE_DOT_NODE,
    MTREE_DOT_EDGE,
    MTREE_DOT_SUBGRAPH
};

typedef struct {
    int kind;
    char *text;        /* of an ID, in the arena */
    const char *start; /* in the DOT text */
    size_t length;
    int line; /* of its first character, counted from 1 */
} mtree_dot_token_t;

typedef struct {
    const char *begin, *at; /* the text, which ends in a NUL, behind all IDs */
    int line;
    const char *name; /* of the file, for messages */
    char *ids_end;    /* of all IDs so far, each with its NUL */
} mtree_dot_lexer_t;

/* Begin with a copy of @a text, which holds no NUL; it and all IDs are the arena's. */
void mtree_dot_lexer_init(mtree_dot_lexer_t *lexer, const char *text, size_t length,
                          const char *name, mtree_arena_t *arena);

/*
 * The next token.  Logs "NAME:LINE: ..." for a string or comment without an end
 * (MTREE_ERR_INVALID), and for a token or comment of more than 1 MiB (MTREE_ERR_LIMIT).
 */
mtree_status_t mtree_dot_lexer_next(mtree_dot_lexer_t *lexer, mtree_dot_token_t *token);

/* Log that the grammar does not allow @a token here; MTREE_ERR_INVALID. */
mtree_status_t mtree_dot_lexer_refuse(const mtree_dot_lexer_t *lexer,
                                      const mtree_dot_token_t *token);

#endif
