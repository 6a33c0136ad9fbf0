/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that grow: a pointer and a capacity, the number of elements that fit.
 */
#ifndef MTREE_BASE_ARRAY_H
#define MTREE_BASE_ARRAY_H

#include <stddef.h>

/*
 * Make the capacity of an array at least @a count elements of @a size bytes.  @a array_p
 * points to the pointer to the array, @a capacity_p to its capacity; NULL and 0 are an
 * empty array.  The capacity doubles, so appending single elements takes linear time. The
 * caller frees the array.
 */
void mtree_array_reserve(void *array_p, int *capacity_p, int count,
                                   size_t size);

#endif
