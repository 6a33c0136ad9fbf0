/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is the same for all sockets of a process: where it listens, TCP's congestion
 * control, and how many there may be.
 */
#ifndef COLL_MTREE_TCP_SOCKETS_H
#define COLL_MTREE_TCP_SOCKETS_H

#include "tcp/socket.h"

#include <stdbool.h>

/* The ports that a process may listen on: those of coll_mtree_tcp_ports, or else those of
 * Open MPI's connections, since a firewall may let no others pass.  False, which is
 * logged: the parameter is no range. */
bool coll_mtree_listening_ports(mtree_tcp_ports_t *ports);

/* Do Open MPI's connections need some of these, and are they not any?  They are to have
 * theirs first: without one MPI_Init fails. */
bool coll_mtree_ports_are_shared(void);

/* What coll_mtree_tcp_congestion_control says; NULL: the kernel's default. */
const char *coll_mtree_congestion_control(void);

/* The same, for sockets that are about to be made.  Where the kernel does not let them
 * have it, they keep the default, which is logged once. */
const char *coll_mtree_congestion_of_sockets(void);

/* Does congestion control take no notice of losses, or turn to one that does not
 * (tcp/tuning.c)? */
bool coll_mtree_sockets_bear_losses(void);

/* How many of @a wanted connections to each of @a peers processes this one may open, for
 * which it raises its limit of open files. */
int coll_mtree_sockets_share(int peers, int wanted);

#endif
