/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *reason)
{
    (void)fprintf(stderr, "mtree: %s\n", reason);
}

static void (*end_process)(const char *reason) = say;

void mtree_memory_on_missing(void (*end)(const char *reason))
{
    end_process = end;
}

static _Noreturn void end_for(const char *reason)
{
    end_process(reason);
    /* Another thread ends the process already, or only this is left. */
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

void *mtree_malloc(size_t bytes)
{
    return existing(malloc(bytes > 0 ? bytes : 1), bytes);
}

void *mtree_realloc(void *memory, size_t bytes)
{
    return existing(realloc(memory, bytes > 0 ? bytes : 1), bytes);
}

void *mtree_calloc(size_t count, size_t size)
{
    const bool is_product_too_large = size > 0 && count > SIZE_MAX / size;

    return existing(count > 0 ? calloc(count, size) : malloc(1),
                    is_product_too_large ? SIZE_MAX : count * size);
}

char *mtree_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;

    return memcpy(mtree_malloc(bytes), text, bytes);
}

void *mtree_existing(void *memory)
{
    if (memory == NULL) {
        end_for("no memory");
    }
    return memory;
}

void mtree_require(mtree_status_t status)
{
    if (status != MTREE_OK) {
        end_for(status == MTREE_ERR_NO_MEMORY ? "no memory"
                                              : mtree_status_string(status));
    }
}

FILE *mtree_text_begin(char **text_p, size_t *length_p)
{
    return mtree_existing(open_memstream(text_p, length_p));
}

void mtree_text_end(FILE *text)
{
    bool is_whole = ferror(text) == 0;

    if (fclose(text) != 0 || !is_whole) {
        end_for("no memory");
    }
}
