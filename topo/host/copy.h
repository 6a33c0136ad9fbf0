/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast this processor moves the bytes of messages.
 */
#ifndef MTREE_TOPO_HOST_COPY_H
#define MTREE_TOPO_HOST_COPY_H

/*
 * Seconds per byte that go to the kernel or come from it, the least of several tries, so
 * that other processes hardly change it; a millisecond in all.  0: the system does not
 * tell.
 */
double mtree_copy_seconds_per_byte(void);

#endif
