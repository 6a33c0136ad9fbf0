/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/witness.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

bool coll_mtree_witness_write(coll_mtree_likeness_t likeness, int different, int ranks,
                              char *text, size_t size)
{
    int length = 0;

    switch (likeness) {
    case COLL_MTREE_ALIKE:
        length = snprintf(text, size, "%d", ranks);
        break;
    case COLL_MTREE_DIFFERENT:
        length = snprintf(text, size, "%d", different);
        break;
    case COLL_MTREE_UNKNOWN:
        length = snprintf(text, size, "%s", "");
        break;
    }
    return length >= 0 && (size_t)length < size;
}

bool coll_mtree_witness_read(const char *text, int *different_p)
{
    char *end;
    long value;

    if (text == NULL || *text == '\0') {
        return false;
    }
    value = strtol(text, &end, 10);
    if (*end != '\0' || value < 0 || value > INT_MAX) {
        return false;
    }
    *different_p = (int)value;
    return true;
}

coll_mtree_likeness_t coll_mtree_witness_judge(const coll_mtree_witness_t *witness,
                                               const int *ranks, int count)
{
    int as_witness = 0, as_different = 0;

    for (int i = 0; i < count; i++) {
        bool is_first = ranks[i] >= 0 && ranks[i] < witness->different;

        as_witness += is_first || ranks[i] == witness->rank;
        as_different += ranks[i] == witness->different;
    }
    if (as_witness > 0 && as_different > 0) {
        return COLL_MTREE_DIFFERENT;
    }
    return as_witness == count ? COLL_MTREE_ALIKE : COLL_MTREE_UNKNOWN;
}
