/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Each allocation is one of the system's, so that checkers of memory see its ends. */
struct mtree_arena_block {
    struct mtree_arena_block *next;
    max_align_t memory[];
};

void *mtree_arena_alloc(mtree_arena_t *arena, size_t count, size_t size)
{
    struct mtree_arena_block *block = NULL;

    if (size == 0 || count <= (PTRDIFF_MAX - sizeof(*block)) / size) {
        block = calloc(1, sizeof(*block) + count * size);
    }
    if (block == NULL) {
        arena->status = MTREE_ERR_NO_MEMORY;
        return NULL;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    return block->memory;
}

char *mtree_arena_strdup(mtree_arena_t *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = mtree_arena_alloc(arena, bytes, 1);

    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

void mtree_arena_cleanup(mtree_arena_t *arena)
{
    while (arena->blocks != NULL) {
        struct mtree_arena_block *block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
    arena->status = MTREE_OK;
}
