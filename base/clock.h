/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock.
 */
#ifndef MTREE_BASE_CLOCK_H
#define MTREE_BASE_CLOCK_H

/* Seconds since some time before this process began; monotonic. */
double mtree_clock_seconds(void);

#endif
