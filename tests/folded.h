/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folded memory: long vectors that take little memory.
 *
 * Around each multiple of half a period the bytes are their own.  All others share the
 * same few pages, so they may be read and written, and what is found there is what was
 * written last.
 */
#ifndef MTREE_TESTS_FOLDED_H
#define MTREE_TESTS_FOLDED_H

#include <stddef.h>

/* Bytes before and behind each multiple of half a period that are not shared. */
#define FOLDED_OWN ((size_t)1 << 20)

/* @a bytes of zeros; NULL: the system refuses. */
char *folded_create(size_t bytes, size_t period);

/* Free all of them; @a bytes as when it was made. */
void folded_destroy(char *memory, size_t bytes);

#endif
