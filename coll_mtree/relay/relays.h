/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The relays of the job that this process, a rank 0, began: which there are, what they
 * are told, and whether they are alive.  From any thread of the program, and from the
 * planning thread where it is said so.
 */
#ifndef COLL_MTREE_RELAY_RELAYS_H
#define COLL_MTREE_RELAY_RELAYS_H

#include "planner/plan/plan.h"
#include "relay/greeting.h"
#include "relay/plan.h"

/* Relays of a plan at most. */
#define COLL_MTREE_RELAYS 64

/* What each rank has to know to reach the relays of a plan, beside the plan.  Sent as it
 * is, over Open MPI's own channels. */
typedef struct {
    mtree_relay_job_id_t job;
    mtree_relay_key_t key;
    uint32_t plan; /* its number in the job */
    int num_relays;
    uint32_t numbers[COLL_MTREE_RELAYS]; /* of the plan's relays in the job */
} coll_mtree_relay_contact_t;

/* Does the user ask for relays, and do calls of the job use them?  Both the same on all
 * ranks. */
bool coll_mtree_relays_are_asked_for(void);
bool coll_mtree_relays_are_wanted(void);

/* Where relays answer. */
typedef struct {
    int count;
    int vertices[COLL_MTREE_RELAYS];
    const char *addresses[COLL_MTREE_RELAYS]; /* the topology's, or until the component is
                                                 closed */
} coll_mtree_relays_found_t;

/*
 * In the planning thread: the vertices of @a topology whose relay answers: of the hosts
 * of MPI_COMM_WORLD where the user asks for these, else those that the topology marks.
 * Who does not answer is logged once, and not asked again.  @a hosts, [@a num_hosts]
 * vertices, have ranks.
 */
void coll_mtree_relays_find(const mtree_topology_t *topology, const int *hosts,
                            int num_hosts, coll_mtree_relays_found_t *found);

/* In the planning thread: do all relays of @a plan still answer? */
bool coll_mtree_relays_answer(const mtree_plan_t *plan);

/*
 * In the planning thread: tell the relays of @a plan about it.  @a placement is of ranks
 * and relays, @a world [ranks] the rank of each in MPI_COMM_WORLD.  False: one of them
 * cannot be told.
 */
bool coll_mtree_relays_tell(const mtree_plan_t *plan, const mtree_placement_t *placement,
                            const uint32_t *world, coll_mtree_relay_contact_t *contact);

/* Tell the relays of @a contact, @a num of them, that a call starts; false: one is gone.
 */
bool coll_mtree_relays_start(const coll_mtree_relay_contact_t *contact, int num,
                             const mtree_relay_start_t *start);

/* What the relays of a call do. */
typedef enum {
    COLL_MTREE_RELAYS_SERVE,
    COLL_MTREE_RELAYS_REFUSE, /* one refused the call, or failed in it; all answer */
    COLL_MTREE_RELAYS_LOST    /* one answers no more, which is logged once */
} coll_mtree_relays_do_t;

/* While that call is under way: what do they do?  *who_p is the address of the first that
 * refuses it. */
coll_mtree_relays_do_t coll_mtree_relays_watch(const coll_mtree_relay_contact_t *contact,
                                               int num, const mtree_relay_start_t *start,
                                               const char **who_p);

/* Ask them whether they are there. */
void coll_mtree_relays_ask(const coll_mtree_relay_contact_t *contact, int num);

/* Has each of them answered since, or been lost?  They are heard by the watch. */
bool coll_mtree_relays_have_answered(const coll_mtree_relay_contact_t *contact, int num);

/* Process @a rank of MPI_COMM_WORLD cannot reach relay @a i of @a contact: it is lost. */
void coll_mtree_relays_give_up(const coll_mtree_relay_contact_t *contact, int i,
                               int rank);

/* Of relays that have said that they cannot reach each other some are lost, so that those
 * that are left can; were there some? */
bool coll_mtree_relays_give_up_unreached(void);

/* That call has failed: those that are left need not go on. */
void coll_mtree_relays_cancel(const coll_mtree_relay_contact_t *contact, int num,
                              const mtree_relay_start_t *start);

/* With the component: leave all relays. */
void coll_mtree_relays_close(void);

#endif
