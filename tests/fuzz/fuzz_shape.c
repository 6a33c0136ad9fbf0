/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of mtree generate. */
#include "tests/fuzz/fuzz.h"

#include "topo/generators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mtree_generate_request_t request = {.capacity = 2e8, .seed = 1};
    char *text = fuzz_text(data, size);
    mtree_topology_t *topology = NULL;
    mtree_status_t status;

    fuzz_start();
    status = mtree_generate(text, &request, &topology);
    fuzz_expect_told(status);
    if (status == MTREE_OK) {
        mtree_topology_destroy(topology);
    }
    free(text);
    return 0;
}
