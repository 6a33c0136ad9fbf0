/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long this thread had to wait for a processor, by the kernel's count.
 */
#ifndef MTREE_TOPO_HOST_PRESSURE_H
#define MTREE_TOPO_HOST_PRESSURE_H

/* Sent as it is; 0 where the system does not tell. */
typedef struct {
    double waited; /* seconds that this thread was ready to run and did not */
    double stolen; /* seconds that a hypervisor took from each processor, on average */
} mtree_pressure_t;

/* Both since the system was started; only differences mean anything. */
void mtree_pressure_read(mtree_pressure_t *pressure);

#endif
