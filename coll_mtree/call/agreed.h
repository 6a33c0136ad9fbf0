/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What blocking calls on the communicators of one process group have agreed on: the state
 * of its topology, plans, and sizes.  The first blocking call on another
 * communicator of the group takes it over, without a message.
 *
 * It is the same on all ranks at the same call, since MPI has all processes of a group
 * make its collective calls in the same order.  That does not hold for
 * - nonblocking calls on several communicators: they neither give nor take;
 * - several threads: nothing is shared where a process has MPI_THREAD_MULTIPLE;
 * - calls that end with an error on some ranks alone, after which the program goes on
 *   (ULFM): nothing is shared there, either;
 * - the end of a communicator, which calls under way put off: what is agreed goes with
 *   the last communicator that the user frees.  That of MPI_COMM_WORLD's group stays.
 */
#ifndef COLL_MTREE_CALL_AGREED_H
#define COLL_MTREE_CALL_AGREED_H

#include "coll_mtree/call/coll_args.h"

/* All are for calls on @a comm, whose module is @a module, and but for sizes for blocking
 * ones. */

/* As coll_mtree_source_learn(). */
bool coll_mtree_agreed_topology(mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm, double bytes);

/*
 * Set size and verdict of @a args if only some ranks know the size of the call.  Blocking
 * calls agree now and then on what they carry, persistent ones when they are made (@a
 * at_once); nonblocking ones, which may not wait (@a may_wait), go by that, and to the
 * fallback where there was none.  Open MPI's code.
 */
int coll_mtree_agreed_size(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                           coll_mtree_coll_args_t *args, bool may_wait, bool at_once);

/* A call of @a comm_class is about to wait for its plan: take it over if it is agreed
 * on. */
void coll_mtree_agreed_take_plan(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 coll_mtree_comm_class_t *comm_class);

/* It has waited for it: it is agreed on. */
void coll_mtree_agreed_give_plan(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_comm_class_t *comm_class);

/* The network has changed: no plan is agreed on. */
void coll_mtree_agreed_forget_plans(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm);

#endif
