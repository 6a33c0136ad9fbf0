/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The probe: the ranks of a communicator find out what network joins their hosts
 * (topo/probe/probe.h says what is measured, docs/probe.md how).
 *
 * The first rank on each host takes part, rank 0 leads, the others wait.
 */
#ifndef COLL_MTREE_PROBE_PROBE_H
#define COLL_MTREE_PROBE_PROBE_H

#include "coll_mtree/control/host.h"
#include "coll_mtree/probe/worker.h"

#include "topo/dot/cache.h"

/* The channel of a probe on @a comm, whose module is @a module; all ranks call, in the
 * same order with its other reservations of tags. */
coll_mtree_channel_t coll_mtree_probe_channel(mca_coll_mtree_module_t *module,
                                              ompi_communicator_t *comm);

/*
 * On rank 0: probe the network between @a hosts, but for capacities that files of @a
 * cache, unless it is NULL, have of some of them.  *text_p is the topology as DOT with
 * comments, malloc'ed, *stamp_p when and how it was measured.  Errors are logged.
 * Meanwhile the first rank on every other host works for rank 0
 * (coll_mtree/probe/worker.h).
 */
mtree_status_t coll_mtree_probe_lead(const coll_mtree_channel_t *channel,
                                     const coll_mtree_hosts_t *hosts,
                                     mtree_cache_t *cache, mtree_cache_stamp_t *stamp_p,
                                     char **text_p);

#endif
