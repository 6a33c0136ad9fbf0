/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a probe is told, as lines of text (docs/probe.md, "The record"): what a user
 * can send in when the topology is wrong, and what tests replay.
 *
 *     host NAME ADDRESS SPEED
 *     address HOST ADDRESS               one more
 *     route FROM TO HOP...               "-": did not answer
 *     round NUMBER SECONDS PURPOSE       what follows was told at its end
 *     set BEGIN                          of the streams below, seconds into the round
 *     ping FROM TO LEAST MEDIAN
 *     stream FROM TO SECONDS BYTES ...   a pair for each mark
 *
 * Hosts are numbered from 0 in the order of their lines; figures are seconds, bytes and
 * bits/s.  An experiment that failed has no figures.
 */
#ifndef MTREE_TOPO_PROBE_RECORD_H
#define MTREE_TOPO_PROBE_RECORD_H

#include "topo/probe/probe.h"

#include <stdio.h>

/* Each writes its lines to @a log; NULL: nothing. */
void mtree_probe_log_hosts(FILE *log, const mtree_probe_host_t *hosts, int num_hosts);
void mtree_probe_log_address(FILE *log, int host, const char *address);
void mtree_probe_log_route(FILE *log, int from, int to, const char *const *hops,
                           int num_hops);
void mtree_probe_log_round(FILE *log, int number, double seconds, const char *purpose);
void mtree_probe_log_set(FILE *log, double begin);
void mtree_probe_log_result(FILE *log, const mtree_probe_experiment_t *experiment,
                            const mtree_probe_result_t *result);

#endif
