/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What coll_mtree_encrypt 1 does not reach.  It encrypts what mtree's own connections
 * carry; so calls whose data goes over Open MPI's are said to the user, each reason once.
 */
#ifndef COLL_MTREE_TCP_ENCRYPTION_H
#define COLL_MTREE_TCP_ENCRYPTION_H

#include "coll_mtree/coll_mtree.h"

/* With the component: say so where encryption is asked for and not supported. */
void coll_mtree_encryption_open(void);

/*
 * What @a what sends between hosts goes over Open MPI's connections, for @a reason, a
 * clause that follows "since" and stays in memory.  Where encryption is asked for rank 0
 * of @a comm says it.
 */
void coll_mtree_encryption_missed(ompi_communicator_t *comm, const char *what,
                                  const char *reason);

#endif
