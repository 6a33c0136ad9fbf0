/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/median.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double mtree_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare);
    return values[count / 2];
}
