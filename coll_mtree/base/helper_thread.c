/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "coll_mtree/base/helper_thread.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* A process may be bound to the processor on which its program polls.  The kernel leaves
 * out the processors that the job does not have. */
static void use_all_processors(pthread_t thread)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof(all));
    (void)pthread_setaffinity_np(thread, sizeof(all), &all);
}

/* Signals are the program's threads'. */
bool coll_mtree_helper_thread_start(pthread_t *thread, void *(*func)(void *), void *arg)
{
    sigset_t all, before;
    bool is_running;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_running = pthread_create(thread, NULL, func, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_running) {
        use_all_processors(*thread);
    }
    return is_running;
}

double coll_mtree_helper_thread_worked(pthread_t thread)
{
    struct timespec time = {0};
    clockid_t clock;

    if (pthread_getcpuclockid(thread, &clock) == 0) {
        (void)clock_gettime(clock, &time);
    }
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
