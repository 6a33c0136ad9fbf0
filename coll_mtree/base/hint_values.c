/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/hint_values.h"

#include "base/units.h"

#include <stdio.h>
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

bool coll_mtree_hint_parse_chunk(const char *value, int *bytes_p)
{
    const char *reason;
    size_t bytes;

    if (mtree_units_parse_size(value, &bytes, &reason) != MTREE_OK ||
        bytes > MOST_CHUNK_BYTES) {
        return false;
    }
    *bytes_p = (int)bytes;
    return true;
}

/* A number that a key gives, -1 for none, as text. */
static const char *format_number(int number, char text[16])
{
    (void)snprintf(text, 16, number < 0 ? "not given" : "%d", number);
    return text;
}

bool coll_mtree_hint_find_difference(const coll_mtree_hint_values_t *own,
                                     const coll_mtree_hint_values_t *theirs, int rank,
                                     char text[COLL_MTREE_HINT_TEXT])
{
    bool by_trees = own->trees != theirs->trees;
    char ours[16], other[16];

    if (by_trees || own->chunk_bytes != theirs->chunk_bytes) {
        (void)snprintf(
            text, COLL_MTREE_HINT_TEXT, "%s: %s on rank 0, but %s on rank %d",
            by_trees ? "mtree_trees" : "mtree_chunk",
            format_number(by_trees ? own->trees : own->chunk_bytes, ours),
            format_number(by_trees ? theirs->trees : theirs->chunk_bytes, other), rank);
        return true;
    }
    (void)snprintf(text, COLL_MTREE_HINT_TEXT, "mtree_algorithm: rank %d has another",
                   rank);
    return own->algorithms != theirs->algorithms;
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
