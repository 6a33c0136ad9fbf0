/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every fuzz target expects of a reader, whatever it is given.
 *
 * A target is one function, LLVMFuzzerTestOneInput(), for clang's libFuzzer (`make fuzz`)
 * and for replay.c, which feeds it the files of its corpus (`make check`).
 */
#ifndef MTREE_TESTS_FUZZ_FUZZ_H
#define MTREE_TESTS_FUZZ_FUZZ_H

#include "topo/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The target: reads @a data and aborts when the reader does not keep its word; 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Abort unless it @a holds. */
static inline void fuzz_expect(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Listen to what the reader says from now on. */
void fuzz_start(void);

/* Abort unless @a status came with one line for the user, or is MTREE_OK and came with
 * none (a warning is no line). */
void fuzz_expect_told(mtree_status_t status);

/* Abort unless @a topology can be written, and read back the same. */
void fuzz_expect_topology(const mtree_topology_t *topology);

/* @a data with a NUL behind it, as the readers want it; freed by the caller. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
