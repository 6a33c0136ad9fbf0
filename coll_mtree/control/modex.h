/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each process publishes with what the transports publish (the modex), before there
 * is any communicator: the parameters that must agree, the version of mtree's messages,
 * and its host.
 *
 * A communicator whose processes differ, or of which one has no mtree, is left to the
 * fallback by all of its ranks, since each rank finds another that differs from it.
 */
#ifndef COLL_MTREE_CONTROL_MODEX_H
#define COLL_MTREE_CONTROL_MODEX_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"

/* What a process can do, or those of a communicator together. */
typedef struct {
    uint32_t longest; /* bytes of a message that each can send */
    bool is_threaded; /* several threads of one may call MPI at once */
} coll_mtree_abilities_t;

/* Publish this process's settings and host; when the component is opened. */
void coll_mtree_modex_publish(void);

/*
 * Are the settings the same on all ranks of @a comm?  Otherwise rank 0 of the first such
 * communicator (rank 1, when rank 0 has no mtree) logs what differs.  No message is sent.
 * Where PMIx does not say what a process is set to, the job ends.
 * Where they are the same, *abilities_p is what the ranks can do together.
 */
bool coll_mtree_modex_equal(ompi_communicator_t *comm,
                            coll_mtree_abilities_t *abilities_p);

/* The hosts of the ranks of @a comm, whose settings are the same, and where each rank is
 * on its host, *localities_p [ranks]; the caller's. */
void coll_mtree_modex_hosts(ompi_communicator_t *comm, coll_mtree_hosts_t *hosts_p,
                            mtree_locality_t **localities_p);

void coll_mtree_modex_close(void);

#endif
