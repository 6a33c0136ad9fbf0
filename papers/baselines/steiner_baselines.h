/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schemes that papers/topology-adaptive.txt compares with (Section VI-A), on its
 * machines: seconds by the same fluid model, a phase lasting as long as its busiest arc.
 *
 * Where the paper leaves a choice, the faster one is taken: reduce and broadcast of ring,
 * double trees and parameter servers overlap perfectly, and Blink's machine-local trees
 * have all local workers as roots.
 */
#ifndef MTREE_PAPERS_BASELINES_STEINER_BASELINES_H
#define MTREE_PAPERS_BASELINES_STEINER_BASELINES_H

#include "papers/baselines/steiner_machines.h"

typedef enum {
    MTREE_BASELINE_BLINK, /* packed trees in each machine, rings of machines, packed trees
                           */
    MTREE_BASELINE_PLINK, /* a tree in each machine, a tree of machines, a tree in each
                             machine */
    MTREE_BASELINE_RING,  /* one ring over the active workers, machine by machine */
    MTREE_BASELINE_DOUBLE_TREE, /* two binary trees, each with half of the parameters */
    MTREE_BASELINE_PARAMETER_SERVER, /* every active worker serves an equal part */
    MTREE_BASELINE_LAST
} mtree_steiner_baseline_t;

/* "blink", "plink", "ring", "double_tree", "parameter_server". */
const char *mtree_steiner_baseline_name(mtree_steiner_baseline_t baseline);

/*
 * Seconds to synchronise @a bytes among the GPUs @a active (vertices of @a topology,
 * rising), which @a machines made.  Workers that are not joined take the shortest way
 * through others.  At least two must be active. Errors are logged.
 */
mtree_status_t mtree_steiner_baseline_seconds(const mtree_topology_t *topology,
                                              const mtree_steiner_machines_t *machines,
                                              const int *active, int num_active,
                                              mtree_steiner_baseline_t baseline,
                                              double bytes, double *seconds_p);

#endif
