/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Localities of this process and of a communicator's ranks, from Open MPI's knowledge of
 * this machine where there is any, else from hwloc itself.
 */
#ifndef COLL_MTREE_CONTROL_LOCALITY_H
#define COLL_MTREE_CONTROL_LOCALITY_H

#include "coll_mtree/coll_mtree.h"

/*
 * Where this process is bound to, and how near that is to what Open MPI sends through;
 * found out at the first call.  Unknown for a process that is alone on its host, for
 * which it would make no difference.
 */
mtree_locality_t coll_mtree_locality_own(void);

/* Say where the ranks of a host are, for the first host where they are not all alike. */
void coll_mtree_locality_log(ompi_communicator_t *comm,
                             const mtree_placement_t *placement);

#endif
