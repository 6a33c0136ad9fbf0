/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The relays of the job that this process, a rank 0, began: it finds them, sends them
 * plans and calls, and notices when one is lost.  All functions may be called from any
 * thread of the program, but those that name the planning thread only there.
 */
#ifndef COLL_MTREE_RELAY_RELAYS_H
#define COLL_MTREE_RELAY_RELAYS_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/relay/control.h"
#include "planner/plan/plan.h"
#include "relay/greeting.h"
#include "relay/plan.h"

/* By what a rank proves to the relays that it is of the job.  Sent as it is, over Open
 * MPI's own channels. */
typedef struct {
    mtree_relay_job_id_t job;
    mtree_relay_key_t key;
} coll_mtree_relay_pass_t;

/* A plan with relays, as all ranks have it.  Beside each lies the plan without, over
 * which calls go when relays are lost. */
typedef struct {
    coll_mtree_relay_pass_t pass;
    mtree_relay_plan_t *plan;
    uint32_t calls; /* so far; the same on all ranks */
} coll_mtree_relayed_t;

/* Do the parameters name relays?  The same on all ranks. */
bool coll_mtree_relays_are_configured(void);

/* The relays that have answered. */
typedef struct {
    int count;
    int vertices[COLL_MTREE_RELAYS];
    const char *addresses[COLL_MTREE_RELAYS]; /* numbers, until the component is closed */
} coll_mtree_relays_found_t;

/*
 * In the planning thread: the vertices of @a topology whose relay answers.  Candidates
 * are the hosts of MPI_COMM_WORLD with coll_mtree_relays world, else those that the
 * topology marks; but none of @a hosts, [@a num_hosts] vertices, which have ranks.  A
 * relay that does not answer is logged once, and not dialed again.
 */
void coll_mtree_relays_find(const mtree_topology_t *topology, const int *hosts,
                            int num_hosts, coll_mtree_relays_found_t *found);

/* In the planning thread: are all relays of @a plan up? */
bool coll_mtree_relays_are_up(const mtree_plan_t *plan);

/*
 * In the planning thread: tell the relays of @a plan about it, for the ranks of @a comm
 * on @a host [ranks].  *bytes_p: what all ranks have to know, malloc'ed, *length_p bytes.
 * False: it cannot be used.
 */
bool coll_mtree_relayed_write(const mtree_plan_t *plan, ompi_communicator_t *comm,
                              const int *host, char **bytes_p, size_t *length_p);

/* What that is, for this process, which need not be a rank 0. */
coll_mtree_relayed_t *coll_mtree_relayed_read(const char *bytes, size_t length);

/* Free; NULL is allowed. */
void coll_mtree_relayed_destroy(coll_mtree_relayed_t *relayed);

/* Have the relays of @a plan start the call @a start, cancel it, or answer a ping, by @a
 * kind; false: one is lost. */
bool coll_mtree_relays_tell(const mtree_relay_plan_t *plan, mtree_relay_kind_t kind,
                            const mtree_relay_start_t *start);

/* The state of a call at its relays. */
typedef enum {
    COLL_MTREE_RELAYS_SERVE,
    COLL_MTREE_RELAYS_REFUSE, /* one refused the call, or failed in it; all are up */
    COLL_MTREE_RELAYS_LOST    /* one is lost, which is logged once */
} coll_mtree_relays_state_t;

/* While that call is under way: read the relays' messages.  *address_p is the address of
 * the first that refuses it.  *have_answered_p: each has answered the last ping, or is
 * lost. */
coll_mtree_relays_state_t coll_mtree_relays_poll_call(const mtree_relay_plan_t *plan,
                                                      const mtree_relay_start_t *start,
                                                      const char **address_p,
                                                      bool *have_answered_p);

/* Process @a rank of MPI_COMM_WORLD cannot reach relay @a i of @a plan: it is lost. */
void coll_mtree_relays_drop(const mtree_relay_plan_t *plan, int i, int rank);

/* Drop some of the relays that have reported that they cannot reach each other, so that
 * those that are left can (coll_mtree/relay/control.h); false: none had to be. */
bool coll_mtree_relays_drop_unreached(void);

/* When the component is closed: close all control connections. */
void coll_mtree_relays_close(void);

#endif
