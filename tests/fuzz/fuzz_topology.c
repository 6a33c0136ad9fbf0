/* DOT topologies. */
#include "tests/fuzz/fuzz.h"

#include "topo/topology_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    mtree_topology_t *topology = NULL;
    mtree_status_t status;

    fuzz_start();
    status = mtree_topology_parse(text, size, "input", &topology);
    fuzz_expect_told(status);
    if (status == MTREE_OK) {
        fuzz_expect_topology(topology);
        mtree_topology_destroy(topology);
    }
    free(text);
    return 0;
}
