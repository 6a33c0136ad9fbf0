/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debian's Open MPI 5.0 leaves this header out; it says how a thread yields.
 */
#ifndef MTREE_SHIM_THREADS_PTHREADS_THREADS_H
#define MTREE_SHIM_THREADS_PTHREADS_THREADS_H

#include "opal_config.h"

/* libopen-pal's, by its parameter threads_pthreads_yield_strategy. */
OPAL_DECLSPEC extern void (*opal_threads_pthreads_yield_fn)(void);

static inline void opal_thread_yield(void)
{
    opal_threads_pthreads_yield_fn();
}

#endif
