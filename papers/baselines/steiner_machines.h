/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machines of papers/topology-adaptive.txt, Figure 3: GPUs that are joined inside a
 * machine by PCIe or NVLink, and machines that are joined with each other.
 *
 * The figure itself is not in the text.  Assumed here: four GPUs of a machine are joined
 * each to each; eight as in a DGX-1 (two rings of four, with diagonals, and a link from
 * each GPU to its twin); and every GPU has a path of the given bandwidth to every GPU of
 * the other machines, which is what makes "one one-hop tree rooted at each worker" use
 * all bandwidth on all links (Section VI-B).
 */
#ifndef MTREE_PAPERS_BASELINES_STEINER_MACHINES_H
#define MTREE_PAPERS_BASELINES_STEINER_MACHINES_H

#include "topo/topology.h"

typedef struct {
    int num_machines;
    int num_gpus;   /* a machine: 4 or 8 */
    double inside;  /* bits/s each way between GPUs of a machine that are joined */
    double outside; /* bits/s each way between GPUs of different machines */
} mtree_steiner_machines_t;

/*
 * The topology; vertex m * num_gpus + g is GPU g of machine m, named "m0A" and so on.
 * Owned by the caller. MTREE_ERR_INVALID for another number of GPUs (logged).
 */
mtree_status_t mtree_steiner_machines_create(const mtree_steiner_machines_t *machines,
                                             mtree_topology_t **topology_p);

#endif
