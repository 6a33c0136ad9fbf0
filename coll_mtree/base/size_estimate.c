/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/size_estimate.h"

bool coll_mtree_size_estimate_add(coll_mtree_size_estimate_t *estimate, double bytes,
                                  double *mean_p)
{
    estimate->calls++;
    estimate->since++;
    estimate->bytes += bytes;
    *mean_p = estimate->bytes / estimate->since;
    return (estimate->calls & (estimate->calls - 1)) == 0 ||
           estimate->calls % COLL_MTREE_SIZE_ESTIMATE_INTERVAL == 0;
}

void coll_mtree_size_estimate_set(coll_mtree_size_estimate_t *estimate, double bytes)
{
    estimate->agreed = bytes;
    estimate->is_agreed = true;
    estimate->since = 0;
    estimate->bytes = 0;
}
