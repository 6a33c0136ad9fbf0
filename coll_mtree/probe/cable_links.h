/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0's side of trying cables (coll_mtree/probe/cables.h), and what they add to the
 * topology that the probe has found.
 */
#ifndef COLL_MTREE_PROBE_CABLE_LINKS_H
#define COLL_MTREE_PROBE_CABLE_LINKS_H

#include "coll_mtree/probe/coordinator.h"

/* Cables that were found. */
typedef struct {
    int hosts[2];
    mtree_cable_t cable; /* with its ends at these */
    double latency;      /* seconds, one way */
} coll_mtree_probe_cable_t;

typedef struct {
    int num;
    coll_mtree_probe_cable_t *list; /* [num] */
} coll_mtree_probe_cables_t;

/* Try the cables between the hosts of @a coordinator.  Open MPI's code; @a cables is to
 * be cleaned up all the same. */
int coll_mtree_probe_cables_find(coll_mtree_probe_coordinator_t *coordinator,
                                 coll_mtree_probe_cables_t *cables);

/* Add @a cables to @a findings, whose first vertices are the hosts.  Where hosts are
 * joined by a link already the cables take its place. */
mtree_status_t coll_mtree_probe_cables_add(const coll_mtree_probe_cables_t *cables,
                                           mtree_probe_findings_t *findings);

void coll_mtree_probe_cables_cleanup(coll_mtree_probe_cables_t *cables);

#endif
