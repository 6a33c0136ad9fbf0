/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that a call cannot do without.  The other ranks are in the call, too, and wait:
 * so the job ends, with one line, where it is missing.  No Open MPI header is used.
 */
#ifndef COLL_MTREE_BASE_MEMORY_H
#define COLL_MTREE_BASE_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>

/* Have @a end called with the reason, in words, where memory is missing.  Without
 * one, or where it returns, the process exits. */
void coll_mtree_memory_open(void (*end)(const char *reason));

/* Memory as malloc(), calloc() and realloc() give it; there is some, or the job ends. */
void *coll_mtree_malloc(size_t bytes);
void *coll_mtree_realloc(void *memory, size_t bytes);
void *coll_mtree_calloc(size_t count, size_t size);

/* A file whose text, of *length_p bytes, is *text_p, malloc'ed, once it is ended. */
FILE *coll_mtree_text_begin(char **text_p, size_t *length_p);
void coll_mtree_text_end(FILE *text);

/* End the job unless @a status, of a room below, is MTREE_OK. */
void coll_mtree_require(mtree_status_t status);

#endif
