/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The probe as it runs: the ranks of a communicator find out what network joins their
 * hosts (topo/probe/probe.h says what is measured, docs/probe.md how it goes).
 *
 * The first rank on each host takes part, rank 0 leads, the others wait.
 */
#ifndef COLL_MTREE_PROBE_PROBE_H
#define COLL_MTREE_PROBE_PROBE_H

#include "coll_mtree/control/host.h"
#include "coll_mtree/probe/worker.h"

/* Seconds that a probe of so many hosts may be expected to take. */
double coll_mtree_probe_expected_seconds(int num_hosts);

/* The channel of a probe on @a comm, whose module is @a module; all ranks call, in the
 * same order with its other reservations of tags. */
coll_mtree_channel_t coll_mtree_probe_channel(mca_coll_mtree_module_t *module,
                                              ompi_communicator_t *comm);

/*
 * On rank 0: probe, with @a host [ranks] the number of each rank's host, counted in the
 * order in which the ranks name them, and @a contribution [ranks] what each rank said of
 * it. *text_p is the topology as DOT with comments, malloc'ed.  OMPI_ERROR, having said
 * why.
 */
int coll_mtree_probe_lead(const coll_mtree_channel_t *channel, int num_hosts,
                          const int *host, const coll_mtree_host_t *contribution,
                          char **text_p);

/* On every other rank, at the same time: take part, if it is this one's. */
void coll_mtree_probe_serve(const coll_mtree_channel_t *channel, const int *host);

#endif
