/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream of a probe: one host sends messages, as many at a time as fill the path, and
 * the other records when they come in.
 */
#ifndef COLL_MTREE_PROBE_STREAM_H
#define COLL_MTREE_PROBE_STREAM_H

#include "coll_mtree/probe/experiments.h"

typedef struct coll_mtree_stream coll_mtree_stream_t;

/* Begin this host's side of @a part, over @a channel, which stays. */
coll_mtree_stream_t *coll_mtree_stream_begin(const coll_mtree_channel_t *channel,
                                             const coll_mtree_probe_part_t *part);

/* Go on without waiting; true when it has ended or its time is over. */
bool coll_mtree_stream_advance(coll_mtree_stream_t *stream);

/* Free @a stream; on the host that receives the rate samples are in @a result (NULL: they
 * are not wanted). */
void coll_mtree_stream_end(coll_mtree_stream_t *stream, mtree_probe_result_t *result);

#endif
