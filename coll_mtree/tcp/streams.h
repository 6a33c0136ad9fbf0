/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What coll_mtree_streams asks for: between which processes there are connections of
 * mtree's own, and how many.
 */
#ifndef COLL_MTREE_TCP_STREAMS_H
#define COLL_MTREE_TCP_STREAMS_H

#include "base/status.h"
#include "schedule/plan_part.h"
#include "schedule/stream.h"

typedef struct {
    int connections; /* between two processes; 0: none */
    bool is_auto;    /* only where they pay, and as many of them are used as do */
    bool carry_all;  /* wherever they can be had, whether they pay or not */
} coll_mtree_streams_t;

/* Of @a text: auto, or a number; empty: auto.  MTREE_ERR_INVALID: neither.  Nothing is
 * logged. */
mtree_status_t coll_mtree_streams_parse(const char *text, coll_mtree_streams_t *streams);

/* Have them carry all messages between hosts. */
void coll_mtree_streams_require(coll_mtree_streams_t *streams);

/* Connections that share what goes between two hosts where nothing is lost. */
int coll_mtree_streams_usual(const coll_mtree_streams_t *streams);

/*
 * Do the messages to @a peer, on another host, go over connections of mtree's own in a
 * call whose plan is made for @a bytes?  All of that comes from the plan, so both ends
 * answer the same.
 */
bool coll_mtree_streams_carry(const coll_mtree_streams_t *streams, double bytes,
                              const mtree_peer_t *peer);

/* May they on some edge of the plan of @a part?  The same on all ranks. */
bool coll_mtree_streams_carry_some(const coll_mtree_streams_t *streams,
                                   const mtree_plan_part_t *part);

#endif
