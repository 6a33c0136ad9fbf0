/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz_import.h"

#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

void fuzz_import(import_reader_t reader, const uint8_t *data, size_t size)
{
    const import_request_t request = {.capacity = 2e8, .switches = "s*,?w"};
    char *text = fuzz_text(data, size);
    mtree_topology_t *topology = NULL;
    mtree_status_t status;
    import_t import;

    if (import_init(&import, "input") != MTREE_OK) {
        abort();
    }
    fuzz_start();
    status = reader(&import, text, size);
    if (status == MTREE_OK) {
        status = import_finish(&import, &request, &topology);
    }
    fuzz_expect_told(status);
    if (status == MTREE_OK) {
        fuzz_expect_topology(topology);
        mtree_topology_destroy(topology);
    }
    import_cleanup(&import);
    free(text);
}

#ifdef IMPORT_READER
/* A reader of formats.h. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import(IMPORT_READER, data, size);
    return 0;
}
#endif
