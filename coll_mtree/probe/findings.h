/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a probe has found, as a topology in DOT with comments.
 */
#ifndef COLL_MTREE_PROBE_FINDINGS_H
#define COLL_MTREE_PROBE_FINDINGS_H

#include "topo/probe/probe.h"

/* The text, malloc'ed, with a comment on the accuracy of each figure; the probe took
 * @a seconds.  NULL: no memory, or the topology cannot be written. */
char *coll_mtree_probe_findings_text(const mtree_probe_findings_t *findings,
                                     double seconds);

#endif
