/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of mtree's own beside those of the program.  They make no call of MPI and write
 * no line: what they log is kept (coll_mtree/base/log.h).
 */
#ifndef COLL_MTREE_BASE_HELPER_THREAD_H
#define COLL_MTREE_BASE_HELPER_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Run @a func in a thread that gets none of the program's signals, on the processors to
 * which the process is bound.  False: the system has no more threads. */
bool coll_mtree_helper_thread_start(pthread_t *thread, void *(*func)(void *), void *arg);

#endif
