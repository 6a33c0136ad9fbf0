/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user learns of coll_mtree_encrypt 1.  It encrypts what mtree's own connections
 * carry, and what mtree serves goes over these, or the job ends.  Calls whose data goes
 * over Open MPI's are said, each reason once.
 */
#ifndef COLL_MTREE_TCP_ENCRYPTION_H
#define COLL_MTREE_TCP_ENCRYPTION_H

#include "coll_mtree/coll_mtree.h"

/* Calls of @a comm are served.  Of MPI_COMM_WORLD one line says how they are encrypted,
 * over at most so many @a connections to each process. */
void coll_mtree_encryption_confirm(ompi_communicator_t *comm, int connections);

/*
 * What @a what sends between hosts goes over Open MPI's connections, for @a reason, a
 * clause that follows "since" and stays in memory.  Where encryption is asked for rank 0
 * of @a comm says it.
 */
void coll_mtree_encryption_missed(ompi_communicator_t *comm, const char *what,
                                  const char *reason);

#endif
