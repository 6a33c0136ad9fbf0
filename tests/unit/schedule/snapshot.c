/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/schedule/snapshot.h"

#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REGION_BYTES ((size_t)1 << 20)
#define ALIGNMENT    64

/* The linker's names for the functions that the program's own names stand for here. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
int __real_posix_memalign(void **memory_p, size_t alignment, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
int __wrap_posix_memalign(void **memory_p, size_t alignment, size_t bytes);
void __wrap_free(void *memory);

static alignas(ALIGNMENT) char region[REGION_BYTES];
static size_t used;
static bool active;

static bool in_region(const void *memory)
{
    return (const char *)memory >= region && (const char *)memory < region + REGION_BYTES;
}

void *__wrap_malloc(size_t bytes)
{
    char *memory = region + used;

    if (!active) {
        return __real_malloc(bytes);
    }
    used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (used > REGION_BYTES) {
        abort();
    }
    return memory;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    if (!active) {
        return __real_calloc(count, bytes);
    }
    return memset(__wrap_malloc(count * bytes), 0, count * bytes);
}

/* What is behind the old memory in the region is copied along, and does no harm. */
void *__wrap_realloc(void *memory, size_t bytes)
{
    void *grown;

    if (!active) {
        return __real_realloc(memory, bytes);
    }
    grown = __wrap_malloc(bytes);
    if (memory != NULL) {
        memmove(grown, memory, bytes);
    }
    return grown;
}

int __wrap_posix_memalign(void **memory_p, size_t alignment, size_t bytes)
{
    if (!active) {
        return __real_posix_memalign(memory_p, alignment, bytes);
    }
    *memory_p = __wrap_malloc(bytes);
    return alignment <= ALIGNMENT ? 0 : EINVAL;
}

void __wrap_free(void *memory)
{
    if (!in_region(memory)) {
        __real_free(memory);
    }
}

void snapshot_begin(void)
{
    used = 0;
    active = true;
}

void snapshot_end(void)
{
    active = false;
}

void snapshot_take(snapshot_t *snapshot)
{
    if (snapshot->room < used) {
        __real_free(snapshot->bytes);
        snapshot->bytes = __real_malloc(used);
        snapshot->room = used;
        if (snapshot->bytes == NULL) {
            abort();
        }
    }
    memcpy(snapshot->bytes, region, used);
    snapshot->length = used;
}

void snapshot_restore(const snapshot_t *snapshot)
{
    memcpy(region, snapshot->bytes, snapshot->length);
    used = snapshot->length;
}

void snapshot_free(snapshot_t *snapshot)
{
    __real_free(snapshot->bytes);
}
