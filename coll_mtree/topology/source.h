/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a communicator's topology comes from: the file that coll_mtree_topology names,
 * the cache, or the probe; and when.
 *
 * All ranks go from state to state at the same call: at blocking calls that mtree could
 * serve, of which rank 0 tells the others what it decided.  Nonblocking calls fall back
 * until then, for they cannot wait.  With `auto`, rank 0 looks into the cache at the
 * first such call; without success it hears at call 16, 32, 64 ... how long the ranks
 * were in them, and probes when that is PAYBACK times as long as the probe will take.
 */
#ifndef COLL_MTREE_TOPOLOGY_SOURCE_H
#define COLL_MTREE_TOPOLOGY_SOURCE_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"

#include "topo/topology.h"

/* Before the calls below, as often as one likes.  False: no memory, which other ranks do
 * not know of, so that it must not decide who serves. */
bool coll_mtree_source_create(mca_coll_mtree_module_t *module, ompi_communicator_t *comm);

/*
 * True when rank 0 has a topology, so that mtree may serve calls of @a collective.  A
 * @a blocking call may wait until it has learned one; when it cannot, module->unserved is
 * set.
 */
bool coll_mtree_source_is_settled(mca_coll_mtree_module_t *module,
                                  mtree_collective_t collective, bool blocking);

/* Around a call of the fallback that mtree could have served: what it took is what the
 * probe has to pay back. */
double coll_mtree_source_watch(const mca_coll_mtree_module_t *module);
void coll_mtree_source_watched(mca_coll_mtree_module_t *module, double began);

/* On rank 0: the topology for the hosts of @a contribution [ranks], with its name for
 * messages in *name_p.  NULL, having said why once, when there is none. */
const mtree_topology_t *coll_mtree_source_topology(const coll_mtree_host_t *contribution,
                                                   int ranks, const char **name_p);

/* Free what a module holds for this. */
void coll_mtree_source_destroy(mca_coll_mtree_module_t *module);

#endif
