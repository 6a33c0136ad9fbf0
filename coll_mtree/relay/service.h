/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A relay in a thread of this process (relay/server.h).  It has sockets of its own and
 * makes no call of MPI, so the program may compute, or wait in MPI, meanwhile.
 */
#ifndef COLL_MTREE_RELAY_SERVICE_H
#define COLL_MTREE_RELAY_SERVICE_H

#include "relay/secret.h"

#include <stdint.h>

/* Listen on a port that a process may listen on (coll_mtree/tcp/sockets.h).  False,
 * which is logged: this process does not relay. */
bool coll_mtree_relay_service_listen(uint16_t *port_p);

/* Serve who knows @a secret, with coll_mtree_relays_share of a processor. */
void coll_mtree_relay_service_start(const mtree_relay_key_t *secret);

/* End, and log what it did at coll_mtree_verbose 1; also where it has not begun. */
void coll_mtree_relay_service_stop(void);

#endif
