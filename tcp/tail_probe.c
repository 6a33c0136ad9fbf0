/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/tail_probe.h"

/* Seconds without a message before the first probe, and between two: a part of a long
 * round trip, since the kernel sends again what three packets behind have passed. */
#define GAP 0.004

/* Probes, after which the kernel's timeout is due and what is missing is no packet. */
#define MOST 50

bool mtree_tail_probe_is_due(mtree_tail_probe_t *probe, uint64_t written, double now)
{
    if (written != probe->written) {
        *probe = (mtree_tail_probe_t){.written = written, .due = now + GAP};
    }
    return now >= probe->due && probe->num < MOST;
}

void mtree_tail_probe_sent(mtree_tail_probe_t *probe, uint64_t written, double now)
{
    probe->written = written;
    probe->num++;
    probe->due = now + GAP;
}
