/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Localities: the part of its host that a process is bound to, and its distance to the
 * host's network interfaces.  Pure data, small enough to be sent with a host's name.
 */
#ifndef MTREE_TOPO_HOST_LOCALITY_H
#define MTREE_TOPO_HOST_LOCALITY_H

#include "topo/host/nic.h"

#include <stdbool.h>
#include <stdint.h>

/* Parts of a host that processes may share, the widest first. */
#define MTREE_LOCALITY_LEVELS 4

/* The distance of a process to the nearest network interface. */
enum { MTREE_NEAR_NUMA, MTREE_NEAR_PACKAGE, MTREE_NEAR_HOST };

typedef struct {
    int16_t package; /* numbers by hwloc's logical order; -1: bound to no single one */
    int16_t numa;
    int16_t cache; /* the widest that several cores share and that is narrower than
                      package and NUMA node */
    int16_t core;
    int16_t wide_numa; /* 1: NUMA nodes of this host contain packages; else 0 */
    int16_t near;      /* MTREE_NEAR_x; MTREE_NEAR_HOST also when the place of no
                          interface is known */
} mtree_locality_t;

/* The locality of a process that is not bound or not known. */
mtree_locality_t mtree_locality_unknown(void);

/* True when at least the package or the NUMA node is known. */
bool mtree_locality_is_known(const mtree_locality_t *locality);

/* The part of @a locality at @a level (0: the widest); -1: none. */
int mtree_locality_part(const mtree_locality_t *locality, int level);

/* Compare two localities of one host by their parts, the widest first: negative, 0 or
 * positive, as for qsort(). */
int mtree_locality_compare(const mtree_locality_t *a, const mtree_locality_t *b);

/* Set the distance of @a locality to the nearest of @a num_nics interfaces of its host,
 * without those slower than half of the fastest. */
void mtree_locality_measure(mtree_locality_t *locality, const mtree_nic_t *nics,
                            int num_nics);

#endif
