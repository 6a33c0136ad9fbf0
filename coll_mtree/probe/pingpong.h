/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round trips of a probe: a message and its answer, one pair after the other.
 */
#ifndef COLL_MTREE_PROBE_PINGPONG_H
#define COLL_MTREE_PROBE_PINGPONG_H

#include "coll_mtree/probe/experiments.h"

typedef struct coll_mtree_ping coll_mtree_ping_t;

/*
 * Begin this host's side of @a part, over @a channel, which stays.  The first round trip,
 * which may open the connection, is not counted.
 */
coll_mtree_ping_t *coll_mtree_ping_begin(const coll_mtree_channel_t *channel,
                                         const coll_mtree_probe_part_t *part);

/* Go on without waiting; true when it has ended or its time is over. */
bool coll_mtree_ping_advance(coll_mtree_ping_t *ping);

/* Free @a ping; on the host that sends what was measured is in @a result (NULL: it is
 * not wanted). */
void coll_mtree_ping_end(coll_mtree_ping_t *ping, mtree_probe_result_t *result);

#endif
