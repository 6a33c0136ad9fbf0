/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: the kernel's first hop, and traceroute, the routers and hosts that answer
 * packets with a limit of hops.
 *
 * A probe is a UDP packet with a limit of hops to a port without a listener.  The router
 * at which it ends, or the host that it reaches, answers with an ICMP message.  Linux
 * hands the message to the sending socket (IP_RECVERR in ip(7)), so no privileges are
 * needed; tracepath(8) works the same way.  Routers limit their answers: Linux sends six
 * to one host and then one per second, so probes must be few
 * (topo/probe/traceroute_search.h).
 */
#ifndef MTREE_TOPO_HOST_TRACEROUTE_H
#define MTREE_TOPO_HOST_TRACEROUTE_H

#include "base/address.h"

#define MTREE_HOPS_MAX_PROBES 4096 /* of one batch */

typedef enum {
    MTREE_HOP_SILENT,  /* no answer */
    MTREE_HOP_ROUTER,  /* a router, at which the probe ended */
    MTREE_HOP_TARGET,  /* the target itself */
    MTREE_HOP_REFUSED, /* a router that has no route to the target */
} mtree_traceroute_answer_t;

typedef struct {
    mtree_address_t to;
    int limit;                        /* hops that it may pass, 1 to 255 */
    mtree_traceroute_answer_t answer; /* this and the following are results */
    mtree_address_t from;             /* who answered */
} mtree_traceroute_probe_t;

typedef struct mtree_traceroute mtree_traceroute_t;

/*
 * Send @a num_probes probes from the address @a own to addresses of its family.  @a
 * probes must outlive the result.  The timeout for an answer is @a timeout seconds; after
 * a second, when routers may answer again, silent hops are probed once more. MTREE_ERR_IO
 * and MTREE_ERR_LIMIT with a debug line, as a network without such answers is no error of
 * the user.
 */
mtree_status_t mtree_traceroute_start(const mtree_address_t *own,
                                      mtree_traceroute_probe_t *probes, int num_probes,
                                      double timeout, mtree_traceroute_t **hops_p);

/* Receive the answers that have arrived, without waiting.  True when nothing more is to
 * be waited for. */
bool mtree_traceroute_advance(mtree_traceroute_t *hops);

/* End, answered or not; NULL is allowed. */
void mtree_traceroute_destroy(mtree_traceroute_t *hops);

/* The device and gateway through which this host sends to another, as `ip route get`
 * shows them. */
typedef struct {
    int device;              /* the kernel's index of it */
    mtree_address_t gateway; /* none: the other host is on the device's network, or behind
                              * a network that forwards invisibly */
} mtree_kernel_route_t;

/* The first hop of packets to @a to.  MTREE_ERR_IO, not logged, when the kernel does not
 * answer. */
mtree_status_t mtree_kernel_route_find(const mtree_address_t *to,
                                       mtree_kernel_route_t *first_hop_p);

#endif
