/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cancel.h"

#include <stdatomic.h>

static atomic_bool flag;

void mtree_cancel_set(bool is_cancelled)
{
    atomic_store(&flag, is_cancelled);
}

bool mtree_cancel_is_set(void)
{
    return atomic_load_explicit(&flag, memory_order_relaxed);
}
