/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that grow: a pointer, and the number of elements that there is memory for.
 */
#ifndef MTREE_BASE_ARRAY_H
#define MTREE_BASE_ARRAY_H

#include "base/status.h"

#include <stddef.h>

/*
 * Give the array whose pointer is at @a array_p, and for whose *@a capacity_p elements of
 * @a size bytes there is memory, memory for @a count of them at least.  The capacity
 * doubles, so appending one element at a time takes linear time.  The array is the
 * caller's, who frees it; NULL with a capacity of 0 is an empty one.
 *
 * MTREE_ERR_NO_MEMORY leaves it as it was.  Nothing is logged.
 */
mtree_status_t mtree_array_reserve(void *array_p, int *capacity_p, int count,
                                   size_t size);

#endif
