/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link checks between calls: the first ranks of the hosts run the streams that rank 0
 * asks for (topo/drift/link_check.h).
 */
#ifndef COLL_MTREE_ADAPT_LINK_CHECK_H
#define COLL_MTREE_ADAPT_LINK_CHECK_H

#include "coll_mtree/coll_mtree.h"

#include "topo/drift/link_check.h"

/*
 * All ranks of @a comm call this at the same point of the order of calls.  On rank 0 it
 * runs @a streams [num_streams] and sets their capacities, 0 where the stream failed;
 * other ranks pass none.  The rank may go on when this returns, whatever the others do.
 */
void coll_mtree_link_check_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                               mtree_link_stream_t *streams, int num_streams);

#endif
