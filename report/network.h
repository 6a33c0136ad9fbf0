/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The topologies of a report, written and read.
 */
#ifndef MTREE_REPORT_NETWORK_H
#define MTREE_REPORT_NETWORK_H

#include "topo/topology.h"

#include <jansson.h>

/* The topology as docs/report.md describes it: capacities as they were last measured, and
 * as its copy @a map has them; @a origin says where that came from.  The caller's; NULL:
 * no memory. */
json_t *mtree_report_network(const mtree_topology_t *topology,
                             const mtree_topology_t *map, const char *origin);

/* The reverse; *topology_p is the caller's.  MTREE_ERR_NO_MEMORY, MTREE_ERR_INVALID; both
 * are logged. */
mtree_status_t mtree_report_network_read(const json_t *json,
                                         mtree_topology_t **topology_p);

#endif
