/* SPDX-License-Identifier: BSD-3-Clause */
/* GraphML, as mtree import reads them. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import(import_graphml, data, size);
    return 0;
}
