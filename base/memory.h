/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory, of which there is some or the process ends.
 *
 * A rank without memory cannot go on: the others wait for it.  So missing memory has one
 * answer everywhere: one line and the end, by the function that the program gave.  What
 * comes from outside is held against a limit before memory is asked for.
 */
#ifndef MTREE_BASE_MEMORY_H
#define MTREE_BASE_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>

/* Have @a end called with the reason, in words, where memory is missing.  Without one it
 * is a line on stderr; where it returns, the process exits. */
void mtree_memory_on_missing(void (*end)(const char *reason));

/* Memory as malloc(), calloc() and realloc() give it, not NULL, even of no bytes. */
void *mtree_malloc(size_t bytes);
void *mtree_calloc(size_t count, size_t size);
void *mtree_realloc(void *memory, size_t bytes);

/* A copy of @a text, for free(). */
char *mtree_strdup(const char *text);

/* @a memory, that another function allocated, unless it is NULL for want of memory. */
void *mtree_existing(void *memory);

/* End the process unless @a status, of what cannot be gone on without, is MTREE_OK. */
void mtree_require(mtree_status_t status);

/* A file whose text, of *length_p bytes, is *text_p, malloc'ed, once it is ended. */
FILE *mtree_text_begin(char **text_p, size_t *length_p);
void mtree_text_end(FILE *text);

#endif
