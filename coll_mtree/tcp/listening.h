/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where processes of the job listen.
 */
#ifndef COLL_MTREE_TCP_LISTENING_H
#define COLL_MTREE_TCP_LISTENING_H

#include "tcp/ports.h"

#include <stdbool.h>

/* The ports that a process may listen on: those of coll_mtree_tcp_ports, or else those of
 * Open MPI's connections, since a firewall may let no others pass.  False, which is
 * logged: the parameter is no range. */
bool coll_mtree_listening_ports(mtree_tcp_ports_t *ports);

#endif
