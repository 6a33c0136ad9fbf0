/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hops: which routers and hosts answer for packets that may pass only so many of them.
 *
 * A probe is a UDP packet to a port where nobody listens, with a limit of hops; the
 * router at which it ends, or the host that it reaches, answers with an ICMP message,
 * which Linux hands to the socket that sent (IP_RECVERR in ip(7)), so no rights are
 * needed.  It is what tracepath(8) does.  Routers answer seldom: Linux lets pass six
 * answers a host that asks, then one a second, so ask little
 * (topo/probe/traceroute_search.h).
 */
#ifndef MTREE_TOPO_HOST_TRACEROUTE_H
#define MTREE_TOPO_HOST_TRACEROUTE_H

#include "base/address.h"

#define MTREE_HOPS_MAX_PROBES 4096 /* of one batch */

typedef enum {
    MTREE_HOP_SILENT,  /* no answer */
    MTREE_HOP_ROUTER,  /* it ended there: a hop on the way */
    MTREE_HOP_TARGET,  /* it arrived */
    MTREE_HOP_REFUSED, /* somebody said that it cannot go on to there */
} mtree_traceroute_answer_t;

typedef struct {
    mtree_address_t to;
    int limit;                        /* hops that it may pass, 1 to 255 */
    mtree_traceroute_answer_t answer; /* this and the following are set by the probing */
    mtree_address_t from;             /* who answered */
    double round_trip;                /* seconds, by this host's clock; 0: not known */
} mtree_traceroute_probe_t;

typedef struct mtree_traceroute mtree_traceroute_t;

/*
 * Send @a num_probes probes from the address @a own, all of its family.  @a probes must
 * stay until the end.  An answer is waited for for @a patience seconds; who was silent is
 * asked once more after a second, when a router may answer again.  MTREE_ERR_IO and
 * MTREE_ERR_LIMIT, with a debug line: a network without such answers is no error of the
 * user's.
 */
mtree_status_t mtree_traceroute_start(const mtree_address_t *own,
                                      mtree_traceroute_probe_t *probes, int num_probes,
                                      double patience, mtree_traceroute_t **hops_p);

/* Take the answers that are there, without waiting.  True when there is nothing more to
 * wait for. */
bool mtree_traceroute_advance(mtree_traceroute_t *hops);

/* End, answered or not; NULL is allowed. */
void mtree_traceroute_destroy(mtree_traceroute_t *hops);

#endif
