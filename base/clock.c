/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <time.h>

static double clock_read(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double mtree_clock_seconds(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

double mtree_clock_thread_seconds(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

void mtree_clock_sleep(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};

    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    if (seconds > 0) {
        (void)nanosleep(&time, NULL);
    }
}
