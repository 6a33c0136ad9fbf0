/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/refusal.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/tcp/encryption.h"

void coll_mtree_refusal_log(int rank, const coll_mtree_handshake_failure_t *failure)
{
    static bool is_told;

    if (!is_told) {
        is_told = true;
        mtree_warn("no TCP connections%s to rank %d (%s): messages to it, and to each "
                   "rank without, go over Open MPI's",
                   failure->way, rank, failure->what);
    }
}

void coll_mtree_refusal_end_job(int rank, const coll_mtree_handshake_failure_t *failure)
{
    int own_rank = coll_mtree_world_rank();
    char own[COLL_MTREE_NAME_LENGTH];

    if (coll_mtree_encryption_take_turn()) {
        (void)coll_mtree_host_name(own);
        mtree_error("no encrypted connections from host %s (rank %d) to port %u of host "
                    "%s (rank %d): %s; %s; the job ends",
                    own, own_rank, failure->port, failure->host, rank, failure->what,
                    failure->remedy);
    }
    coll_mtree_end_job();
}
