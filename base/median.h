/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The median of numbers.
 */
#ifndef MTREE_BASE_MEDIAN_H
#define MTREE_BASE_MEDIAN_H

/* The median of @a values, the upper one of two; sorts them.  @a count is at least 1. */
double mtree_median(double *values, int count);

#endif
