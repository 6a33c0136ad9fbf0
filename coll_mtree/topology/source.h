/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a communicator's topology comes from, and when: the file that coll_mtree_topology
 * names, the cache, or the probe.
 *
 * All ranks change state at the same call.  At the first blocking call that mtree could
 * serve rank 0 decides and sends its decision.
 * Nonblocking calls go to the fallback until then, since they cannot wait.  Where calls
 * are encrypted the default plan takes its place.  With `auto` rank 0 reads the cache;
 * when it finds nothing the first blocking call of 1 MiB or more probes.
 */
#ifndef COLL_MTREE_TOPOLOGY_SOURCE_H
#define COLL_MTREE_TOPOLOGY_SOURCE_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"

#include "topo/topology.h"

/* How far the ranks are, the same on all in a blocking call. */
typedef struct {
    bool is_asked;     /* rank 0 has decided, at a first call */
    bool has_topology; /* it has one */
    bool cannot_serve; /* it cannot have one */
} coll_mtree_source_state_t;

/* The source of @a comm, whose module is @a module, between @a hosts, which stay. */
void coll_mtree_source_create(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                              const coll_mtree_hosts_t *hosts);

/* True when rank 0 has a topology, so that mtree may serve calls. */
bool coll_mtree_source_has_topology(const mca_coll_mtree_module_t *module);

/*
 * The same in a blocking call of @a bytes, the same on all ranks, which may wait until
 * rank 0 has learned one, unless @a agreed (NULL: nothing is) says how that ends; else it
 * does afterwards.  When rank 0 cannot, module->cannot_serve is set.
 */
bool coll_mtree_source_learn(mca_coll_mtree_module_t *module, double bytes,
                             coll_mtree_source_state_t *agreed);

/* On rank 0: the topology for @a hosts.  NULL when there is none, which is logged once.
 */
const mtree_topology_t *coll_mtree_source_topology(const coll_mtree_hosts_t *hosts);

/* Free what a module holds for this. */
void coll_mtree_source_destroy(mca_coll_mtree_module_t *module);

/* No round trip between two hosts takes longer by coll_mtree_topology, seconds; 0: each
 * link is short, or names its ends, or there is no such file. */
double coll_mtree_source_user_trip(void);

/* Free the topologies that this process has learned or read. */
void coll_mtree_source_close(void);

#endif
