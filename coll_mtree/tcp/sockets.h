/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is the same for all sockets of a process: where it listens, and TCP's congestion
 * control.
 */
#ifndef COLL_MTREE_TCP_SOCKETS_H
#define COLL_MTREE_TCP_SOCKETS_H

#include "tcp/ports.h"

#include <stdbool.h>

/* The ports that a process may listen on: those of coll_mtree_tcp_ports, or else those of
 * Open MPI's connections, since a firewall may let no others pass.  False, which is
 * logged: the parameter is no range. */
bool coll_mtree_listening_ports(mtree_tcp_ports_t *ports);

/* What coll_mtree_tcp_congestion_control says; NULL: the kernel's default. */
const char *coll_mtree_congestion_control(void);

/* Set up a connected socket for messages.  Where the kernel does not let it have that
 * congestion control, it keeps the default, which is logged once. */
void coll_mtree_socket_tune(int socket);

#endif
