/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of a probe: all of its input as lines of text (docs/probe.md, "The record").
 * Users send it in when a topology is wrong, and tests replay it.
 *
 *     host NAME ADDRESS SPEED
 *     address HOST ADDRESS               another of the host
 *     route FROM TO HOP...               "-": did not answer
 *     round NUMBER SECONDS PURPOSE       its results follow
 *     set BEGIN                          of the streams below, seconds after the round's
 *     ping FROM TO LEAST MEDIAN
 *     stream FROM TO SECONDS BYTES ...   a pair for each rate sample
 *
 * Hosts are numbered from 0 in the order of their lines; numbers are seconds, bytes and
 * bits/s.  An experiment that failed has none.
 */
#ifndef MTREE_TOPO_PROBE_RECORD_H
#define MTREE_TOPO_PROBE_RECORD_H

#include "topo/probe/probe.h"

#include <stdio.h>

/* Each writes its lines to @a log, unless that is NULL. */
void mtree_probe_log_hosts(FILE *log, const mtree_probe_host_t *hosts, int num_hosts);
void mtree_probe_log_address(FILE *log, int host, const char *address);
void mtree_probe_log_route(FILE *log, int from, int to, const char *const *hops,
                           int num_hops);
void mtree_probe_log_round(FILE *log, int number, double seconds, const char *purpose);
void mtree_probe_log_set(FILE *log, double begin);
void mtree_probe_log_result(FILE *log, const mtree_probe_experiment_t *experiment,
                            const mtree_probe_result_t *result);

#endif
