/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the probe tries networks between hosts (topo/probe/networks.h): each host tells its
 * interfaces and listens; then pairs of hosts connect over their pairs of interfaces,
 * those of a round at the same time, and measure what comes (tcp/rate_test.h), as
 * experiments of the kind MTREE_PROBE_CABLE.
 */
#ifndef COLL_MTREE_PROBE_CABLES_H
#define COLL_MTREE_PROBE_CABLES_H

#include "tcp/greeting.h"
#include "topo/probe/networks.h"

/* What a host tells; sent as it is. */
typedef struct {
    mtree_host_interfaces_t interfaces; /* but for its own address */
    uint32_t port;                      /* 0: it cannot listen */
    mtree_tcp_secret_t secret;
} coll_mtree_cable_host_t;

/* Describe this host, which listens from now on until it is closed. */
void coll_mtree_cables_describe(coll_mtree_cable_host_t *host);

/* The other ends know nothing more of this host. */
void coll_mtree_cables_close(void);

#endif
