/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a probe has found, as a topology in DOT with comments.
 */
#ifndef COLL_MTREE_PROBE_FINDINGS_H
#define COLL_MTREE_PROBE_FINDINGS_H

#include "topo/probe/probe.h"

/* The text, malloc'ed, with a comment on the accuracy of each figure; the probe took
 * @a seconds, and @a load says that it was one under load, or is NULL. */
char *coll_mtree_probe_findings_text(const mtree_probe_findings_t *findings,
                                     double seconds, const char *load);

/* Let @a probe know the capacities that were measured according to @a text, which the
 * function above wrote.  Errors are logged. */
mtree_status_t coll_mtree_probe_findings_reuse(const char *text, mtree_probe_t *probe);

#endif
