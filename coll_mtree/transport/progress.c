/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/progress.h"

#include "coll_mtree/compat.h"

#include "base/clock.h"
#include "base/memory.h"
#include "opal/runtime/opal_progress.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

/* As many as there are units that poll. */
#define MOST_POLLERS 6

/* Short beside any latency worth planning for, and beside any stream. */
#define LATER_SECONDS 0.0003
#define SOON_SECONDS  0.0001

static struct {
    opal_mutex_t lock;
    _Atomic(coll_mtree_poll_func_t) funcs[MOST_POLLERS]; /* read without the lock */
    int count;
} pollers = {.lock = OPAL_MUTEX_STATIC_INIT};

static int call_pollers(void)
{
    int handled = 0;

    for (int i = 0; i < MOST_POLLERS; i++) {
        coll_mtree_poll_func_t poll = atomic_load(&pollers.funcs[i]);

        handled += poll == NULL ? 0 : poll();
    }
    return handled;
}

/* Put @a to in the place of @a from; false: @a from is not there. */
static bool replace_poller(coll_mtree_poll_func_t from, coll_mtree_poll_func_t to)
{
    for (int i = 0; i < MOST_POLLERS; i++) {
        if (atomic_load(&pollers.funcs[i]) == from) {
            atomic_store(&pollers.funcs[i], to);
            return true;
        }
    }
    return false;
}

void coll_mtree_progress_add(coll_mtree_poll_func_t poll)
{
    bool is_there;

    opal_mutex_lock(&pollers.lock);
    is_there = replace_poller(poll, poll);
    if (!is_there &&
        (pollers.count > 0 || opal_progress_register(call_pollers) == OPAL_SUCCESS)) {
        is_there = replace_poller(NULL, poll);
        pollers.count += is_there;
    }
    opal_mutex_unlock(&pollers.lock);
    mtree_require(is_there ? MTREE_OK : MTREE_ERR_NO_MEMORY);
}

void coll_mtree_progress_remove(coll_mtree_poll_func_t poll)
{
    opal_mutex_lock(&pollers.lock);
    if (replace_poller(poll, NULL) && --pollers.count == 0) {
        opal_progress_unregister(call_pollers);
    }
    opal_mutex_unlock(&pollers.lock);
}

void coll_mtree_progress_wait(coll_mtree_wait_t wait)
{
    opal_progress();
    if (wait == COLL_MTREE_WAIT_LATER) {
        mtree_clock_sleep(LATER_SECONDS);
    } else if (wait == COLL_MTREE_WAIT_SOON && opal_progress_yield_when_idle) {
        mtree_clock_sleep(SOON_SECONDS);
    } else {
        sched_yield();
    }
}

/*
 * The planning thread of rank 0 may share a processor with many ranks, which all wait for
 * it.  Each look of theirs takes time that it needs: 128 ranks on two processors that
 * looked every 0.3 ms left it a fiftieth of one.  So sleeps grow with the time waited
 * where ranks share processors.  The reply passes several ranks on its way, each of which
 * may sleep.
 */
#define LEAST_SLEEP 0.0003
#define MOST_SLEEP  0.01
#define SLEEP_PART  (1.0 / 32) /* of the time waited */

/* An exchange whose reply is at hand is over by then, in seconds. */
#define MOMENT 0.002

/* The seconds to sleep of a rank that has waited for @a waited seconds; 0: look again at
 * once. */
static double pause_after(double waited)
{
    double part = opal_progress_yield_when_idle ? SLEEP_PART * waited : 0;

    return waited < MOMENT ? 0 : fmin(fmax(part, LEAST_SLEEP), MOST_SLEEP);
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
