/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks.
 */
#ifndef MTREE_BASE_CLOCK_H
#define MTREE_BASE_CLOCK_H

/* Seconds since some time before this process began; monotonic. */
double mtree_clock_seconds(void);

/* Seconds of the processor that the calling thread has taken. */
double mtree_clock_thread_seconds(void);

/* Sleep for @a seconds, or until a signal.  Returns at once if @a seconds <= 0. */
void mtree_clock_sleep(double seconds);

#endif
