/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Switches in the place of links that share an interface.
 */
#ifndef MTREE_TOPO_PROBE_SHARED_H
#define MTREE_TOPO_PROBE_SHARED_H

#include "topo/probe/graph.h"

/*
 * A copy of @a graph with switches behind the interfaces of the hosts for which
 * @a shared[host] is set.  Three or more such hosts that are linked, and none of which
 * has a known path of several links to another, are joined by one switch instead of their
 * links.  Any other such host gets a switch of its own, to which its links move.  The
 * caller clears @a split.
 */
void mtree_probe_split_shared(const mtree_probe_graph_t *graph, const bool *shared,
                              mtree_probe_graph_t *split);

#endif
