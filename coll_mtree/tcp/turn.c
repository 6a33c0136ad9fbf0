/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/turn.h"

#include <math.h>

double coll_mtree_turn_wait(double now, int rank)
{
    const double round = COLL_MTREE_TURNS * COLL_MTREE_TURN_SECONDS;
    double begin = rank % COLL_MTREE_TURNS * COLL_MTREE_TURN_SECONDS;

    return fmod(begin + round - fmod(now, round), round);
}
