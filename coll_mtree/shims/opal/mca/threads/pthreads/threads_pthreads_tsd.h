/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debian's Open MPI 5.0 leaves this header out; it has what a thread keeps for itself.
 */
#ifndef MTREE_SHIM_THREADS_PTHREADS_TSD_H
#define MTREE_SHIM_THREADS_PTHREADS_TSD_H

#include "opal/constants.h"

#include <pthread.h>

typedef pthread_key_t opal_tsd_key_t;

static inline int opal_tsd_get(opal_tsd_key_t key, void **value_p)
{
    *value_p = pthread_getspecific(key);
    return OPAL_SUCCESS;
}

#endif
