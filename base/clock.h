/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one clock of real time.
 */
#ifndef MTREE_BASE_CLOCK_H
#define MTREE_BASE_CLOCK_H

/* Seconds since some moment before this process began; never goes back. */
double mtree_clock_seconds(void);

#endif
