/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The probe's messages over the PML.  Whoever waits for one asks again and again and has
 * a deadline of its own, so that a host that has gone cannot hold up the others.
 */
#ifndef COLL_MTREE_PROBE_MESSAGE_H
#define COLL_MTREE_PROBE_MESSAGE_H

#include "coll_mtree/compat.h"

#include "ompi/communicator/communicator.h"
#include "ompi/request/request.h"

/* Start one; false when the PML refuses. */
bool coll_mtree_probe_send(ompi_communicator_t *comm, int peer, int tag,
                           const void *bytes, size_t length, ompi_request_t **request_p);
bool coll_mtree_probe_recv(ompi_communicator_t *comm, int peer, int tag, void *bytes,
                           size_t length, ompi_request_t **request_p);

/*
 * True when it has come to its end, or *request_p is NULL, as it is from then on;
 * *length_p (may be NULL) is what was received.  One that failed has come to its end and
 * left the bytes of a receive as they were.
 */
bool coll_mtree_probe_done(ompi_request_t **request_p, size_t *length_p);

/*
 * Give it up; *request_p is NULL after it.  False: the PML may still use the bytes, which
 * must stay for good.
 */
bool coll_mtree_probe_abandon(ompi_request_t **request_p);

/* How soon something may be expected to happen. */
typedef enum {
    COLL_MTREE_WAIT_AT_ONCE, /* a round trip is under way: its time is of interest */
    COLL_MTREE_WAIT_SOON,    /* a stream is under way: its rate is of interest */
    COLL_MTREE_WAIT_LATER
} coll_mtree_wait_t;

/*
 * Let messages go on while waiting, and other processes too.  Where processes share
 * processors, those that only look again and again would keep others from theirs for
 * milliseconds, so that streams would seem to come in lumps.
 */
void coll_mtree_probe_progress_wait(coll_mtree_wait_t wait);

#endif
