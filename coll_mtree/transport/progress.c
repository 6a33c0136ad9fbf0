/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/progress.h"

#include "coll_mtree/base/tuning.h"
#include "coll_mtree/compat.h"

#include "base/clock.h"
#include "base/memory.h"
#include "opal/runtime/opal_progress.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

void coll_mtree_progress_add(coll_mtree_poll_func_t poll)
{
    mtree_require(opal_progress_register(poll) == OPAL_SUCCESS ? MTREE_OK
                                                               : MTREE_ERR_NO_MEMORY);
}

void coll_mtree_progress_remove(coll_mtree_poll_func_t poll)
{
    (void)opal_progress_unregister(poll);
}

void coll_mtree_progress_wait(coll_mtree_wait_t wait)
{
    opal_progress();
    if (wait == COLL_MTREE_WAIT_LATER) {
        mtree_clock_sleep(COLL_MTREE_PAUSE);
    } else if (wait == COLL_MTREE_WAIT_SOON && opal_progress_yield_when_idle) {
        mtree_clock_sleep(COLL_MTREE_PAUSE / 3);
    } else {
        sched_yield();
    }
}

/*
 * The seconds to sleep of a rank that has waited for @a waited seconds; 0: look again at
 * once, as an exchange whose reply is at hand is soon over.
 *
 * The planning thread of rank 0 may share a processor with many ranks, which all wait for
 * it.  Each look of theirs takes time that it needs: 128 ranks on two processors that
 * looked every 0.3 ms left it a fiftieth of one.  So sleeps grow with the time waited
 * where ranks share processors.  The reply passes several ranks on its way, each of which
 * may sleep.
 */
static double pause_after(double waited)
{
    double part = opal_progress_yield_when_idle ? waited / COLL_MTREE_PAUSES : 0;

    return waited < COLL_MTREE_LONG_TRIP
               ? 0
               : fmin(fmax(part, COLL_MTREE_PAUSE), COLL_MTREE_PAUSES * COLL_MTREE_PAUSE);
}

void coll_mtree_progress_wait_for(const atomic_bool *done)
{
    double began = mtree_clock_seconds();

    while (!atomic_load(done)) {
        double pause = pause_after(mtree_clock_seconds() - began);

        opal_progress();
        if (pause > 0) {
            mtree_clock_sleep(pause);
        } else {
            sched_yield();
        }
    }
}
