/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first plan of a process group, begun before the exchange has brought the hosts of
 * all ranks: their names are what a topology file needs, and the processes have published
 * them (coll_mtree/tcp/contact.h).  Between far hosts the exchange's connections take as
 * long as the plan.
 */
#ifndef COLL_MTREE_PLAN_EARLY_PLAN_H
#define COLL_MTREE_PLAN_EARLY_PLAN_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/plan/plan_choice.h"

/* On rank 0 of @a comm, whose module is @a module, have the plan for @a call_class made;
 * the decision that the exchange asks for finds it.  Elsewhere, and where no link of a
 * topology file is long or a host is not known, nothing is done. */
void coll_mtree_early_plan_start(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_call_class_t *call_class);

#endif
