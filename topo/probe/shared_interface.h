/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts whose links share one interface: the switch that routes do not show.
 */
#ifndef MTREE_TOPO_PROBE_SHARED_INTERFACE_H
#define MTREE_TOPO_PROBE_SHARED_INTERFACE_H

#include "topo/probe/graph.h"

/*
 * The graph of @a graph with the switches behind the interfaces of the hosts for which
 * @a shared[host] is set: three or more of them that are linked, and none of which is
 * known to reach another by more than a link, hang on one switch, which takes the place
 * of their links; any other gets a switch of its own, to which its links move.  The
 * caller clears *graph_p.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_probe_sharing_split(const mtree_probe_graph_t *graph,
                                         const bool *shared,
                                         mtree_probe_graph_t *graph_p);

#endif
