/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the probe tries networks between hosts (topo/probe/networks.h): each host tells its
 * interfaces and listens; then pairs of hosts connect over their pairs of interfaces,
 * those of a round at the same time, and measure what comes (tcp/rate_test.h).
 */
#ifndef COLL_MTREE_PROBE_CABLES_H
#define COLL_MTREE_PROBE_CABLES_H

#include "coll_mtree/control/message.h"

#include "tcp/greeting.h"
#include "topo/probe/networks.h"

/* What a host tells; sent as it is. */
typedef struct {
    mtree_host_interfaces_t interfaces; /* but for its own address */
    uint32_t port;                      /* 0: it cannot listen */
    mtree_tcp_secret_t secret;
} coll_mtree_cable_host_t;

/* An end of a trial; sent as it is. */
typedef struct {
    int number; /* of the trial */
    int dials;
    mtree_address_t ends[2];   /* this one, and the other */
    uint32_t port;             /* of the other end */
    mtree_tcp_secret_t secret; /* of the other end */
} coll_mtree_cable_part_t;

/* Describe this host, which listens from now on until it is closed. */
void coll_mtree_cables_describe(coll_mtree_cable_host_t *host);

/* The other ends know nothing more of this host. */
void coll_mtree_cables_close(void);

typedef struct coll_mtree_cable coll_mtree_cable_t;

/* Begin to try @a part, which stays. */
coll_mtree_cable_t *coll_mtree_cable_begin(const coll_mtree_cable_part_t *part);

/* Go on without waiting; true when it has ended, well or not. */
bool coll_mtree_cable_advance(coll_mtree_cable_t *cable);

/* Free it; *rate_p is the bits/s that came to this end (0: nothing), *trip_p the seconds
 * of a round trip. */
void coll_mtree_cable_end(coll_mtree_cable_t *cable, double *rate_p, double *trip_p);

#endif
