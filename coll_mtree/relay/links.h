/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This process's connections to relays, and the transport of calls with relays: all of
 * their messages go over TCP connections of mtree's own, between ranks, too, so that a
 * call that fails can be abandoned without a trace.
 */
#ifndef COLL_MTREE_RELAY_LINKS_H
#define COLL_MTREE_RELAY_LINKS_H

#include "coll_mtree/relay/relays.h"
#include "coll_mtree/tcp/transport.h"

#include "schedule/layout.h"

typedef struct {
    coll_mtree_transport_t super;
    coll_mtree_tcp_operation_t tcp;
    const coll_mtree_relay_plan_t *relay_plan;
    bool is_abandoned;
} coll_mtree_relay_transport_t;

/* The transport of the call @a start over @a layout, in units of @a unit. */
void coll_mtree_relay_transport_init(coll_mtree_relay_transport_t *transport,
                                     ompi_communicator_t *comm, ompi_datatype_t *unit,
                                     const coll_mtree_relay_plan_t *relay_plan,
                                     const mtree_layout_t *layout,
                                     const mtree_relay_start_t *start);

/* End all of its messages, so that its operation ends with the next poll. */
void coll_mtree_relay_transport_abandon(coll_mtree_relay_transport_t *transport);

/* The operation has ended. */
void coll_mtree_relay_transport_end(coll_mtree_relay_transport_t *transport);

/* Go on with connections to the relays of @a relay_plan's job that do not stand yet. */
void coll_mtree_relay_links_poll(const coll_mtree_relay_plan_t *relay_plan);

/* Which relay of @a relay_plan this process has dialed in vain, in its plan; -1: none. */
int coll_mtree_relay_links_unreached(const coll_mtree_relay_plan_t *relay_plan);

/* With the component. */
void coll_mtree_relay_links_close(void);

#endif
