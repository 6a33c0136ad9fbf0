/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/helper_thread.h"

#include <signal.h>

/* Signals are the program's threads'. */
bool coll_mtree_helper_thread_start(pthread_t *thread, void *(*func)(void *), void *arg)
{
    sigset_t all, before;
    bool is_running;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_running = pthread_create(thread, NULL, func, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_running;
}
