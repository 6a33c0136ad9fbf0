/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan with relays, as all ranks have it.  Beside each lies the plan without, over
 * which calls go when relays are lost.
 */
#ifndef COLL_MTREE_RELAY_RELAYED_H
#define COLL_MTREE_RELAY_RELAYED_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/relay/relays.h"

typedef struct {
    coll_mtree_relay_pass_t pass;
    mtree_relay_plan_t *plan;
    uint32_t calls; /* so far; the same on all ranks */
} coll_mtree_relayed_t;

/* Free; NULL is allowed. */
void coll_mtree_relayed_destroy(coll_mtree_relayed_t *relayed);

/*
 * On rank 0, in the planning thread: tell the relays of @a plan about it, for the ranks
 * of @a comm on @a host [ranks].  *bytes_p: what all ranks have to know, malloc'ed,
 * *length_p bytes.  False: it cannot be used.
 */
bool coll_mtree_relayed_write(const mtree_plan_t *plan, ompi_communicator_t *comm,
                              const int *host, char **bytes_p, size_t *length_p);

/* What that is, for this process. */
coll_mtree_relayed_t *coll_mtree_relayed_read(const char *bytes, size_t length);

#endif
