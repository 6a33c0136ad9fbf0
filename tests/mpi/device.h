/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a device that does not exist: a range of addresses that the processor may
 * not read or write, mapped a second time MTREE_DEVICE_BYTES behind, where it may.
 * accelerator_device.c copies from and to the one over the other.
 */
#ifndef MTREE_TESTS_MPI_DEVICE_H
#define MTREE_TESTS_MPI_DEVICE_H

#include <stdint.h>

#define MTREE_DEVICE_BEGIN ((uintptr_t)0x510000000000)
#define MTREE_DEVICE_BYTES ((uintptr_t)1 << 24)

#endif
