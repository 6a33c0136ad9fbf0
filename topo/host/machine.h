/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine that a process runs on, according to hwloc: packages, NUMA nodes, caches
 * and cores, and the places of its network interfaces.  Only topo/host/machine.c includes
 * hwloc.
 */
#ifndef MTREE_TOPO_HOST_MACHINE_H
#define MTREE_TOPO_HOST_MACHINE_H

#include "base/status.h"
#include "topo/host/locality.h"

struct hwloc_topology;

typedef struct mtree_machine mtree_machine_t;

/*
 * Explore this machine or, when @a path is not NULL, read one that hwloc wrote as XML.
 * Owned by the caller.  MTREE_ERR_IO, logged.
 */
mtree_status_t mtree_machine_load(const char *path, mtree_machine_t **machine_p);

/*
 * Use @a topology, the loaded one of this machine, which must outlive the result.
 * MTREE_ERR_UNSUPPORTED, not logged, when it comes from another version of hwloc.
 */
mtree_status_t mtree_machine_borrow(struct hwloc_topology *topology,
                                    mtree_machine_t **machine_p);

/* Free; NULL is allowed. */
void mtree_machine_destroy(mtree_machine_t *machine);

/* The locality of the calling process, without its distance to the network. */
mtree_locality_t mtree_machine_locate_self(const mtree_machine_t *machine);

/* The locality of a process that is bound to core number @a core in hwloc's logical
 * order. */
mtree_locality_t mtree_machine_locate_core(const mtree_machine_t *machine, int core);

int mtree_machine_num_cores(const mtree_machine_t *machine);

/*
 * The interfaces in hwloc's order, without those that have no device (bridges, tunnels);
 * owned by the caller, *num_p of them.  Speeds of this machine are the system's; those of
 * a machine read from a file are the speeds of the slots.
 */
mtree_nic_t *mtree_machine_nics(const mtree_machine_t *machine, int *num_p);

#endif
