/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine that a process runs on, seen through hwloc: packages, NUMA nodes, caches
 * and cores, and where its network interfaces hang.  Only topo/host/machine.c includes
 * hwloc.
 */
#ifndef MTREE_TOPO_HOST_MACHINE_H
#define MTREE_TOPO_HOST_MACHINE_H

#include "base/status.h"
#include "topo/host/locality.h"

struct hwloc_topology;

typedef struct mtree_machine mtree_machine_t;

/*
 * Find out about this machine or, when @a path is not NULL, read one that hwloc wrote as
 * XML.  Owned by the caller.  MTREE_ERR_IO, logged.
 */
mtree_status_t mtree_machine_load(const char *path, mtree_machine_t **machine_p);

/*
 * Use @a topology, loaded and this machine's, which somebody else keeps for as long.
 * MTREE_ERR_UNSUPPORTED, not logged, when it comes from another hwloc than ours.
 */
mtree_status_t mtree_machine_borrow(struct hwloc_topology *topology,
                                    mtree_machine_t **machine_p);

/* Free; NULL is allowed. */
void mtree_machine_destroy(mtree_machine_t *machine);

/* Where the calling process is bound to, its distance to the network not measured yet. */
mtree_locality_t mtree_machine_locate_self(const mtree_machine_t *machine);

/* Where a process would be that is bound to core number @a core, by hwloc's logical
 * order. */
mtree_locality_t mtree_machine_locate_core(const mtree_machine_t *machine, int core);

int mtree_machine_num_cores(const mtree_machine_t *machine);

/*
 * The interfaces that hwloc shows, in its order, those of no device of their own
 * (bridges, tunnels) left out; owned by the caller, *num_p of them.  Speeds of this
 * machine are the system's, of one that was read those of the slots they sit in.
 */
mtree_status_t mtree_machine_nics(const mtree_machine_t *machine, mtree_nic_t **nics_p,
                                  int *num_p);

#endif
