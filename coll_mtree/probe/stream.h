/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream of a probe: messages one after the other, as many at a time as fill the path,
 * and when they come in.
 */
#ifndef COLL_MTREE_PROBE_STREAM_H
#define COLL_MTREE_PROBE_STREAM_H

#include "coll_mtree/probe/experiments.h"

typedef struct coll_mtree_stream coll_mtree_stream_t;

/* Begin this host's side of @a part, over @a channel, which stays.  NULL: no memory. */
coll_mtree_stream_t *coll_mtree_stream_begin(const coll_mtree_channel_t *channel,
                                             const coll_mtree_probe_part_t *part);

/* Go on without waiting; true when it has ended or its time is over. */
bool coll_mtree_stream_advance(coll_mtree_stream_t *stream);

/* On the host that receives: the marks, into @a result (NULL: nothing is wanted); then
 * free it. */
void coll_mtree_stream_end(coll_mtree_stream_t *stream, mtree_probe_result_t *result);

#endif
