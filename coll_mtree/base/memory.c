/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void (*end_job)(const char *reason);

void coll_mtree_memory_open(void (*end)(const char *reason))
{
    end_job = end;
}

static void end_for(const char *reason)
{
    if (end_job != NULL) {
        end_job(reason);
    }
    /* Another thread ends the job already, or nothing can. */
    _Exit(EXIT_FAILURE);
}

/* @a memory, unless there is none of @a bytes. */
static void *existing(void *memory, size_t bytes)
{
    char reason[64];

    if (memory == NULL) {
        (void)snprintf(reason, sizeof(reason), "no memory for %zu bytes", bytes);
        end_for(reason);
    }
    return memory;
}

void *coll_mtree_malloc(size_t bytes)
{
    return existing(malloc(bytes > 0 ? bytes : 1), bytes);
}

void *coll_mtree_realloc(void *memory, size_t bytes)
{
    return existing(realloc(memory, bytes > 0 ? bytes : 1), bytes);
}

void *coll_mtree_calloc(size_t count, size_t size)
{
    return existing(count > 0 ? calloc(count, size) : malloc(1), count * size);
}

void coll_mtree_require(mtree_status_t status)
{
    if (status != MTREE_OK) {
        end_for(status == MTREE_ERR_NO_MEMORY ? "no memory"
                                              : mtree_status_string(status));
    }
}

FILE *coll_mtree_text_begin(char **text_p, size_t *length_p)
{
    FILE *text = open_memstream(text_p, length_p);

    coll_mtree_require(text == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    return text;
}

void coll_mtree_text_end(FILE *text)
{
    bool is_whole = ferror(text) == 0;

    is_whole = fclose(text) == 0 && is_whole;
    coll_mtree_require(is_whole ? MTREE_OK : MTREE_ERR_NO_MEMORY);
}
