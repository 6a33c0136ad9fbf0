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
#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/probe/worker.h"

#include <time.h>

/* The channel of a probe on @a comm, whose module is @a module; all ranks call, in the
 * same order with its other reservations of tags. */
coll_mtree_channel_t coll_mtree_probe_channel(mca_coll_mtree_module_t *module,
                                              ompi_communicator_t *comm);

/* What earlier probes found between some of the hosts.  All zero: nothing. */
typedef struct {
    int count, capacity;
    char **texts;   /* [count] as a probe writes them; all malloc'ed */
    time_t oldest;  /* when the first of them was measured */
    bool was_used;  /* the probe took capacities from them */
    bool is_loaded; /* the probe was one under load */
} coll_mtree_probe_parts_t;

/* Free what it holds. */
void coll_mtree_probe_parts_cleanup(coll_mtree_probe_parts_t *parts);

/*
 * On rank 0: probe the network between the hosts of @a contributions [ranks], which
 * @a numbers numbers, but for capacities that @a parts have.  *text_p is the topology as
 * DOT with comments, malloc'ed.  Errors are logged.  Meanwhile the first rank on every
 * other host works for rank 0 (coll_mtree/probe/worker.h).
 */
mtree_status_t coll_mtree_probe_lead(const coll_mtree_channel_t *channel,
                                     const coll_mtree_host_numbers_t *numbers,
                                     const coll_mtree_host_t *contributions,
                                     coll_mtree_probe_parts_t *parts, char **text_p);

#endif
