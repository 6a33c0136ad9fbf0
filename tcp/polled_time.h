/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time that a process spends in polling.  What waits for another process counts this
 * one's own polling: after hours of computing, or when the machine was stopped, all that
 * came meanwhile is to be read before anything is late.
 */
#ifndef MTREE_TCP_POLLED_TIME_H
#define MTREE_TCP_POLLED_TIME_H

/* Seconds between two polls that count at most. */
#define MTREE_TCP_LONGEST_POLL 0.1

/* Zeros are its initial value. */
typedef struct {
    double seconds;
    double last; /* mtree_clock_seconds() of the last poll; 0: there was none */
} mtree_tcp_polled_time_t;

/* The process polls at @a now. */
static inline void mtree_tcp_polled_time_add(mtree_tcp_polled_time_t *time, double now)
{
    double step = time->last > 0 ? now - time->last : 0;

    time->seconds += step < MTREE_TCP_LONGEST_POLL ? step : MTREE_TCP_LONGEST_POLL;
    time->last = now;
}

#endif
