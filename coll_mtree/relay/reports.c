/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/reports.h"

_Static_assert(COLL_MTREE_RELAYS <= 64, "a bit for each");

void coll_mtree_reports_refused(coll_mtree_reports_t *reports, int i, uint32_t plan,
                                uint32_t call)
{
    unsigned at = reports->relays[i].next++ % COLL_MTREE_REFUSALS;

    reports->relays[i].refused[at].plan = plan;
    reports->relays[i].refused[at].call = call;
}

bool coll_mtree_reports_has_refused(const coll_mtree_reports_t *reports, int i,
                                    uint32_t plan, uint32_t call)
{
    for (int at = 0; at < COLL_MTREE_REFUSALS; at++) {
        if (reports->relays[i].refused[at].plan == plan &&
            reports->relays[i].refused[at].call == call) {
            return true;
        }
    }
    return false;
}

bool coll_mtree_reports_unreached(coll_mtree_reports_t *reports, uint32_t i, uint32_t j)
{
    if (i >= COLL_MTREE_RELAYS || j >= COLL_MTREE_RELAYS || i == j) {
        return false;
    }
    reports->relays[i].unreached |= UINT64_C(1) << j;
    reports->relays[j].unreached |= UINT64_C(1) << i;
    return true;
}

int coll_mtree_reports_worst(const coll_mtree_reports_t *reports, uint64_t up,
                             int *other_p)
{
    int worst = -1, most = 0;

    for (int i = 0; i < COLL_MTREE_RELAYS; i++) {
        uint64_t unreached = reports->relays[i].unreached;
        int pairs = __builtin_popcountll(unreached);

        if ((up >> i & 1) != 0 && (unreached & up) != 0 && pairs >= most) {
            worst = i;
            most = pairs;
        }
    }
    if (worst >= 0) {
        *other_p = __builtin_ctzll(reports->relays[worst].unreached & up);
    }
    return worst;
}
