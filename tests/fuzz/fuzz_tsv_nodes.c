/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of nodes for a table of links. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_import.h"

static mtree_status_t read_both(import_t *import, const char *text, size_t length)
{
    static const char links[] = "1\t2\t10Mbps\n2\t3\t-\n3\t4\n";
    mtree_status_t status = import_tsv(import, links, sizeof(links) - 1);

    return status == MTREE_OK ? import_tsv_nodes(import, "nodes", text, length) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import(read_both, data, size);
    return 0;
}
