/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreements: the plan that all ranks of a communicator use for one kind of call.
 *
 * The first call of a kind begins an agreement, whatever form it has; it runs by itself
 * (coll_mtree/control/exchange.h), calls that come before its end wait in its queue.
 * Which kinds there are follows from the order of the calls alone, so all ranks begin the
 * same agreements with the same tags.  They belong to one communicator, because calls on
 * different communicators may come in different orders; what is dear, planning, is done
 * once a group of processes (coll_mtree/plan/planning_context.h).
 *
 * When no plan can be made, a blocking call goes to the fallback, since all ranks wait
 * for the agreement and learn it at the same point.  A nonblocking call was accepted
 * before that; calling the fallback late would be out of order there, so it runs on a
 * plain plan that each rank makes without a message.
 */
#ifndef COLL_MTREE_CALL_PLAN_ENTRY_H
#define COLL_MTREE_CALL_PLAN_ENTRY_H

#include "coll_mtree/call/request.h"
#include "coll_mtree/select/autotune.h"

/* The class of @a call of @a module, whose hints are read. */
coll_mtree_call_class_t coll_mtree_class_of_call(const mca_coll_mtree_module_t *module,
                                                 const mtree_call_t *call);

/*
 * Who is to serve a call of @a call_class, as far as a blocking call has found before:
 * the fallback where there is no plan, and whoever is faster, by the forecast or, of
 * calls with a @a trial, by their guard (NULL: it has no say).
 */
coll_mtree_backend_t
coll_mtree_plan_entry_backend(const mca_coll_mtree_module_t *module,
                              const coll_mtree_call_class_t *call_class,
                              coll_mtree_trial_t *trial);

/* Why the fallback serves a call of @a call_class, of which there is an agreement, in its
 * @a turn; the same. */
coll_mtree_fallback_reason_t
coll_mtree_plan_entry_reason(const mca_coll_mtree_module_t *module,
                             const coll_mtree_call_class_t *call_class,
                             const coll_mtree_trial_t *trial);

/* The agreement on calls of @a call_class, begun if need be.  The module's.  NULL: no
 * memory.
 */
coll_mtree_plan_entry_t *
coll_mtree_plan_entry_get(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                          const coll_mtree_call_class_t *call_class);

/* The pursuit of the nonblocking calls; all calls but persistent ones wait in its queue.
 */
coll_mtree_pursuit_t *coll_mtree_plan_entry_pursuit(coll_mtree_plan_entry_t *entry);

/* Settle @a pursuit, of a persistent request, by the first plan: now or when it is there.
 * Only once. */
void coll_mtree_plan_entry_settle(coll_mtree_plan_entry_t *entry,
                                  coll_mtree_pursuit_t *pursuit);

/*
 * For blocking calls: wait for the end.  MTREE_DECLINED when there is no plan or the
 * fallback is faster; from then on every rank knows.
 */
int coll_mtree_plan_entry_wait(coll_mtree_plan_entry_t *entry);

/* When it is there: what a call that has passed the queue of @a pursuit goes by: the plan
 * in force there (with @a ring the ring), or the plain one, with its placement. */
int coll_mtree_plan_entry_plan(coll_mtree_plan_entry_t *entry,
                               const coll_mtree_pursuit_t *pursuit, bool ring,
                               const mtree_plan_t **plan_p,
                               const mtree_placement_t **placement_p);

/* Do its calls go by arrival because of how far apart the ranks come? */
bool coll_mtree_plan_entry_is_by_arrival(const coll_mtree_plan_entry_t *entry);

/* A blocking call has been made by @a req: the network is followed by what it did. */
void coll_mtree_plan_entry_note(coll_mtree_plan_entry_t *entry,
                                const coll_mtree_request_t *req);

/* The network has changed: calls from here on have agreements of their own.  With
 * @a same_trees their plans are the same but for the shares, so that guards know already
 * who is the fastest. */
void coll_mtree_plan_entries_renew(mca_coll_mtree_module_t *module, bool same_trees);

/* Free all that the agreements of a module hold. */
void coll_mtree_plan_entries_destroy(mca_coll_mtree_module_t *module);

#endif
