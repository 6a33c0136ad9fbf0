/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/call_clock.h"

#include <math.h>

coll_mtree_call_clock_t coll_mtree_call_clock = COLL_MTREE_CALL_CLOCK_INIT;

/* Count the time until @a now.  Threads may come in another order than they looked at the
 * time. */
static void pass(coll_mtree_call_clock_t *clock, double now)
{
    const int *calls = clock->calls;
    double passed = fmax(now - clock->now, 0);

    clock->now += passed;
    if (calls[COLL_MTREE_CALL_RUNS] > 0 && clock->connections > 0) {
        clock->times.connecting += passed;
    } else if (calls[COLL_MTREE_CALL_RUNS] > 0) {
        clock->times.running += passed;
        clock->share += passed / calls[COLL_MTREE_CALL_RUNS];
    } else if (calls[COLL_MTREE_CALL_OPENMPI] > 0) {
        clock->times.openmpi += passed;
    } else if (calls[COLL_MTREE_CALL_PLANNED] > 0) {
        clock->times.planning += passed;
    }
}

coll_mtree_call_reading_t coll_mtree_call_clock_move(coll_mtree_call_clock_t *clock,
                                                     coll_mtree_call_state_t from,
                                                     coll_mtree_call_state_t to,
                                                     double now)
{
    coll_mtree_call_reading_t reading;

    pthread_mutex_lock(&clock->lock);
    pass(clock, now);
    clock->calls[from]--;
    clock->calls[to]++;
    reading = (coll_mtree_call_reading_t){clock->times.running, clock->share};
    pthread_mutex_unlock(&clock->lock);
    return reading;
}

void coll_mtree_call_clock_connect(coll_mtree_call_clock_t *clock, int change, double now)
{
    pthread_mutex_lock(&clock->lock);
    pass(clock, now);
    clock->connections += change;
    pthread_mutex_unlock(&clock->lock);
}

coll_mtree_clock_times_t coll_mtree_call_clock_times(coll_mtree_call_clock_t *clock,
                                                     double now)
{
    coll_mtree_clock_times_t times;

    pthread_mutex_lock(&clock->lock);
    pass(clock, now);
    times = clock->times;
    pthread_mutex_unlock(&clock->lock);
    return times;
}
