/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this host's processors do: how long a thread had to wait for one, by the kernel's
 * count, and how fast they move the bytes of messages.
 */
#ifndef MTREE_TOPO_HOST_PROCESSOR_H
#define MTREE_TOPO_HOST_PROCESSOR_H

/* Sent as it is; 0 where the system does not tell. */
typedef struct {
    double waited; /* seconds that this thread was ready to run and did not */
    double stolen; /* seconds that a hypervisor took from each processor, on average */
} mtree_pressure_t;

/* Both since the system was started; only differences mean anything. */
void mtree_pressure_read(mtree_pressure_t *pressure);

/*
 * Seconds per byte that go to the kernel or come from it, the least of several tries, so
 * that other processes hardly change it; a millisecond in all.  0: the system does not
 * tell.
 */
double mtree_copy_seconds_per_byte(void);

#endif
