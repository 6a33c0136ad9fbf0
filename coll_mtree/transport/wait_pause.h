/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a rank that waits for rank 0's planning thread sleeps before it looks again.
 *
 * The planning thread may share a processor with many ranks, which all wait for it.  Each
 * look of theirs takes time that it needs: 128 ranks on two processors that looked every
 * 0.3 ms left it a fiftieth of one.
 */
#ifndef COLL_MTREE_TRANSPORT_WAIT_PAUSE_H
#define COLL_MTREE_TRANSPORT_WAIT_PAUSE_H

#include <stdbool.h>

/* The shortest and the longest sleep, seconds; the part of the time waited between them.
 * The reply passes several ranks on its way, each of which may sleep. */
#define COLL_MTREE_WAIT_PAUSE_LEAST 0.0003
#define COLL_MTREE_WAIT_PAUSE_MOST  0.01
#define COLL_MTREE_WAIT_PAUSE_PART  (1.0 / 32)

/* An exchange whose reply is at hand is over by then, in seconds. */
#define COLL_MTREE_WAIT_PAUSE_MOMENT 0.002

/*
 * The seconds to sleep of a rank that has waited for @a waited seconds; 0: look again at
 * once.  Only where ranks share processors (@a shares_processors) does the sleep grow
 * with the time waited: elsewhere looks take time from nobody.
 */
double coll_mtree_wait_pause(double waited, bool shares_processors);

#endif
