/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/share.h"

#include <math.h>

void mtree_relay_share_init(mtree_relay_share_t *share, double of_processor, double now,
                            double worked)
{
    *share = (mtree_relay_share_t){of_processor, now, worked, 0};
}

double mtree_relay_share_rest(mtree_relay_share_t *share, double now, double worked)
{
    double credit =
        share->credit + share->share * (now - share->now) - (worked - share->worked);

    share->credit = fmin(credit, share->share * MTREE_RELAY_SHARE_SAVED);
    share->now = now;
    share->worked = worked;
    return fmin(fmax(0, -share->credit / share->share), MTREE_RELAY_SHARE_REST);
}
