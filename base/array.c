/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"

#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 8

void mtree_array_reserve(void *array_p, int *capacity_p, int count, size_t size)
{
    int capacity = *capacity_p > 0 ? *capacity_p : FIRST_CAPACITY;
    void *array;

    if (count <= *capacity_p) {
        return;
    }
    while (capacity < count) {
        capacity = capacity > INT_MAX / 2 ? INT_MAX : 2 * capacity;
    }
    memcpy(&array, array_p, sizeof(array));
    array = mtree_existing(reallocarray(array, (size_t)capacity, size));
    memcpy(array_p, &array, sizeof(array));
    *capacity_p = capacity;
}
