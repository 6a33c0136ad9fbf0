/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tests/folded.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes that are mapped at a time; the first ones of the file are those that are shared.
 */
#define PIECE FOLDED_OWN

static size_t num_pieces(size_t bytes)
{
    return (bytes + PIECE - 1) / PIECE;
}

/* Does piece @a i have bytes that are not shared? */
static bool piece_is_own(size_t i, size_t period)
{
    size_t half = period / 2, begin = i * PIECE;
    size_t first = begin < FOLDED_OWN ? 0 : begin - FOLDED_OWN;

    /* The first multiple from there on. */
    return (first + half - 1) / half * half < begin + PIECE + FOLDED_OWN;
}

char *folded_create(size_t bytes, size_t period)
{
    int file = memfd_create("folded", MFD_CLOEXEC);
    size_t own = 0, pieces = num_pieces(bytes);
    bool is_mapped = file >= 0 && ftruncate(file, (off_t)((pieces + 1) * PIECE)) == 0;
    char *memory = mmap(NULL, pieces * PIECE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    for (size_t i = 0; i < pieces && is_mapped && memory != MAP_FAILED; i++) {
        own += piece_is_own(i, period);
        is_mapped =
            mmap(memory + i * PIECE, PIECE, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, file,
                 piece_is_own(i, period) ? (off_t)(own * PIECE) : 0) != MAP_FAILED;
    }
    if (file >= 0) {
        (void)close(file);
    }
    return is_mapped && memory != MAP_FAILED ? memory : NULL;
}

void folded_destroy(char *memory, size_t bytes)
{
    (void)munmap(memory, num_pieces(bytes) * PIECE);
}
