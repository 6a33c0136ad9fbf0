/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The relays that this process, a rank 0, finds for its job, and the plans with relays
 * that all ranks have.  All functions may be called from any thread of the program, but
 * those that name the planning thread only there.
 */
#ifndef COLL_MTREE_RELAY_RELAYS_H
#define COLL_MTREE_RELAY_RELAYS_H

#include "coll_mtree/coll_mtree.h"
#include "relay/roster.h"

/* A plan with relays, as all ranks have it; the pass is sent as it is, over Open MPI's
 * own channels.  Beside each lies the plan without, over which calls go when relays are
 * lost. */
typedef struct {
    mtree_relay_pass_t pass;
    mtree_relay_plan_t *plan;
    uint32_t calls; /* so far; the same on all ranks */
} coll_mtree_relay_plan_t;

/* The relays of the job that this process began, if any. */
extern mtree_relay_roster_t coll_mtree_relays;

/* Do the parameters name relays?  The same on all ranks. */
bool coll_mtree_relays_are_configured(void);

/* The relays that have answered. */
typedef struct {
    int count;
    int vertices[MTREE_RELAY_RELAYS];
    const char *addresses[MTREE_RELAY_RELAYS]; /* numbers, until the component closes */
} coll_mtree_relays_found_t;

/*
 * In the planning thread: the vertices of @a topology whose relay answers.  Candidates
 * are the hosts of MPI_COMM_WORLD with coll_mtree_relays world, else those that the
 * topology marks; but none of @a hosts, [@a num_hosts] vertices, which have ranks.  A
 * relay that does not answer is logged once, and not dialed again.
 */
void coll_mtree_relays_find(const mtree_topology_t *topology, const int *hosts,
                            int num_hosts, coll_mtree_relays_found_t *found);

/*
 * In the planning thread: tell the relays of @a plan about it, for the ranks of @a comm
 * on @a host [ranks].  *bytes_p: what all ranks have to know, malloc'ed, *length_p bytes.
 * False: it cannot be used.
 */
bool coll_mtree_relay_plan_write(const mtree_plan_t *plan, ompi_communicator_t *comm,
                                 const int *host, char **bytes_p, size_t *length_p);

/* What that is, for this process, which need not be a rank 0. */
coll_mtree_relay_plan_t *coll_mtree_relay_plan_read(const char *bytes, size_t length);

/* Free; NULL is allowed. */
void coll_mtree_relay_plan_destroy(coll_mtree_relay_plan_t *relay_plan);

/* When the component is closed: close all control connections. */
void coll_mtree_relays_close(void);

#endif
