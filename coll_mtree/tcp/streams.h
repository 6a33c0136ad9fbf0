/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What coll_mtree_streams asks for: between which processes there are connections of
 * mtree's own, and how many.
 */
#ifndef COLL_MTREE_TCP_STREAMS_H
#define COLL_MTREE_TCP_STREAMS_H

#include "base/status.h"
#include "schedule/plan_part.h"

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

/* The limit of open files with which a process can open @a wanted connections to each of
 * @a peers others, to which Open MPI opens @a openmpi; and how many it can with @a limit.
 */
double coll_mtree_streams_files(int peers, int openmpi, int wanted);
int coll_mtree_streams_within(double limit, int peers, int openmpi, int wanted);

/* Connections that share what goes between two hosts where nothing is lost. */
int coll_mtree_streams_usual(const coll_mtree_streams_t *streams);

/*
 * Do the messages between hosts of calls over the plan of @a part go over connections of
 * mtree's own?  The same on all ranks.  Where one edge is long all do: a packet that is
 * lost on a short one holds the others up as well.
 */
bool coll_mtree_streams_carry(const coll_mtree_streams_t *streams,
                              const mtree_plan_part_t *part);

#endif
