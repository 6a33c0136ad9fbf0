/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process says that dials and gets no connections.
 */
#ifndef COLL_MTREE_TCP_REFUSAL_H
#define COLL_MTREE_TCP_REFUSAL_H

#include "coll_mtree/tcp/handshake.h"

/* Log, once per process, that messages to @a rank go over Open MPI's connections. */
void coll_mtree_refusal_log(int rank, const coll_mtree_handshake_failure_t *failure);

/* Nothing of a call goes unencrypted: log why, and end the job. */
void coll_mtree_refusal_end_job(int rank, const coll_mtree_handshake_failure_t *failure);

#endif
