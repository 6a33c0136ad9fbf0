/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What blocking calls on the communicators of one process group have agreed on: the state
 * of its topology, who runs where, plans, and sizes.  The first blocking call on another
 * communicator of the group takes it over, without a message.
 *
 * It is the same on all ranks at the same call, since MPI has all processes of a group
 * make its collective calls in the same order.  That does not hold for
 * - nonblocking calls on several communicators: they neither give nor take;
 * - several threads: nothing is shared where a process has MPI_THREAD_MULTIPLE;
 * - the end of a communicator, which calls under way put off: what is agreed goes with
 *   the last communicator that the user frees.  That of MPI_COMM_WORLD's group stays.
 */
#ifndef COLL_MTREE_CALL_AGREED_H
#define COLL_MTREE_CALL_AGREED_H

#include "coll_mtree/coll_mtree.h"

/* All are for blocking calls on @a comm, whose module is @a module. */

/* As coll_mtree_source_settle(). */
bool coll_mtree_agreed_settle(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                              double bytes);

/* Before the module's estimate of the size of @a collective is used; and after the ranks
 * have agreed on one. */
void coll_mtree_agreed_take_size(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 mtree_collective_t collective);
void coll_mtree_agreed_give_size(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 mtree_collective_t collective);

/* A call of @a comm_class is about to wait for its plan: take the hosts and the
 * plan over if they are agreed on. */
void coll_mtree_agreed_take_plan(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 coll_mtree_comm_class_t *comm_class);

/* It has waited for it: they are agreed on. */
void coll_mtree_agreed_give_plan(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_comm_class_t *comm_class);

/* The network has changed: no plan is agreed on. */
void coll_mtree_agreed_forget_plans(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm);

#endif
