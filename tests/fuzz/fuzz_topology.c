/* SPDX-License-Identifier: BSD-3-Clause */
/* DOT topologies.  Whatever the reader was given, it reads the next file as if that were
 * the first. */
#include "tests/fuzz/fuzz.h"

#include "topo/dot/read.h"

static void expect_next(void)
{
    static const char next[] = "graph { a -- b [capacity=\"1Mbps\"] }";
    mtree_topology_t *topology = NULL;

    fuzz_expect(mtree_topology_parse(next, sizeof(next) - 1, "next", &topology) ==
                MTREE_OK);
    mtree_topology_destroy(topology);
}

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
    expect_next();
    free(text);
    return 0;
}
