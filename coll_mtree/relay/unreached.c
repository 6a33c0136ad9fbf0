/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/unreached.h"

#define RELAYS COLL_MTREE_UNREACHED_RELAYS

bool coll_mtree_unreached_add(coll_mtree_unreached_t *unreached, uint32_t i, uint32_t j)
{
    if (i >= RELAYS || j >= RELAYS || i == j) {
        return false;
    }
    unreached->with[i] |= UINT64_C(1) << j;
    unreached->with[j] |= UINT64_C(1) << i;
    return true;
}

int coll_mtree_unreached_worst(const coll_mtree_unreached_t *unreached, uint64_t up,
                               int *other_p)
{
    int worst = -1, most = 0;

    for (int i = 0; i < RELAYS; i++) {
        int pairs = __builtin_popcountll(unreached->with[i]);

        if ((up >> i & 1) != 0 && (unreached->with[i] & up) != 0 && pairs >= most) {
            worst = i;
            most = pairs;
        }
    }
    if (worst >= 0) {
        *other_p = __builtin_ctzll(unreached->with[worst] & up);
    }
    return worst;
}
