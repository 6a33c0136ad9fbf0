/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Was a probe disturbed by what else the hosts and the network did?
 */
#ifndef MTREE_TOPO_PROBE_LOAD_H
#define MTREE_TOPO_PROBE_LOAD_H

#include "topo/host/processor.h"

typedef struct {
    double seconds;         /* that the probe took */
    mtree_pressure_t worst; /* in that time, of any host */
    int num_repeated;       /* capacities that were measured more than once */
    int num_unsteady;       /* of these, where the measurements differ */
} mtree_probe_load_t;

/* Why the probe counts as one under load, for a message; NULL: it does not. */
const char *mtree_probe_load_reason(const mtree_probe_load_t *load);

#endif
