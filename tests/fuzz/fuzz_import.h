/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree import does with a file, for the fuzz targets of its readers.
 */
#ifndef MTREE_TESTS_FUZZ_FUZZ_IMPORT_H
#define MTREE_TESTS_FUZZ_FUZZ_IMPORT_H

#include "tools/import/network.h"

#include <stdint.h>

typedef mtree_status_t (*fuzz_reader_t)(import_t *import, const char *text,
                                        size_t length);

/* Read @a data with @a reader; abort when an error is not told once, or when what comes
 * of it is no topology. */
void fuzz_import(fuzz_reader_t reader, const uint8_t *data, size_t size);

#endif
