/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/hint_values.h"

#include "base/units.h"

#include <stdlib.h>

#define MOST_CHUNK_BYTES ((size_t)1 << 30)

bool coll_mtree_hint_parse_trees(const char *value, int *trees_p)
{
    char *end;
    long trees = strtol(value, &end, 10);

    if (end == value || *end != '\0' || trees < 0 || trees > COLL_MTREE_MOST_TREES) {
        return false;
    }
    *trees_p = (int)trees;
    return true;
}

bool coll_mtree_hint_parse_chunk(const char *value, ptrdiff_t *bytes_p)
{
    const char *reason;
    size_t bytes;

    if (mtree_units_parse_size(value, &bytes, &reason) != MTREE_OK ||
        bytes > MOST_CHUNK_BYTES) {
        return false;
    }
    *bytes_p = (ptrdiff_t)bytes;
    return true;
}

int coll_mtree_hint_max_trees(int hint, int parameter, int ranks)
{
    int trees = hint < 0 ? parameter : hint;

    if (trees <= 0) {
        trees = COLL_MTREE_MOST_TREES;
    }
    /* Some algorithms have one tree per host, whatever the limit. */
    return trees > ranks ? trees : ranks;
}
