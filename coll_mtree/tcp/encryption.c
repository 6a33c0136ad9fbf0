/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/encryption.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"

#include "tcp/tls.h"

void coll_mtree_encryption_confirm(ompi_communicator_t *comm, int connections)
{
    if (coll_mtree_params.encrypt && comm == &ompi_mpi_comm_world.comm) {
        coll_mtree_verbose(comm, 1,
                           "calls are encrypted between hosts: " MTREE_TLS_CIPHER
                           ", TCP connections to each process: %d",
                           connections);
    }
}

void coll_mtree_encryption_missed(ompi_communicator_t *comm, const char *what,
                                  const char *reason)
{
    if (coll_mtree_params.encrypt && ompi_comm_rank(comm) == 0 &&
        coll_mtree_log_is_first(reason)) {
        coll_mtree_verbose(
            comm, 0,
            "not encrypted: %s, since %s; what it sends between hosts goes "
            "over Open MPI's connections",
            what, reason);
    }
}
