/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/state.h"

#include <stdarg.h>
#include <stdio.h>

/*
 * The record of a probe: its input as lines of text (docs/probe.md, "The record"), but
 * for first hops, interfaces and what is tried between these. Users send it in when a
 * topology is wrong, and tests replay it.
 *
 *     host NAME ADDRESS SPEED
 *     address HOST ADDRESS               another of the host
 *     route FROM TO HOP...               "-": did not answer
 *     round NUMBER SECONDS PURPOSE       its results follow
 *     ping FROM TO LEAST MEDIAN
 *     stream FROM TO SECONDS BYTES ...   a pair for each rate sample
 *
 * Hosts are numbered from 0 in the order of their lines; numbers are seconds, bytes and
 * bits/s.  An experiment that failed has none.
 */
void mtree_probe_write(const mtree_probe_t *probe, const char *format, ...)
{
    va_list args;

    if (probe->options.log != NULL) {
        va_start(args, format);
        (void)vfprintf(probe->options.log, format, args);
        va_end(args);
    }
}

void mtree_probe_add_experiment(mtree_probe_t *probe, mtree_probe_experiment_t experiment)
{
    mtree_probe_experiment_t *added =
        MTREE_ARENA_APPEND(&probe->arena, probe->experiments, probe->num_experiments,
                           probe->experiment_capacity);

    *added = experiment;
}
