/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one communicator keeps of each call class (coll_mtree_comm_class_t): a call looks
 * its class up once and passes the element on.
 *
 * Only the thread that makes a collective call on the communicator looks up; MPI allows
 * one at a time.
 */
#ifndef COLL_MTREE_CALL_COMM_CLASS_H
#define COLL_MTREE_CALL_COMM_CLASS_H

#include "coll_mtree/call/coll_args.h"

/* The class of the call of @a args on @a module's communicator, whose hints are read; one
 * with relays where the call @a may_relay and these are not left; arrival-ordered where
 * the ranks agreed on that and the call may change its order.  NULL: no memory. */
coll_mtree_comm_class_t *coll_mtree_comm_class_of(mca_coll_mtree_module_t *module,
                                                  const coll_mtree_coll_args_t *args,
                                                  bool may_relay);

/* Free all classes of @a module, which have no plan entries any more. */
void coll_mtree_comm_classes_destroy(mca_coll_mtree_module_t *module);

#endif
