/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of links (topo/drift/link_check.h): between two blocking calls the first ranks
 * of the hosts send each other the streams that rank 0 asks for.
 */
#ifndef COLL_MTREE_ADAPT_LINK_CHECK_H
#define COLL_MTREE_ADAPT_LINK_CHECK_H

#include "coll_mtree/plan/planning_context.h"

/* Run @a check of rank 0, which sets the capacities of its streams, 0 where one failed;
 * other ranks pass an empty one.  The rank may go on when this returns, whatever the
 * others do. */
void coll_mtree_link_check_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                               coll_mtree_link_check_t *check);

#endif
