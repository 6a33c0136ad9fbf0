/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include "base/memory.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Elements of an array that has grown from none. */
#define FIRST_CAPACITY 8

/* Each allocation is one of the system's, so that checkers of memory see its ends. */
struct mtree_arena_block {
    struct mtree_arena_block *next;
    max_align_t memory[];
};

void *mtree_arena_alloc(mtree_arena_t *arena, size_t count, size_t size)
{
    struct mtree_arena_block *block;

    block = mtree_existing(size == 0 || count <= (PTRDIFF_MAX - sizeof(*block)) / size
                               ? calloc(1, sizeof(*block) + count * size)
                               : NULL);
    block->next = arena->blocks;
    arena->blocks = block;
    return block->memory;
}

void *mtree_arena_append(mtree_arena_t *arena, void *array_p, int *count_p,
                         int *capacity_p, size_t size)
{
    const int capacity = *capacity_p > INT_MAX / 2 ? INT_MAX
                         : *capacity_p > 0         ? 2 * *capacity_p
                                                   : FIRST_CAPACITY;
    char *array, *grown;

    memcpy(&array, array_p, sizeof(array));
    if (*count_p == *capacity_p) {
        grown = mtree_arena_alloc(arena, (size_t)capacity, size);
        if (array != NULL) {
            memcpy(grown, array, (size_t)*count_p * size);
        }
        array = grown;
        memcpy(array_p, &array, sizeof(array));
        *capacity_p = capacity;
    }
    array += (size_t)(*count_p)++ * size;
    return memset(array, 0, size);
}

char *mtree_arena_strdup(mtree_arena_t *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = mtree_arena_alloc(arena, bytes, 1);

    return memcpy(copy, text, bytes);
}

void mtree_arena_cleanup(mtree_arena_t *arena)
{
    while (arena->blocks != NULL) {
        struct mtree_arena_block *block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
}
