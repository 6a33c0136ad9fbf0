/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debian's Open MPI 5.0 leaves this header out.  Open MPI's own mutexes and conditions
 * are those of POSIX, so types that hold them must have the size of these.
 */
#ifndef MTREE_SHIM_THREADS_PTHREADS_MUTEX_H
#define MTREE_SHIM_THREADS_PTHREADS_MUTEX_H

#include "opal_config.h"

#include "opal/class/opal_object.h"
#include "opal/constants.h"

#include <pthread.h>
#include <stdbool.h>

typedef pthread_mutex_t opal_thread_internal_mutex_t;
typedef pthread_cond_t opal_thread_internal_cond_t;

#define OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define OPAL_THREAD_INTERNAL_COND_INITIALIZER  PTHREAD_COND_INITIALIZER

static inline int opal_thread_internal_mutex_init(opal_thread_internal_mutex_t *mutex,
                                                  bool recursive)
{
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);

    if (error == 0) {
        pthread_mutexattr_settype(&attributes, recursive ? PTHREAD_MUTEX_RECURSIVE
                                                         : PTHREAD_MUTEX_DEFAULT);
        error = pthread_mutex_init(mutex, &attributes);
        pthread_mutexattr_destroy(&attributes);
    }
    return error == 0 ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}

static inline void opal_thread_internal_mutex_destroy(opal_thread_internal_mutex_t *mutex)
{
    pthread_mutex_destroy(mutex);
}

static inline void opal_thread_internal_mutex_lock(opal_thread_internal_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
}

static inline int opal_thread_internal_mutex_trylock(opal_thread_internal_mutex_t *mutex)
{
    return pthread_mutex_trylock(mutex) != 0;
}

static inline void opal_thread_internal_mutex_unlock(opal_thread_internal_mutex_t *mutex)
{
    pthread_mutex_unlock(mutex);
}

static inline int opal_thread_internal_cond_init(opal_thread_internal_cond_t *condition)
{
    return pthread_cond_init(condition, NULL) == 0 ? OPAL_SUCCESS : OPAL_ERR_IN_ERRNO;
}

static inline void
opal_thread_internal_cond_destroy(opal_thread_internal_cond_t *condition)
{
    pthread_cond_destroy(condition);
}

static inline void
opal_thread_internal_cond_signal(opal_thread_internal_cond_t *condition)
{
    pthread_cond_signal(condition);
}

#endif
