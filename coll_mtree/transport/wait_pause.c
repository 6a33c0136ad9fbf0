/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/wait_pause.h"

#include <math.h>

double coll_mtree_wait_pause(double waited, bool shares_processors)
{
    double part = shares_processors ? COLL_MTREE_WAIT_PAUSE_PART * waited : 0;

    if (waited < COLL_MTREE_WAIT_PAUSE_MOMENT) {
        return 0;
    }
    return fmin(fmax(part, COLL_MTREE_WAIT_PAUSE_LEAST), COLL_MTREE_WAIT_PAUSE_MOST);
}
