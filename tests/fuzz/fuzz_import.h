/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree import does with a file, for the fuzz targets of its readers: fuzz_import.c
 * is the target of the reader that IMPORT_READER names.
 */
#ifndef MTREE_TESTS_FUZZ_FUZZ_IMPORT_H
#define MTREE_TESTS_FUZZ_FUZZ_IMPORT_H

#include "tools/import/formats.h"

#include <stdint.h>

/* Read @a data with @a reader; abort when an error is not logged once, or when the
 * result is not a topology. */
void fuzz_import(import_reader_t reader, const uint8_t *data, size_t size);

#endif
