/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arenas: memory that is allocated piece by piece and freed all at once.
 *
 * What lives and dies together (the arrays of a solver, the parts of a layout) comes from
 * one arena, and is freed with one call.
 */
#ifndef MTREE_BASE_ARENA_H
#define MTREE_BASE_ARENA_H

#include <stddef.h>

/* All zero: an empty arena. */
typedef struct {
    struct mtree_arena_block *blocks;
} mtree_arena_t;

/*
 * An array of @a count zeroed elements of @a size bytes, aligned for every type; the
 * arena's.  There is memory (base/memory.h); an array of no elements is not NULL.
 */
void *mtree_arena_alloc(mtree_arena_t *arena, size_t count, size_t size);

/* Let @a _pointer point to such an array of @a _count elements of its type. */
#define MTREE_ARENA_ARRAY(_arena, _pointer, _count)                                      \
    ((_pointer) = mtree_arena_alloc((_arena), (_count), sizeof(*(_pointer))))

/*
 * The zeroed element number *count_p, which is counted then, of an array of elements of
 * @a size bytes: @a array_p points to the pointer to the array, NULL for an empty one,
 * @a capacity_p to the number of elements that fit.  What was outgrown, less than the
 * array takes, stays until the arena is freed.
 */
void *mtree_arena_append(mtree_arena_t *arena, void *array_p, int *count_p,
                         int *capacity_p, size_t size);

/* One more element of the array @a _pointer of @a _count, which has room for
 * @a _capacity. */
#define MTREE_ARENA_APPEND(_arena, _pointer, _count, _capacity)                          \
    mtree_arena_append((_arena), &(_pointer), &(_count), &(_capacity),                   \
                       sizeof(*(_pointer)))

/* A copy of @a text. */
char *mtree_arena_strdup(mtree_arena_t *arena, const char *text);

/* Free all that was allocated; the arena is empty then. */
void mtree_arena_cleanup(mtree_arena_t *arena);

#endif
